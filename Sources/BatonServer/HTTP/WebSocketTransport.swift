internal import BatonCore
internal import HTTP
internal import UV

/// A WebSocket: each line of the router goes out as a text message, each text message comes in as a line.
///
/// It has taken over the socket on which it was asked for. What a turn brings is framed in one piece, and counts as
/// written when the socket has taken all of it.
final class WebSocketTransport: TimedSocket, Transport, TransportOwner {
  let door: HTTPDoor
  let inner: any Transport
  let address: String
  let writer: SocketWriter
  @exclusivity(unchecked) var reader = FrameReader()
  private var frames = LineFrames()
  /// The connection of the router; nil before the beginning and after the end.
  var connection: PeerConnection?
  /// Bytes of the router in what is being written.
  private var owed = 0
  /// What ends it, once the lines in front of that have been carried out.
  var last: LastWord?
  /// Whether they have been, and the router knows that nothing more comes.
  var hasHeardAll = false
  /// Whether nothing more goes out, because the close has.
  var hasSaidClose = false
  /// Whether the peer has gone, or cannot be reached.
  var isBroken = false
  private(set) var isClosing = false
  /// The answers to pings that have not gone out.
  var pongs: [UInt8] = []
  var latestPong: [UInt8] = []
  /// What has come and waits for its turn.
  var kept: [UInt8] = []
  /// Whether the peer has ended its side behind that.
  private var endsLater = false
  /// Whether the router reads from the peer.
  private(set) var isReading = false
  /// Whose socket it is, among those that end.
  private let owner: Owner
  private var lastHeard: Instant
  private var isPinged = false

  init(over socket: HTTPSocket) {
    door = socket.door
    inner = socket.transport
    address = socket.address
    writer = socket.writer
    owner = socket.owner
    lastHeard = socket.door.loopTime
  }

  /// Asks the router to let the peer in, and takes the socket over. Returns the answer if it is refused.
  func begin(_ plan: WebSocketPlan, on socket: HTTPSocket) -> HTTPAnswer? {
    let connection = door.server.welcome(self, socket.factsOfPeer(.webSocket))
    if let greeting = plan.greeting { greeting.withUnsafeBytes { connection.received($0) } }
    if let refusal = refusal(of: connection, plan) {
      isClosing = true
      door.later { connection.left() }
      return refusal
    }
    self.connection = connection
    let bytes = plan.answer.bytes(keepsAlive: true, isHead: false, date: door.dateText)
    socket.leave()
    inner.handOver(to: self)
    door.add(self)
    door.set(self, after: door.limits.ping)
    do throws(TransportError) {
      // From here on the router says when it is read, as with any connection: not before it has looked at this one.
      try inner.setReading(false)
      _ = try writer.send(bytes)
    } catch {
      failed(error.description)
    }
    return nil
  }

  /// Why the router does not let the peer in; nil if it does. What it has said up to now is heard here.
  private func refusal(of connection: PeerConnection, _ plan: WebSocketPlan) -> HTTPAnswer? {
    var answer: HTTPAnswer?
    connection.show { unsent in
      if let mark = unsent.mark, case .error = mark {
        answer = .line(
          Array(unsent.pieces.joined()), AnswerMark(mark), cors: plan.cors, secondsToDrain: door.secondsToDrain)
      }
      return unsent.count
    }
    return answer
  }

  // MARK: From the peer

  func received(_ bytes: UnsafeRawBufferPointer) {
    lastHeard = door.loopTime
    isPinged = false
    if kept.isEmpty, door.mayWork { read(bytes) } else { keep(bytes) }
  }

  /// A WebSocket ends with a close. Without one, it was cut.
  func ended() {
    guard kept.isEmpty else { return endsLater = true }
    isBroken = true
    if hasSaidClose { connection?.ended() } else { connection?.failed("cut without a close") }
  }

  func failed(_ reason: String) {
    isBroken = true
    connection?.failed(reason)
  }

  func closed() {}
  func shookHands(_ facts: PeerFacts) {}

  // MARK: To the peer

  var peer: String { address }
  var isWriting: Bool { !writer.isEmpty || inner.isWriting }
  var isReady: Bool { true }

  func attach(_ owner: any TransportOwner) {}
  func handOver(to owner: any TransportOwner) {}

  func take(_ unsent: borrowing Unsent) throws(TransportError) -> Int {
    guard !hasSaidClose else { return unsent.count }
    guard owed == 0 else { return 0 }
    if last != nil { door.goOnLater(self) }
    let memory = door.frames.bytes
    let count = frames.frame(unsent.pieces, into: memory) { unsent.lengthOfLine(from: $0) }
    if try writer.send(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(memory)[..<count])) {
      return unsent.count
    }
    owed = unsent.count
    return 0
  }

  func wrote(_ count: Int) {
    do throws(TransportError) {
      guard try writer.wrote(count) else { return }
    } catch {
      return failed(error.description)
    }
    sayPongs()
    guard writer.isEmpty else { return }
    let told = owed
    owed = 0
    connection?.wrote(told)
    if last != nil { door.goOnLater(self) }
  }

  func setReading(_ isWanted: Bool) throws(TransportError) {
    isReading = isWanted
    if isWanted { lastHeard = door.loopTime }
    try inner.setReading(isWanted && kept.isEmpty && last == nil)
    if isWanted, !kept.isEmpty || last != nil { door.goOnLater(self) }
  }

  /// Reads what waits. If all of it is read, the peer is read from again.
  override func goOn() {
    isWaiting = false
    guard last == nil else { return sayLast() }
    guard isReading, !isClosing else { return }
    readKept()
    guard kept.isEmpty, !isClosing else { return }
    if endsLater {
      ended()
    } else if isReading {
      do throws(TransportError) { try inner.setReading(true) } catch { failed(error.description) }
    }
  }

  /// Writes a frame that is no line.
  func say(_ frame: [UInt8]) {
    do throws(TransportError) { _ = try writer.send(frame) } catch { isBroken = true }
  }

  /// Whether a frame has been begun and not ended: nothing may come between.
  var isInFrame: Bool { frames.isInFrame }

  /// Answers pings. While something else is being written, the answers wait.
  func sayPongs() {
    guard !pongs.isEmpty, !hasSaidClose else { return }
    guard isWriting || isInFrame else {
      let frames = pongs
      pongs = []
      return say(frames)
    }
    // Who does not take the answers gets the latest one (RFC 6455, section 5.5.3).
    if pongs.count > WebSocketTransport.mostPongs { pongs = latestPong }
  }

  private static let mostPongs = 4 << 10

  // MARK: Time

  override func clockRings(at now: Instant) {
    let ping = door.limits.ping
    let silence = max(0, now.milliseconds(since: lastHeard))
    // While the server does not read, nothing can be heard.
    guard isReading, !isClosing, !hasSaidClose, last == nil else { return door.set(self, after: ping) }
    if !isPinged {
      guard silence >= ping else { return door.set(self, after: ping - silence) }
      isPinged = true
      if !isWriting, !isInFrame { say(FrameWriter.ping([])) }
      return door.set(self, after: ping)
    }
    end(
      .policy, code: "idle",
      "nothing came from you for \(2 * ping) ms, not even an answer to a ping (ws_ping_ms); answer pings")
  }

  override func closeNow() {
    isBroken = true
    close()
    inner.close()
  }

  // MARK: The end, as the router wishes it

  /// The router has said all that it has to say. The peer answers with its close.
  func endWriting() throws(TransportError) { sayClose() }

  func closeInOrder() {
    sayClose()
    leave()
  }

  func close() {
    sayClose()
    leave()
  }

  /// Leaves the socket, and the connection in the turn.
  private func leave() {
    guard !isClosing else { return }
    isClosing = true
    dropKept()
    door.remove(self)
    if isBroken {
      inner.close()
    } else {
      LingeringSocket(inner, writer, address: address, door: door).begin(of: owner)
    }
    let left = connection
    connection = nil
    door.later { left?.left() }
  }
}
