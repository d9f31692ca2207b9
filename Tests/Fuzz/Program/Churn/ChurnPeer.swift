import FuzzKit
import UV

/// What a peer that comes and goes has to tell the run.
protocol ChurnPeerOwner: AnyObject {
  /// Its request was done, or refused with that code.
  func answered(_ id: String, refusedFor code: String?)
  /// The server sent something that it must not send.
  func faulted(_ peer: ChurnPeer, _ fault: String)
  /// Its connection is closed.
  func left(_ peer: ChurnPeer)
}

/// One short-lived connection. It sends some requests, answers offers meanwhile, and leaves in one of several ways.
final class ChurnPeer: LineStreamOwner {
  /// How it leaves.
  private enum Farewell: CaseIterable {
    /// It closes when everything is answered.
    case closes
    /// It shuts down its writing side when everything is answered, and waits for the server to close.
    case halfCloses
    /// It closes as soon as it has sent everything, with offers and requests open.
    case hangsUp
  }

  let number: Int
  private let stream: LineStream
  private unowned let owner: any ChurnPeerOwner
  private var lines: ChurnLines
  private let farewell: Farewell
  private var outgoing: [UInt8] = []
  private var isConnected = false
  private var isOver = false
  private var hasHalfClosed = false
  /// Requests that it has not sent yet, and requests that wait for their replies.
  private var toSay: Int
  private var open = 0

  private static let openAtOnce = 6

  init(number: Int, seed: UInt64, at place: String, loop: Loop, owner: any ChurnPeerOwner) throws {
    self.number = number
    self.owner = owner
    lines = ChurnLines(number: number, seed: seed)
    toSay = 1 + lines.draw(below: 30)
    farewell = Farewell.allCases[lines.draw(below: 3)]
    stream = try LineStream(place, on: loop)
    stream.owner = self
  }

  /// Ends the connection at once.
  func close() {
    isOver = true
    stream.close()
  }

  /// Asks for nothing more, and leaves when everything is answered.
  func leave() {
    toSay = 0
    goOn()
  }

  private func goOn() {
    guard isConnected, !isOver else { return }
    while toSay > 0, open < Self.openAtOnce {
      toSay -= 1
      open += 1
      say(lines.request())
    }
    write()
    guard toSay == 0, outgoing.isEmpty, !stream.isWriting, open == 0 || farewell == .hangsUp else { return }
    guard farewell == .halfCloses else { return close() }
    if !hasHalfClosed { stream.halfClose() }
    hasHalfClosed = true
  }

  private func say(_ line: String) {
    outgoing += line.utf8
    outgoing.append(0x0A)
  }

  private func write() {
    guard !outgoing.isEmpty, !stream.isWriting else { return }
    stream.write(outgoing.prefix(LineStream.writeSize))
    outgoing.removeFirst(min(outgoing.count, LineStream.writeSize))
  }

  // MARK: From the stream

  func connected() {
    isConnected = true
    goOn()
  }

  func wrote() { goOn() }

  func received(_ line: [UInt8]) {
    guard let answer = ServerLine(line) else { return owner.faulted(self, MutantPeer.told(line)) }
    switch answer.op {
    case "offer":
      guard !hasHalfClosed, let verdict = lines.verdict(for: answer.id) else { return }
      say(verdict)
    case "error" where answer.isAboutForm || answer.isClosing: return owner.faulted(self, MutantPeer.told(line))
    // A verdict that came too late.
    case "error" where !answer.id.hasPrefix("\""): break
    case "ok", "result", "welcome", "error":
      open -= 1
      owner.answered(String(answer.id.dropFirst().dropLast()), refusedFor: answer.op == "error" ? answer.code : nil)
    default: break
    }
    goOn()
  }

  func ended() {
    if !hasHalfClosed { owner.faulted(self, "the server closed") }
    close()
  }

  func failed(_ error: String) {
    if !isOver { owner.faulted(self, "\(error)") }
    close()
  }

  func closed() {
    isOver = true
    owner.left(self)
  }
}
