import FuzzKit
import UV

/// What a mutant peer has to tell the run.
protocol MutantPeerOwner: AnyObject {
  /// It has sent this line.
  func sent(_ line: [UInt8], by peer: MutantPeer)
  /// What became of a line is now known.
  func settled(_ exchange: Exchange)
  /// Its connection ended before that was known.
  func lost(_ exchange: Exchange)
  /// The server did what it must not do.
  func faulted(_ peer: MutantPeer, _ fault: String)
  /// Its connection is closed.
  func left(_ peer: MutantPeer)
}

/// One connection that sends mutated lines in its own manner, answers offers between them, and leaves.
final class MutantPeer: LineStreamOwner {
  let number: Int
  private let manner: Manner
  private let stream: LineStream
  private unowned let owner: any MutantPeerOwner
  private var mutator: DialogueMutator
  private var generator: SeededGenerator
  /// The bytes that wait to be written.
  private var outgoing: [UInt8] = []
  /// Lines that were sent and are not settled, oldest first.
  private var open: [Exchange] = []
  private var sentLines = 0
  private var settledLines = 0
  /// Offers of the server that this peer has not answered.
  private var offers: [Int] = []
  private var resultsDue = 0
  private var results = 0
  /// Lines that the server refused with an error that counts towards `too_many_errors`.
  private var errors = 0
  /// The run's ticks until it leaves.
  private var ticksLeft: Int
  /// The number of the run's ticks for which it still does not read.
  private var deafTicks = 0
  private var wasDeaf = false
  private var isConnected = false
  private var isLeaving = false
  private var hasHalfClosed = false
  private var hasBrokenOff = false
  /// It has closed, or the server has said that it will close.
  private var isOver = false

  init(
    number: Int, seed: UInt64, source: DialogueMutator.Source, place: String, loop: Loop, owner: any MutantPeerOwner
  ) throws {
    self.number = number
    self.owner = owner
    mutator = DialogueMutator(seed: seed, peer: number, source: source)
    generator = SeededGenerator(seed: seed ^ UInt64(number) << 32)
    manner = Manner(using: &generator)
    ticksLeft = manner.ticks
    stream = try LineStream(place, on: loop)
    stream.owner = self
  }

  /// Call this at every tick of the run.
  func tick() {
    ticksLeft -= 1
    if ticksLeft == 0 { return leave() }
    guard deafTicks > 0 else { return }
    deafTicks -= 1
    if deafTicks == 0 { stream.setReading(true) }
  }

  /// Sends nothing more, and leaves in good order.
  func leave() {
    guard !isLeaving, !isOver else { return }
    isLeaving = true
    listen()
    goOn()
  }

  /// Ends the connection at once.
  func close() {
    isOver = true
    stream.close()
  }

  // MARK: Speaking

  private var isDone: Bool { isLeaving || sentLines >= manner.lines }

  /// Sends as much as its window allows; leaves once it is done.
  private func goOn() {
    guard isConnected, !isOver else { return }
    let window = deafTicks > 0 ? 200 : manner.window
    while !isDone, open.count < window, let line = nextLine() { say(line) }
    write()
    if isDone, outgoing.isEmpty, !stream.isWriting { takeLeave() }
  }

  /// What to send next. Nil if one more error could end the connection of a diligent handler: it waits for offers
  /// instead.
  private func nextLine() -> [UInt8]? {
    if offers.isEmpty, manner.diligence == .diligent, errors + open.count > 80 { return nil }
    guard !offers.isEmpty, manner.diligence != .idle else { return mutator.request() }
    let isPlain = manner.diligence == .diligent
    guard isPlain || Bool.random(using: &generator) else { return mutator.request() }
    return mutator.verdict(for: offers.removeFirst(), plain: isPlain)
  }

  private func say(_ line: [UInt8]) {
    sentLines += 1
    open.append(Exchange(line: line))
    outgoing += line
    outgoing += "\n{\"op\":\"ping\",\"id\":\"fence \(sentLines)\"}\n".utf8
    owner.sent(line, by: self)
    if manner.isDeafAtTimes, deafTicks == 0, Int.random(in: 0..<100, using: &generator) == 0 {
      deafTicks = .random(in: 1...60, using: &generator)
      wasDeaf = true
      stream.setReading(false)
    }
  }

  private func write() {
    guard !outgoing.isEmpty, !stream.isWriting else { return }
    // A peer that writes byte by byte does so only for some lines, or its lines would take too long.
    let grain = sentLines % 8 == 0 ? manner.grain : max(manner.grain, 1500)
    let count = min(outgoing.count, Int.random(in: 1...grain, using: &generator))
    stream.write(outgoing.prefix(count))
    outgoing.removeFirst(count)
  }

  private func takeLeave() {
    switch isLeaving ? .halfCloses : manner.farewell {
    case .halfCloses:
      guard !hasHalfClosed else { return }
      hasHalfClosed = true
      listen()
      stream.halfClose()
    case .closes: if open.isEmpty { close() }
    case .hangsUp: close()
    case .breaksOff:
      guard !hasBrokenOff else { return close() }
      hasBrokenOff = true
      stream.write(mutator.request().dropLast()[...].prefix(LineStream.writeSize))
    }
  }

  private func listen() {
    deafTicks = 0
    stream.setReading(true)
  }

  // MARK: Listening

  func connected() {
    isConnected = true
    goOn()
  }

  func wrote() { goOn() }

  func received(_ line: [UInt8]) {
    guard let answer = ServerLine(line) else { return fault("the server sent no message: \(Self.told(line))") }
    switch answer.op {
    case "offer":
      if let id = Int(answer.id) { offers.append(id) }
    case "result": results += 1
    case "ok" where answer.isReload: results += 1
    case "pong" where answer.id == "\"fence \(settledLines + 1)\"": settle()
    case "error" where answer.isClosing:
      // Nothing that is sent from now on is carried out.
      return close()
    case "error" where answer.code == "not_json_lines": fault("cut for a line that began with {")
    default:
      if !open.isEmpty { open[0].take(answer) }
    }
    if !isDone { goOn() } else if manner.farewell == .closes, outgoing.isEmpty { goOn() }
  }

  private func settle() {
    let exchange = open.removeFirst()
    settledLines += 1
    if exchange.fate == .malformed || exchange.errors == ["unknown_offer"] { errors += 1 }
    if exchange.owesResult { resultsDue += 1 }
    if let fault = exchange.fault { self.fault("\(fault) to \(Self.told(exchange.line))") }
    owner.settled(exchange)
  }

  func ended() {
    if !hasHalfClosed, !isOver, !wasDeaf { fault("the server closed without a reason") }
    if hasHalfClosed, !isOver {
      if !open.isEmpty { fault("\(open.count) lines before the half-close were not answered") }
      if results != resultsDue { fault("\(results) results came, \(resultsDue) were due") }
    }
    close()
  }

  func failed(_ error: UVError) {
    if !isOver, !wasDeaf, !hasBrokenOff { fault("the connection broke: \(error)") }
    close()
  }

  func closed() {
    isOver = true
    for exchange in open { owner.lost(exchange) }
    open = []
    owner.left(self)
  }

  private func fault(_ fault: String) { owner.faulted(self, fault) }

  static func told(_ line: [UInt8]) -> String {
    let text = String(decoding: line.prefix(400), as: UTF8.self)
    return line.count > 400 ? "\(text)… (\(line.count) bytes)" : text
  }
}
