/// Offers that have lapsed wait for the late answer of their handler, at the cost of its account (`Router+HeldOffers`).
extension Router {
  /// Tells a handler that the time of its offer is over, or `why` else it is. The offer stays in its row until it is
  /// answered.
  mutating func tellLapsed(_ offer: Slot<Offer>, why: StaticString? = nil, at now: Instant) {
    let connection = offers[offer].connection
    connections[connection].handling.lapsed += 1
    // A message that two links hold at once may end while the connection of both does: nothing follows its last line.
    guard connections[connection].phase != .severed else { return }
    let replica = offers[offer].maker
    var writer = beginLine(to: connection, atMost: 96 + replicas[replica].label.count)
    writer.literal("{\"op\":\"lapsed\",\"id\":")
    writer.integer(offers[offer].id)
    writer.literal(",")
    writer.raw(replicas[replica].label.bytes)
    if let why {
      writer.literal(",\"why\":\"")
      writer.literal(why)
      writer.literal("\"")
    }
    writer.literal("}\n")
    commitLine(writer, to: connection, at: now)
    if connections[connection].handling.lapsed > settings.maxLapsedOffers {
      armConnection(connection, at: now.advanced(milliseconds: 1))
    }
  }

  /// An offer lapses. Returns whether it is kept for the handler's late answer; it counts from now on. It is not kept if the
  /// handler has answered it already, without `id`, or if there is no room. The caller calls `endLapsing`.
  mutating func beginLapsing(_ offer: Slot<Offer>) -> Bool {
    let account = connections[offers[offer].connection].account
    guard !offers[offer].isAnswered, mayHoldOffer(account) else { return false }
    countHeldOffers(1, in: account)
    return true
  }

  /// An offer has lapsed, and was told to be. If it was let go for want of room, no verdict without `id` counts from then
  /// on.
  mutating func endLapsing(_ offer: Slot<Offer>, isKept: Bool) {
    guard !isKept else { return }
    let connection = offers[offer].connection
    if !offers[offer].isAnswered { connections[connection].handling.hasLetGo = true }
    connections[connection].handling.lapsed -= 1
    forgetOffer(offer, of: connection)
  }

  /// The connection holds no offer any more.
  mutating func endAllLapses(of connection: Slot<Connection>) { connections[connection].handling.lapsed = 0 }

  /// The handler has answered a lapsed offer, too late.
  mutating func forgetLapsed(_ offer: Slot<Offer>) {
    let connection = offers[offer].connection
    connections[connection].handling.lapsed -= 1
    countHeldOffers(-1, in: connections[connection].account)
    forgetOffer(offer, of: connection)
  }
}
