import BatonCore

/// `inspect` and `explain`: what they say must be what the books know, and what then happens.
extension Ledger {
  /// What `explain` has said of a message that comes right behind it.
  struct Expectation {
    let sender: Int
    let line: ServerLine
    /// The first link that takes the message, where there is one, and what it would do.
    let link: Int?
    let would: String?
    /// The message's walk, once it has come.
    var walk: Int?
  }

  // MARK: Explain

  func applyExplain(_ topic: Topic, chain: Int, _ line: SentLine, from connection: Int) {
    guard let answer = takeAnswer(.explained, for: line, of: connection) else { return }
    coverage.insert(.explained)
    let told = answer.value(.links)?.elements ?? []
    let known = chains[chain]
    guard told.map({ $0["handler"]?.text }) == known.map({ links[$0].name }) else {
      return fail(.seenRight, "not \(known.map { links[$0].name }): \(answer.description)")
    }
    var first: (link: Int, would: String)?
    for (entry, link) in zip(told, known) {
      let accepts = links[link].accepts.contains { $0.matches(topic) }
      let (would, reason) = (entry["would"]?.text, entry["reason"]?.text)
      if accepts == (reason == "topic") || !isPossible(would, reason, at: link) {
        return fail(.seenRight, "\(links[link].name) would not: \(answer.description)")
      }
      if accepts, first == nil, would != "skip" { first = (link, would ?? "") }
    }
    expectation = Expectation(sender: connection, line: answer, link: first?.link, would: first?.would)
  }

  /// Whether the books allow what `explain` says of a link.
  private func isPossible(_ would: String?, _ reason: String?, at link: Int) -> Bool {
    let owner = links[link].owner
    // The owner's offers of before count as well where it has taken the link over again.
    let sure = openOffers(of: link, with: owner, since: links[link].ownedTick)
    switch (would, reason) {
    case ("offer"?, nil): return sure < links[link].window
    case ("skip"?, "topic"?): return true
    case ("skip"?, "overload"?): return settings.maxQueueMessages < 100 || settings.maxQueueBytes < 1 << 20
    case ("wait"?, "window"?):
      return openOffers(of: link, with: owner) >= links[link].window || openWalks.contains(where: isWaiting)
    case ("wait"?, "unsent"?): return accounts[owner].unsent > settings.offersUnsentBytes
    default: return false
    }
  }

  /// The message that was explained has come, in the same call; nothing may have come between.
  func expect(_ walk: Int, from sender: Int) {
    guard expectation?.sender == sender, expectation?.walk == nil else { return }
    expectation?.walk = walk
  }

  /// What happened must be what `explain` had said, where the message was the last thing that was heard.
  func checkExpectation() {
    guard let expected = expectation else { return }
    expectation = nil
    guard let walk = expected.walk, newlyLeaving.isEmpty else { return }
    let it = walks[walk]
    let seen = it.hops > 0 ? it.firstLink : nil
    let isRight =
      switch expected.would {
      case "offer"?: seen == expected.link
      // How long a message would be, and whether a queue has room for it, `explain` is not told.
      case "wait"?: it.hops == 0 && !it.isOver || settings.maxQueueBytes < 1 << 20
      default: it.hops == 0 && it.isOver
      }
    coverage.insert(.cameTrue)
    if !isRight {
      let name = expected.link.map { links[$0].name } ?? "nobody"
      fail(.seenRight, "m\(it.message) did not go to \(name) so: \(expected.line.description)")
    }
  }

  // MARK: Inspect

  /// What `inspect` counts, where it was the only line of its call.
  func checkCounts(_ line: ServerLine) {
    guard isAlone, !isLate else { return }
    if let server = line.value(.server) { checkServer(server, line) }
    for chain in line.value(.chains)?.elements ?? [] {
      for entry in chain["links"]?.elements ?? [] {
        guard let index = chain["chain"]?.text.flatMap({ Vocabulary.chains.firstIndex(of: $0) }),
          let link = entry["handler"]?.text.flatMap({ link(named: $0, in: index) })
        else { return fail(.seenRight, "no such link: \(line.description)") }
        checkCounts(entry, of: link, line)
      }
    }
  }

  private func checkCounts(_ entry: Value, of link: Int, _ line: ServerLine) {
    let owner = links[link].owner
    let open = openOffers(of: link, with: owner, since: links[link].ownedTick)...openOffers(of: link, with: owner)
    let waiting = openWalks.count { isWaiting($0) && walks[$0].links[walks[$0].place] == link }
    let isSure = !openWalks.contains { walks[$0].isUnsure || isStale($0) }
    let isRight =
      entry["connections"]?.integer == 1 && (entry["open"]?.integer).map(open.contains) == true
      && entry["window"]?.integer == links[link].window && (!isSure || entry["waiting"]?.integer == waiting)
    if !isRight { fail(.seenRight, "\(links[link].name): \(open) open, \(waiting) waiting: \(line.description)") }
    guard links[link].replacedTick == 0 else { return }
    for outcome in ["handled", "continue", "reject", "failed", "timeout"] {
      let count = links[link].counts[outcome] ?? 0
      if entry[outcome]?.integer == count { continue }
      fail(.seenRight, "\(links[link].name) has \(count) \(outcome): \(line.description)")
    }
  }

  private func checkServer(_ server: Value, _ line: ServerLine) {
    coverage.insert(.serverInspected)
    let there = accounts.indices.filter { accounts[$0].isOpen }
    let sure = openWalks.count { !mayHaveEnded($0) && walks[$0].end == nil }
    let unread = there.filter { !accounts[$0].isRead && !accounts[$0].isLeaving }
    // The reply itself may be what stops the reading.
    let paused = unread.count { !accounts[$0].isSpokenTo && !accounts[$0].isEnded }
    let linkCount = chains.reduce(0) { $0 + $1.count }
    let isRight =
      server["connections"]?.integer == there.count
      && server["subscriptions"]?.integer == there.reduce(0) { $0 + accounts[$1].patterns.count }
      && (server["links"]?.integer ?? -1) >= linkCount
      && (server["open"]?.integer).map { (sure...openWalks.count).contains($0) } == true
      && (server["draining"] != nil) == (drainEnd != nil)
      && (server["paused"]?.elements.count).map { (paused...unread.count).contains($0) } == true
    if !isRight {
      fail(
        .seenRight,
        "\(there.count) connections, \(linkCount) links, \(sure) to \(openWalks.count) open, \(unread) not read from: "
          + line.description)
    }
  }
}
