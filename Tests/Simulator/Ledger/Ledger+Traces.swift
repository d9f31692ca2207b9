import BatonCore

/// Traces: they must tell what the peers saw of the walk, offer by offer, and name every link that it passed.
extension Ledger {
  /// An offer has come to its end.
  func note(_ outcome: String, of offer: Offer, rewrote: Bool = false) {
    let service = now.microseconds - offer.made.microseconds
    links[offer.link].counts[outcome, default: 0] += 1
    walks[offer.walk].past.append(
      Walk.Past(
        link: offer.link, name: offer.name, outcome: outcome, rewrote: rewrote, service: Int(service), wasLate: isLate))
  }

  /// The trace of a result, or of `$baton.trace`, in which links that do not accept the topic are left out.
  func checkTrace(_ record: Value, of walk: Int, namesAll: Bool, in line: ServerLine) {
    coverage.insert(.traced)
    guard case .array(let entries)? = record["trace"] else { return fail(.seenRight, "no trace: \(line.description)") }
    if record["truncated"] != nil { return checkRoomIsShort(line) }
    let offers = entries.filter { $0["service_us"] != nil }
    if offers.count != record["hops"]?.integer {
      fail(.seenRight, "\(offers.count) of \(record["hops"]?.integer ?? -1) offers: \(line.description)")
    }
    checkOffers(offers, of: walk, line)
    checkTimes(entries, of: walk, line)
    checkPlaces(entries, record["status"]?.text, of: walk, namesAll: namesAll, line)
  }

  private func checkRoomIsShort(_ line: ServerLine) {
    if settings.maxTotalBytes >= 1 << 20 { fail(.seenRight, "there is room for all of it: \(line.description)") }
  }

  /// The offers are those that were seen, with what came of them.
  private func checkOffers(_ offers: [Value], of walk: Int, _ line: ServerLine) {
    if walks[walk].mayHaveMoreHops { return }
    guard offers.count == walks[walk].past.count else {
      return fail(.seenRight, "\(walks[walk].past.count) offers have ended: \(line.description)")
    }
    for (told, seen) in zip(offers, walks[walk].past) {
      let isRight =
        isName(told["handler"]?.text, of: seen) && isOutcome(told["outcome"]?.text, of: seen)
        && (told["rewrote"]?.isTrue ?? false) == seen.rewrote && told["service_us"]?.integer == seen.service
        && told["chain"]?.text == Vocabulary.chains[links[seen.link].chain]
      if !isRight { fail(.seenRight, "not \(seen): \(line.description)") }
    }
  }

  /// Who takes his own link again, by whatever name, holds its offers under the new one.
  private func isName(_ name: String?, of offer: Walk.Past) -> Bool {
    name == offer.name || name == links[offer.link].name || links[offer.link].formerNames.contains { $0 == name }
  }

  /// An offer that ran out just before its connection closed, in the same call, was told to nobody.
  private func isOutcome(_ outcome: String?, of offer: Walk.Past) -> Bool {
    outcome == offer.outcome || offer.wasLate && offer.outcome == "disconnect" && outcome == "timeout"
  }

  /// Nothing takes longer than the whole.
  private func checkTimes(_ entries: [Value], of walk: Int, _ line: ServerLine) {
    let times = entries.flatMap { [$0["wait_us"]?.integer, $0["service_us"]?.integer] }.compactMap { $0 }
    let whole = Int(now.microseconds - walks[walk].sentAt.microseconds)
    if times.contains(where: { $0 < 0 }) || times.reduce(0, +) > whole {
      fail(.seenRight, "m\(walks[walk].message) took \(whole) µs in all: \(line.description)")
    }
  }

  /// Entries stand in the order of the links, and every link that was passed has one.
  private func checkPlaces(
    _ entries: [Value], _ status: String?, of walk: Int, namesAll: Bool, _ line: ServerLine
  ) {
    let known = walks[walk].links
    var last = -1
    var offers = 0
    var told = Set<Int>()
    for entry in entries {
      var place: Int?
      if entry["service_us"] != nil, !walks[walk].mayHaveMoreHops {
        let past = walks[walk].past
        place = past.indices.contains(offers) ? known.firstIndex(of: past[offers].link) : nil
        offers += 1
      } else {
        // A name may have been another link's before: the entry must be right for one of them.
        place = known.indices.first { place in
          place > last && isNamed(entry, known[place]) && isRight(entry, known[place], walk, namesAll: namesAll)
        }
      }
      guard let place, place > last else {
        return fail(.seenRight, "no link fared as \(entry), or out of order: \(line.description)")
      }
      last = place
      told.insert(place)
    }
    // Only a walk that is left unhandled has passed all its links.
    let end = status == "unhandled" || status == "published" ? known.count : last
    for place in 0..<max(0, end) where !told.contains(place) && isUntouched(known[place], since: walk) {
      if !namesAll, !accepts(known[place], walk) { continue }
      // Its entry may have been taken for that of a link which once had its name.
      if known.contains(where: { links[$0].formerNames.contains(links[known[place]].name) }) { continue }
      fail(.seenRight, "\(links[known[place]].name) is left out: \(line.description)")
    }
  }

  private func isNamed(_ entry: Value, _ link: Int) -> Bool {
    guard let name = entry["handler"]?.text, entry["chain"]?.text == Vocabulary.chains[links[link].chain] else {
      return false
    }
    return links[link].name == name || links[link].formerNames.contains(name)
  }

  private func isRight(_ entry: Value, _ link: Int, _ walk: Int, namesAll: Bool) -> Bool {
    switch (entry["skipped"]?.text, entry["outcome"]?.text) {
    case ("topic"?, nil): namesAll && !accepts(link, walk) || !isUntouched(link, since: walk)
    case ("removed"?, nil): !links[link].isThere
    case (nil, "overload"?): accepts(link, walk) || !isUntouched(link, since: walk)
    case (nil, "disconnect"?): entry["service_us"] != nil || !links[link].isThere
    case (nil, .some): entry["service_us"] != nil
    default: false
    }
  }

  /// Whether the link is as it was when the walk entered the chain.
  private func isUntouched(_ link: Int, since walk: Int) -> Bool {
    links[link].isThere && links[link].replacedTick <= walks[walk].enteredTick
  }
}

extension Walk {
  /// An offer that has ended, as its handler saw it.
  struct Past {
    let link: Int
    let name: String
    let outcome: String
    let rewrote: Bool
    /// Microseconds.
    let service: Int
    /// Something was due before the call in which it ended.
    let wasLate: Bool
  }
}
