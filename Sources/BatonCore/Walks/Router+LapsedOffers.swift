/// Offers that have lapsed wait for the late answer of their handler, at the cost of its account (`Router+HeldOffers`).
extension Router {
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
