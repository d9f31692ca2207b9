internal import HTTP

/// Answers requests.
extension HTTPSocket {
  /// Whether the peer wants to ask again, and may.
  private var keepsAlive: Bool { (head?.keepsAlive ?? false) && door.secondsToDrain == nil }

  /// Whether only the head of the answer is asked for.
  private var isHead: Bool {
    if case .head = head?.method { return true }
    return false
  }

  /// The request has its answer. The next one follows, or the socket ends.
  func answer(_ answer: HTTPAnswer) {
    let isKept = keepsAlive && !answer.closes
    send(answer.bytes(keepsAlive: isKept, isHead: isHead, date: door.dateText))
    if writer.isEmpty { endReport() }
    requestEnds(isKept: isKept)
  }

  /// The same, and what is left of the request is not read.
  func answer(closing answer: HTTPAnswer) {
    var answer = answer
    answer.closes = true
    self.answer(answer)
  }

  /// Refuses what is no request, or the whole socket.
  func refuse(_ refusal: HTTPRefusal) { answer(closing: refusal.answer(closes: true)) }

  /// The answer is on its way to the end.
  func requestEnds(isKept: Bool) {
    guard phase != .over else { return }
    exchange = nil
    head = nil
    plan = nil
    dropBody()
    if isKept { beIdle() } else { end() }
  }

  /// The connection of the request has an answer, or has ended without one.
  func exchangeEnded(_ ended: HTTPExchange, with answer: HTTPAnswer?) {
    guard exchange === ended else { return }
    self.answer(answer ?? HTTPRefusal.lost.answer(cors: ended.request.cors))
    updateReading()
  }

  /// Begins an answer whose end is the end of the socket: the head goes out.
  func beginStream(_ answer: HTTPAnswer) {
    var bytes: [UInt8] = []
    answer.appendHead(to: &bytes, bodyCount: nil, keepsAlive: false, date: door.dateText)
    send(bytes)
  }

  /// The stream is over: what is left is written, then the socket ends.
  func streamEnded(_ stream: HTTPExchange) { if exchange === stream { requestEnds(isKept: false) } }
}
