/// Shadows decide nothing. Their verdicts are compared with what becomes of the message, and counted (contract, section
/// 8).
extension Model {
  /// A shadow has answered. Its message may still be under way.
  mutating func compare(_ verdict: Verdict, of offer: Offer) {
    let statuses: [String] =
      switch verdict.kind {
      case .handled: ["handled"]
      case .reject: ["rejected"]
      case .continue where verdict.payload == nil:
        keeps(.shadowAgreesWithPublished) ? ["unhandled", "published"] : ["unhandled"]
      case .continue, .failed, .working: []
      }
    if let status = walks[offer.walk].status {
      judge(offer.link, statuses, by: status)
      noteHeldOfferGone(offer.connection)
    } else {
      walks[offer.walk].opinions.append((offer.link, statuses, payer(of: offer.connection)))
    }
  }

  /// A walk has ended: the shadows that have answered by then are right or wrong.
  mutating func judgeShadows(of walk: Int, _ outcome: Outcome) {
    walks[walk].status = outcome.status
    for opinion in walks[walk].opinions { judge(opinion.link, opinion.statuses, by: outcome.status) }
    let payers = walks[walk].opinions.map(\.payer)
    walks[walk].opinions = []
    for payer in payers { noteRoom(of: payer) }
  }

  private mutating func judge(_ link: Int, _ statuses: [String], by status: String) {
    if status == "cancelled", keeps(.cancelledIsNotCompared) { return }
    if statuses.contains(status) {
      seen.insert(.agreed)
      links[link].agreed += 1
    } else {
      seen.insert(.disagreed)
      links[link].disagreed += 1
    }
  }

  /// A shadow has not answered: that counts as its cause.
  mutating func shadowHasMissed(_ offer: Offer, _ cause: Cause) {
    links[offer.link].count(cause.rawValue, isFailure: true)
    note(cause.rawValue, at: offer.link)
    noteHeldOfferGone(offer.connection)
  }
}
