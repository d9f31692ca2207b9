/// Shadows decide nothing. Their verdicts are compared with what becomes of the message, and counted (contract, section
/// 8).
extension Model {
  /// A shadow has answered. Its message may still be under way.
  mutating func compare(_ verdict: Verdict, of offer: Offer) {
    if let outcome = walks[offer.walk].outcome {
      judge(offer.link, verdict, on: offer.walk, by: outcome)
      noteHeldOfferGone(offer.connection)
    } else {
      walks[offer.walk].opinions.append((offer.link, verdict, payer(of: offer.connection)))
    }
  }

  /// The statuses of a message with which a verdict agrees.
  private func statuses(_ verdict: Verdict) -> [String] {
    switch verdict.kind {
    case .handled: ["handled"]
    case .reject: ["rejected"]
    case .continue where verdict.payload == nil:
      keeps(.shadowAgreesWithPublished) ? ["unhandled", "published"] : ["unhandled"]
    case .continue, .failed, .working: []
    }
  }

  /// A walk has ended: the shadows that have answered by then are right or wrong.
  mutating func judgeShadows(of walk: Int, _ outcome: Outcome) {
    walks[walk].outcome = outcome
    // The last of the chain comes first. A link to which the message came twice is there twice.
    let copied = walks[walk].copied
    for (place, link) in copied.enumerated().reversed() where copied.lastIndex(of: link) == place {
      for opinion in walks[walk].opinions where opinion.link == link {
        judge(link, opinion.verdict, on: walk, by: outcome)
      }
    }
    let payers = walks[walk].opinions.map(\.payer)
    walks[walk].opinions = []
    for payer in payers { noteRoom(of: payer) }
  }

  private mutating func judge(_ link: Int, _ verdict: Verdict, on walk: Int, by outcome: Outcome) {
    if outcome.status == "cancelled", keeps(.cancelledIsNotCompared) { return }
    if statuses(verdict).contains(outcome.status) {
      seen.insert(.agreed)
      links[link].agreed += 1
    } else {
      seen.insert(.disagreed)
      links[link].disagreed += 1
      if links[link].state == .there { keepDisagreement(link, verdict, on: walk, outcome) }
    }
  }

  /// Keeps the message for `walks`: with what was said of it, and without its steps.
  private mutating func keepDisagreement(_ link: Int, _ verdict: Verdict, on walk: Int, _ outcome: Outcome) {
    let message = walks[walk].message
    guard message.topic.utf8.count + 2 + (message.key.map { $0.utf8.count + 2 } ?? 0) <= 128 else { return }
    var said = Line()
    said.add("chain", links[link].chain)
    said.add("handler", links[link].name)
    said.add("verdict", verdict.kind.rawValue)
    said.add("rewrote", ifTrue: verdict.kind == .continue && verdict.payload != nil)
    said.add("message", json: cut(verdict.message.map { "\"\($0)\"" }))
    var line = beginStory(of: walk, outcome)
    line.add("shadow", json: said.whole)
    keep(
      KeptWalk(
        order: (kept.last?.order ?? 0) + 1, walk: walk, chain: walks[walk].chain, topic: message.topic,
        status: outcome.status, isPassedBy: false, isDisagreed: true, link: links[link].name,
        cause: verdict.kind.rawValue + (verdict.kind == .continue && verdict.payload != nil ? ", rewrote" : ""),
        by: outcome.by, key: message.key,
        ended: now, line: line,
        beginning: walks[walk].visits.chains.count > 1 ? beginStory(of: walk, outcome.status) : nil,
        seen: .toldDisagreement))
  }

  /// A shadow has not answered: that counts as its cause.
  mutating func shadowHasMissed(_ offer: Offer, _ cause: Cause) {
    links[offer.link].count(cause.rawValue, isFailure: true)
    note(cause.rawValue, at: offer.link)
    noteHeldOfferGone(offer.connection)
  }
}
