/// Tries of stored messages (contract, section 15): walks without a connection that has sent them. They have an account of
/// their own in each turn.
extension Router {
  /// Begins a try at the first link of its chain, as it stands now. Messages of its key are the keeper's to order.
  mutating func startTry(_ kept: KeptTry, at now: Instant) {
    spent &+= Cost.step &+ Cost.copying(2 &* (kept.payload.count &+ kept.head.count))
    let name = OwnedBytes(String(decoding: kept.chain, as: UTF8.self))
    if let chain = findChain(name.bytes) {
      countMessage(at: now)
      let head = KeptHead(kept.head)
      let walk = walks.insert(
        Walk(
          number: walkNumber, message: copyMessage(of: kept, head), sender: .none, wantsResult: false,
          mode: head.isAll ? .all : .first, began: now, deadline: now.advanced(milliseconds: kept.timeoutMilliseconds),
          place: Walk.Place(chain: chain, entered: -1, list: .none, revision: -1)))
      walks[walk].attempt = desk.attempts.insert(
        Attempt(stored: kept.stored, resent: kept.resent, number: kept.number, isAgain: kept.isAgain))
      beginTrace(of: walk, isAsked: KeptFrom.isTraced(kept.from), at: now)
      openBytes += walks[walk].bytes
      beginWalk(walk, at: now)
    } else {
      desk.ask(
        .tryEnded(
          KeptTryEnd(
            stored: kept.stored, status: .unhandled,
            result: Router.emptyResult(kept), counts: false, wasOffered: false, passed: [])))
    }
    extendLifetime(name)
  }

  /// The file has taken the chain away meanwhile.
  private static func emptyResult(_ kept: KeptTry) -> [UInt8] {
    let name = String(decoding: kept.stored, as: UTF8.self)
    return Array("{\"status\":\"unhandled\",\"hops\":0,\"stored\":\"\(name)\",\"try\":\(kept.number)}".utf8)
  }

  private mutating func copyMessage(of kept: KeptTry, _ head: KeptHead) -> Message {
    let topicText = OwnedBytes(copying: head.topicText)
    let topic = OwnedBytes(topicText.unquoted)
    let keyText = OwnedBytes(copying: kept.key ?? [])
    let key = kept.key == nil ? OwnedBytes() : OwnedBytes(quoting: keyText.bytes)
    // It is copied with every offer.
    let from = OwnedBytes(padded: String(decoding: KeptFrom.name(kept.from), as: UTF8.self))
    let payload = OwnedBytes(copying: kept.payload)
    let meta = OwnedBytes(copying: head.meta)
    let message = Message(
      walk: walkNumber, spelled: &spelledWalk, id: .empty, topicText: topicText.bytes, topic: topic.bytes,
      payload: payload.bytes, meta: meta.bytes, key: key.bytes, from: from.bytes, in: &messagePool)
    extendLifetime(topicText)
    extendLifetime(keyText)
    extendLifetime(topic)
    extendLifetime(key)
    extendLifetime(from)
    extendLifetime(payload)
    extendLifetime(meta)
    return message
  }
}
