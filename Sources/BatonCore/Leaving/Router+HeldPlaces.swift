/// Ends held places: the time for which they are kept is over (contract, section 5, `hold_ms`).
extension Router {
  /// The time for which a place was held is over.
  mutating func holdIsOver(for link: Ref<Link>, at now: Instant) {
    if links[link.slot].settings.isRequired || links[link.slot].isDeclared {
      endHolding(link.slot)
    } else {
      takeOut(link.slot, .lost, paidBy: links[link.slot].payer, at: now)
      announceRemoved(link.slot, by: nil, .disconnect, at: now)
    }
    failAllWaiting(at: link, at: now)
  }
}
