internal import BatonLasting

/// Tries of stored messages (contract, section 15): walks without a connection that has sent them. They have an account of
/// their own in each turn.
extension Router {
  /// Begins a try at the first link of its chain, as it stands now. Messages of its key are the keeper's to order.
  mutating func startTry(_ attempt: DurableTry, at now: Instant) {
    let content = OwnedBytes(padded: attempt.content.bytes)
    defer { extendLifetime(content) }
    let head = content.bytes.part(0, attempt.content.headEnd)
    let from = content.bytes.part(attempt.content.headEnd, attempt.content.fromEnd)
    let key = content.bytes.part(attempt.content.fromEnd, attempt.content.keyEnd)
    let payload = content.bytes.part(attempt.content.keyEnd, content.count)
    spent &+= Cost.step &+ Cost.copying(2 &* (payload.count &+ head.count))
    if holdsBackTry(attempt) { return }
    if let chain = attempt.chain.withUnsafeBytes({ findChain($0) }) {
      countMessage(at: now)
      let parts = DurableHead(head)
      let message = copyMessage(
        head.part(parts.topicText), payload: payload, meta: head.part(parts.meta),
        key: attempt.content.hasKey ? key : nil,
        from: DurableFrom.name(from))
      let walk = walks.insert(
        Walk(
          number: walkNumber, message: message, sender: .none, wantsResult: false,
          mode: parts.isAll ? .all : .first, began: now,
          deadline: now.advanced(milliseconds: Int(attempt.timeoutMilliseconds)),
          place: Walk.Place(chain: chain, entered: -1, list: .none, revision: -1)))
      walks[walk].within = UInt16(clamping: DurableFrom.within(from))
      walks[walk].attempt = desk.begin(
        Attempt(
          stored: attempt.stored, resent: attempt.resent, number: attempt.number, isAgain: attempt.isAgain,
          reloads: desk.reloads, account: holdAccountOfTry(from)))
      traceFromStart(walk, isAsked: DurableFrom.isTraced(from), at: now)
      countOpenBytes(walks[walk].bytes)
      countBytesOfTries(walks[walk].bytes)
      beginWalk(walk, at: now)
    } else {
      desk.ask(
        .tryEnded(
          attempt.stored, TryEnd(.unhandled, result: Router.emptyResult(attempt), counts: false, wasOffered: false)))
    }
  }

  /// While the record cannot be written, no message that must be recorded is offered: the try does not count.
  private mutating func holdsBackTry(_ attempt: DurableTry) -> Bool {
    guard refusals.contains(.recordFails), attempt.chain.withUnsafeBytes({ recorder.names($0) }) else { return false }
    desk.ask(
      .tryEnded(
        attempt.stored, TryEnd(.unhandled, result: Router.emptyResult(attempt), counts: false, wasOffered: false)))
    return true
  }

  /// The file has taken the chain away meanwhile.
  static func emptyResult(_ attempt: DurableTry) -> [UInt8] {
    var text = OwnedBytes()
    var writer = LineWriter(at: text.reserve(192 + LineWriter.slack), room: 192)
    writer.literal("{\"status\":\"unhandled\",\"hops\":0")
    writer.stored(attempt.stored)
    writer.count(",\"try\":", Int(attempt.number))
    writer.literal("}")
    text.extend(to: writer.cursor)
    return Array(text.bytes)
  }

  /// `from` is padded: it is copied with every offer.
  private mutating func copyMessage(
    _ topicText: UnsafeRawBufferPointer, payload: UnsafeRawBufferPointer, meta: UnsafeRawBufferPointer,
    key: UnsafeRawBufferPointer?, from: UnsafeRawBufferPointer
  ) -> Message {
    // Nearly all topics stand there as they are.
    let isPlain = topicText.count >= 2 && !topicText.contains(UInt8(ascii: "\\"))
    let topic = isPlain ? OwnedBytes() : OwnedBytes(OwnedBytes(copying: topicText).unquoted)
    let topicBytes = isPlain ? topicText.part(1, topicText.count - 1) : topic.bytes
    let quoted = key == nil ? OwnedBytes() : OwnedBytes(quoting: key ?? .empty)
    let message = Message(
      walk: walkNumber, spelled: &spelledWalk, id: .empty, topicText: topicText, topic: topicBytes, payload: payload,
      meta: meta, key: quoted.bytes, from: from, in: &messagePool)
    extendLifetime(topic)
    extendLifetime(quoted)
    return message
  }
}
