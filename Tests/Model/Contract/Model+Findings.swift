/// `findings`: what is wrong now (contract, section 8).
extension Model {
  mutating func tellFindings(_ asked: Asked, from connection: Int) {
    guard asked.wantsReply else { return }
    let seesServer = mayServer("see", connection) || !keeps(.findingsAreOfSeenChains)
    let all: [(found: [Finding], seen: Seen)] =
      [
        (findBreakers(), .foundBreaker), (findUnserved("absent"), .foundAbsent), (findUnserved("empty"), .foundEmpty),
        (findFailing(), .foundFailing), (findSlow(), .foundSlow), (findWaiting(), .foundWaiting),
      ] + (seesServer ? [(findPaused(), .foundPaused), (findMissed(), .foundMissed), (findLimits(), .foundLimit)] : [])
    let kinds = all.map { kind in
      let told = kind.found.filter { one in
        one.chain.map { maySee($0, connection) } ?? true || !keeps(.findingsHideChains)
      }
      return (found: told.map(\.text), seen: kind.seen)
    }
    let hidden = all.reduce(0) { $0 + $1.found.count } - kinds.reduce(0) { $0 + $1.found.count }
    if hidden > 0 { seen.insert(.findingHidden) }
    let most = 20
    for kind in kinds where !kind.found.isEmpty { seen.insert(kind.seen) }
    let told = kinds.filter { !$0.found.isEmpty }.map { Line.any(min(most, $0.found.count), of: $0.found) }
    var line = Line("findings", to: asked)
    line.add("findings", json: "[\(told.joined(separator: ","))]")
    line.add("more", ifTrue: kinds.contains { $0.found.count > most })
    if hidden > 0, seesServer { line.add("hidden", hidden) }
    reply(line, to: asked, of: connection)
  }

  /// What `inspect` says of a link: the kinds of what is wrong there.
  func whatIsWrong(at link: Int) -> [String] {
    let kinds = [
      ("breaker", findBreakers(at: [link])), ("absent", findUnserved("absent", at: [link])),
      ("empty", findUnserved("empty", at: [link])), ("failing", findFailing(at: [link])),
      ("slow", findSlow(at: [link])), ("waiting", findWaitingThere(at: [link])),
    ]
    return kinds.filter { !$0.1.isEmpty }.map(\.0)
  }

  private var places: [Int] { liveLinks.filter { !links[$0].isMount } }

  /// What is told of something that is wrong, and the chain that it is about.
  private struct Finding {
    let text: String
    let chain: String?
  }

  private func finding(
    _ what: String, of chain: String? = nil, isWrong: Bool = false, since: Int? = nil, about: (inout Line) -> Void
  ) -> Finding {
    var line = Line()
    line.add("level", isWrong ? "wrong" : "warning")
    line.add("what", what)
    about(&line)
    if let since { line.add("since_ms", now - since) }
    line.add("why", json: Line.anyText)
    line.add("next", json: Line.anyText)
    return Finding(text: line.whole, chain: chain)
  }

  // MARK: Links

  private func about(_ link: Int) -> (inout Line) -> Void {
    let (chain, name) = (links[link].chain, links[link].name)
    return { line in
      line.add("chain", chain)
      line.add("handler", name)
    }
  }

  /// A link is told once, however many of its breakers are open.
  private func findBreakers(at some: [Int]? = nil) -> [Finding] {
    (some ?? places).compactMap { link in
      let open = links[link].servers.first { $0.breaker.since != nil }?.breaker
      guard let open, let opened = keeps(.breakerIsSinceItOpened) ? open.opened : open.since else { return nil }
      return finding("breaker", of: links[link].chain, isWrong: true, since: opened, about: about(link))
    }
  }

  private func findUnserved(_ what: String, at some: [Int]? = nil) -> [Finding] {
    (some ?? places).compactMap { link in
      guard case .empty = links[link].vacancy else { return nil }
      let stands = links[link].settings.required && !links[link].settings.shadow ? "absent" : "empty"
      guard stands == what else { return nil }
      let since = links[link].vacantSince + links[link].settings.holdMilliseconds
      return finding(what, of: links[link].chain, isWrong: true, since: since, about: about(link))
    }
  }

  private func findSlow(at some: [Int]? = nil) -> [Finding] {
    (some ?? places).filter(isSlow).map { finding("slow", of: links[$0].chain, about: about($0)) }
  }

  private func findFailing(at some: [Int]? = nil) -> [Finding] {
    (some ?? places).compactMap { link in
      let last = links[link].lastEnds
      guard last.count >= (keeps(.failingIsOfTwenty) ? 20 : 10) else { return nil }
      return last.count { $0 } * 10 > last.count ? finding("failing", of: links[link].chain, about: about(link)) : nil
    }
  }

  private var longAgo: Int { now - (keeps(.waitingIsOfTenSeconds) ? 10_000 : 5000) }

  private func findWaitingThere(at some: [Int]? = nil) -> [Finding] {
    (some ?? places).compactMap { link in
      guard !links[link].queue.isEmpty, links[link].waitedSince < longAgo else { return nil }
      return finding("waiting", of: links[link].chain, since: links[link].waitedSince, about: about(link))
    }
  }

  private func findWaiting() -> [Finding] {
    let there = findWaitingThere()
    // The first message of a line walks; the others wait.
    let keyed = Dictionary(grouping: lines.values.flatMap { $0.dropFirst() }) { walks[$0].chain }
    return there
      + keyed.compactMap { chain, all in
        guard let oldest = all.map({ walks[$0].sent }).min(), oldest < longAgo else { return nil }
        return finding("waiting", of: chain, since: oldest) { $0.add("chain", chain) }
      }
  }

  // MARK: Connections

  private func about(peer: Peer) -> (inout Line) -> Void {
    { line in
      line.add("connection", peer.number)
      line.add("name", peer.from)
    }
  }

  private func findPaused() -> [Finding] {
    peers.compactMap { peer in
      guard peer.phase == .open, let since = peer.stoppedAt, since < now - 1000 else { return nil }
      return finding("paused", since: since, about: about(peer: peer))
    }
  }

  /// The server remembers when a connection missed events in whole seconds.
  private func findMissed() -> [Finding] {
    peers.indices.compactMap { connection in
      guard hears(connection), let missed = peers[connection].lastMissed, now / 1000 - missed / 1000 <= 60 else {
        return nil
      }
      return finding("missed", about: about(peer: peers[connection]))
    }
  }

  // MARK: Limits

  /// Those that worlds reach.
  private func findLimits() -> [Finding] {
    let limits = [
      ("max_connections", peers.count(where: \.takesPlace), settings.maxConnections),
      ("max_links", liveLinks.count, settings.maxLinks),
      ("max_total_bytes", openBytes(), settings.maxTotalBytes),
      ("max_total_patterns", patternsOfAll(), settings.maxTotalPatterns),
      ("max_empty_places", liveLinks.count { links[$0].isVacant }, settings.maxEmptyPlaces),
    ]
    return limits.compactMap { name, used, limit in
      let isNear = keeps(.limitIsThreeQuarters) ? used * 4 > limit * 3 : used >= limit
      return isNear ? finding("limit") { $0.add("limit", name) } : nil
    }
  }
}
