/// The answers to offers (contract, section 5).
extension Router {
  mutating func verdict(_ op: Op, from connection: UInt32, at now: Instant) throws(Fault) {
    let offer = try findOffer(op, of: connection)
    guard !offers[offer].isLapsed else {
      let id = offers[offer].id
      // `working` is no answer: the offer keeps its place in the row.
      if op != .working { answered(offer, of: connection, isLate: true) }
      throw Fault(.lateVerdict, "the offer \(id) had run out before this came; it changes nothing", offer: id)
    }
    let walk = offers[offer].walk.index
    if op == .working { return begin(offer, anew: walk, at: now) }
    if op == .handled { try checkCargo(reader.raw(.payload).count, beside: 0) }
    if op == .continue {
      try checkCargo(reader.raw(.payload).count, beside: walks[walk].message.meta.count)
      try checkRoom(toRewrite: walk)
    }

    let replica = offers[offer].replica
    let link = links.ref(walks[walk].link)
    links[link.index].times.record(microseconds: now.microseconds - offers[offer].made.microseconds)
    settleOffer(of: walk)
    answered(offer, of: connection, isLate: false)
    switch op {
    case .handled:
      links[link.index].counts.handled += 1
      leave(walk)
      end(walk, .handled(payload: reader.raw(.payload)), by: replicas[replica].name, at: now)
    case .reject:
      links[link.index].counts.reject += 1
      leave(walk)
      end(walk, .rejected, by: replicas[replica].name, at: now)
    case .failed:
      links[link.index].counts.failed += 1
      walkOn(walk, at: now)
    default:
      links[link.index].counts.continued += 1
      if reader.has(.payload) { rewrite(walk, with: reader.raw(.payload), at: now) }
      walkOn(walk, at: now)
    }
    releaseIfUnused(replica)
    if links.contains(link) { offerWaiting(at: link.index, at: now) }
  }

  /// A message that grows on its way counts as if it had come in so. The offer stays open: the handler can try again.
  private mutating func checkRoom(toRewrite walk: UInt32) throws(Fault) {
    let growth = reader.raw(.payload).count - walks[walk].rewritten.count
    guard growth > 0, openBytes + growth > settings.maxTotalBytes else { return }
    throw Fault(
      .busy,
      "the messages under way take \(openBytes) bytes, and \(settings.maxTotalBytes) are allowed; try again later")
  }

  /// The offer that the verdict names or, without `id`, the oldest that its connection has not answered.
  private mutating func findOffer(_ op: Op, of connection: UInt32) throws(Fault) -> UInt32 {
    guard reader.has(.id) else {
      let first = connections[connection].offers.first
      if first != Walk.nobody { return first }
      throw Fault(.unknownOffer, "\(op.spelling) names no offer, and none is unanswered here")
    }
    let id = reader.integer(.id) ?? 0
    if let offer = connections[connection].offers.find(id, in: offers) { return offer }
    if id >= 1, id <= connections[connection].offers.lastID {
      throw Fault(.lateVerdict, "the offer \(id) is settled already; this changes nothing")
    }
    throw Fault(
      .unknownOffer,
      "no offer \(id) was ever made to this connection; its latest is \(connections[connection].offers.lastID)")
  }

  /// Takes an offer that the handler has answered off its row.
  private mutating func answered(_ offer: UInt32, of connection: UInt32, isLate: Bool) {
    connections[connection].offers.remove(offer, in: &offers)
    if isLate { connections[connection].lapsed -= 1 }
    offers.remove(offer)
  }

  /// `working`: the offer's clock starts anew, never past the message's deadline.
  private mutating func begin(_ offer: UInt32, anew walk: UInt32, at now: Instant) {
    let due = now.advanced(milliseconds: offers[offer].timeoutMilliseconds)
    walks[walk].due = min(due, walks[walk].deadline)
    arm(walk)
  }
}
