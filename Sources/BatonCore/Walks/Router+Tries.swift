/// Tries of stored messages (contract, section 15): walks without a connection that has sent them. They have an account of
/// their own in each turn.
extension Router {
  /// Begins a try at the first link of its chain, as it stands now. Messages of its key are the keeper's to order.
  mutating func startTry(_ kept: KeptTry, at now: Instant) {
    let content = OwnedBytes(padded: kept.content.bytes)
    defer { extendLifetime(content) }
    let head = content.bytes.part(0, kept.content.headEnd)
    let from = content.bytes.part(kept.content.headEnd, kept.content.fromEnd)
    let key = content.bytes.part(kept.content.fromEnd, kept.content.keyEnd)
    let payload = content.bytes.part(kept.content.keyEnd, content.count)
    spent &+= Cost.step &+ Cost.copying(2 &* (payload.count &+ head.count))
    if let chain = kept.chain.withUnsafeBytes({ findChain($0) }) {
      countMessage(at: now)
      let parts = KeptHead(head)
      let message = copyMessage(
        head.part(parts.topicText), payload: payload, meta: head.part(parts.meta), key: kept.content.hasKey ? key : nil,
        from: KeptFrom.name(from))
      let walk = walks.insert(
        Walk(
          number: walkNumber, message: message, sender: .none, wantsResult: false,
          mode: parts.isAll ? .all : .first, began: now, deadline: now.advanced(milliseconds: kept.timeoutMilliseconds),
          place: Walk.Place(chain: chain, entered: -1, list: .none, revision: -1)))
      walks[walk].attempt = desk.begin(
        Attempt(
          stored: kept.stored, resent: kept.resent, number: kept.number, isAgain: kept.isAgain,
          reloads: desk.reloads, account: holdAccountOfTry(from)))
      beginTrace(of: walk, isAsked: KeptFrom.isTraced(from), at: now)
      countOpenBytes(walks[walk].bytes)
      countBytesOfTries(walks[walk].bytes)
      beginWalk(walk, at: now)
    } else {
      desk.ask(
        .tryEnded(
          KeptTryEnd(
            stored: kept.stored, status: .unhandled,
            result: Router.emptyResult(kept), counts: false, wasOffered: false, passed: [])))
    }
  }

  /// The file has taken the chain away meanwhile.
  private static func emptyResult(_ kept: KeptTry) -> [UInt8] {
    var text = OwnedBytes()
    var writer = LineWriter(at: text.reserve(192 + LineWriter.slack), room: 192)
    writer.literal("{\"status\":\"unhandled\",\"hops\":0")
    writer.stored(kept.stored)
    writer.count(",\"try\":", Int(kept.number))
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
