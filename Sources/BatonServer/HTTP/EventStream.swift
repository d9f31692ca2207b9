internal import BatonCore
internal import HTTP

/// `GET /events`: a connection that subscribes, and whose events go out as server-sent events until one side ends it.
final class EventStream: HTTPExchange {
  private var frames = EventFrames()
  private var isStreaming = false
  /// Bytes of the router that the peer has not taken, framed as they are; nil if there are none.
  private var owed: Int?

  /// Proxies pass each event on as it comes: nginx would gather them first.
  private static let headers = HTTPAnswer.headers(ofType: "text/event-stream") + [("X-Accel-Buffering", "no")]

  /// What a browser's `EventSource` gets of a draining server: it asks again until another server answers. With
  /// another status it would give up for good.
  static func farewell(_ secondsToDrain: Int, _ cors: [(name: String, value: String)]) -> HTTPAnswer {
    let body = "event: draining\ndata: {\"op\":\"draining\",\"deadline_ms\":\(secondsToDrain * 1000)}\n\n"
    return HTTPAnswer(200, headers: headers + cors, body: Array(body.utf8))
  }

  /// The same of a server that is a spare.
  static func refused(_ refusal: HTTPRefusal, _ cors: [(name: String, value: String)]) -> HTTPAnswer {
    HTTPAnswer(
      200, headers: headers + cors, body: Array("event: refused\ndata: ".utf8) + refusal.line + [0x0A, 0x0A])
  }

  override var way: PeerDoor { .events }
  override var isStream: Bool { isStreaming }
  override var isWriting: Bool { owed != nil }

  /// The subscription holds: the head goes out, and what follows are events.
  override func answered(_ mark: AnswerMark, _ line: [UInt8]) {
    guard mark.status == 200 else { return super.answered(mark, line) }
    isStreaming = true
    socket.beginStream(HTTPAnswer(200, headers: EventStream.headers + request.cors))
    door.ask(socket, false)
    tellPlace(line)
    waitForSilence()
  }

  /// Where events are kept, tells the reader to which place it has come: it says so when it comes back. A reader of
  /// values gets them anew then, and needs no place.
  private func tellPlace(_ line: [UInt8]) {
    guard request.events != .values, let place = line.withUnsafeBytes({ EventPosition(ok: $0) }) else { return }
    frames.epoch = place.epoch
    // What it has asked for is still to come.
    guard request.events == .now else { return }
    socket.send(EventPosition.field(place.epoch, place.seq) + [10])
  }

  override func take(_ unsent: borrowing Unsent) throws(TransportError) -> Int {
    guard isStreaming else { return hear(unsent) }
    guard owed == nil, !isClosing else { return 0 }
    let count = frames.frame(unsent.pieces, into: door.frames.bytes)
    waitForSilence()
    lookWhetherSilent()
    if try socket.send(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(door.frames.bytes)[..<count])) {
      return unsent.count
    }
    owed = unsent.count
    return 0
  }

  override func socketWrote() {
    waitForSilence()
    let told = owed ?? 0
    owed = nil
    connection?.wrote(told)
    lookWhetherSilent()
  }

  /// A stream that has lost all its topics ends, when it has been told so: nothing would ever come on it.
  private func lookWhetherSilent() { if frames.hasRefused { door.later { [self] in endIfSilent() } } }

  private func endIfSilent() {
    guard !isClosing, owed == nil, let connection else { return }
    let router = door.server.router
    if router.pointee.unsentCount(of: connection.id) == 0, !router.pointee.listens(connection.id) { leave() }
  }

  /// A comment shows everybody on the way that the stream is not dead. A peer that takes nothing misses events, as any
  /// listener.
  override func clockRings(at now: Instant) {
    if isStreaming, socket.writer.isEmpty { socket.send(EventStream.comment) }
    waitForSilence()
  }

  private static let comment = Array(":\n\n".utf8)

  private func waitForSilence() { door.set(socket, after: HTTPLimits.comment) }

  override func over(_ answer: HTTPAnswer?) {
    if isStreaming { socket.streamEnded(self) } else { super.over(answer) }
  }
}
