internal import HTTP

/// Answers requests.
extension HTTPSocket {
  /// Whether the peer wants to ask again, and may.
  var keepsAlive: Bool { (head?.keepsAlive ?? false) && door.secondsToDrain == nil }

  /// Whether only the head of the answer is asked for.
  var isHead: Bool {
    if case .head = head?.method { return true }
    return false
  }

  /// The request has its answer. The next one follows, or the socket ends. Who could not say who it is has nothing more
  /// to say.
  func answer(_ answer: HTTPAnswer) {
    let isKept = keepsAlive && !answer.closes && answer.status != 401
    send(answer.bytes(keepsAlive: isKept, for: idleTime, isHead: isHead, date: door.dateText))
    requestEnds(isKept: isKept)
  }

  /// The same, and what is left of the request is not read.
  func answer(closing answer: HTTPAnswer) {
    var answer = answer
    answer.closes = true
    self.answer(answer)
  }

  /// Refuses what is no request, or the whole socket.
  func refuse(_ refusal: HTTPRefusal) { answer(closing: refusal.answer(cors: cors, closes: true)) }

  /// The answer is on its way to the end.
  func requestEnds(isKept: Bool) {
    guard phase != .over else { return }
    let left = exchange
    exchange = nil
    left?.socketHasGone()
    head = nil
    cors = []
    plan = nil
    dropBody()
    endReport()
    if isKept { beIdle() } else { end() }
  }

  /// The connection of the request has an answer, or has ended without one.
  func exchangeEnded(_ ended: HTTPExchange, with answer: HTTPAnswer?) {
    guard exchange === ended else { return }
    var answer = answer ?? HTTPRefusal.lost.answer(cors: ended.request.cors)
    // Of a body that nobody wants, nothing is read.
    if phase != .answering { answer.closes = true }
    self.answer(answer)
    updateReading()
  }

  /// Begins an answer whose length is not known: the head goes out. If the socket is not kept, its end is that of the
  /// answer.
  func beginStream(_ answer: HTTPAnswer, isKept: Bool = false) {
    var bytes: [UInt8] = []
    answer.appendHead(to: &bytes, bodyCount: nil, keepsAlive: isKept, for: idleTime, date: door.dateText)
    send(bytes)
    guard exchange?.isStream == true else { return }
    dropKept()
    updateReading()
    // A peer that had ended before gets the head, and the stream ends there.
    if hasEnded { door.goOnLater(self) }
  }

  /// The stream is over: what is left is written. Then comes the next request, or the socket ends.
  func streamEnded(_ stream: HTTPExchange, isKept: Bool = false) {
    if exchange === stream { requestEnds(isKept: isKept) }
  }
}
