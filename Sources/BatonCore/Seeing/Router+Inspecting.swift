/// `inspect`: tells the state of chains and their links (contract, section 8).
extension Router {
  mutating func inspect(to connection: Slot<Connection>, at now: Instant) throws(Fault) {
    guard let first = try firstLinkInSight(of: connection) else {
      readAgain()
      return
    }
    guard request.wantsReply else { return }
    let isSurvey = request.flag(.connections) == true || request.flag(.messages) == true
    guard !isSurvey || looksAtAll(for: connection) else { return }
    let survey = connections[connection].survey
    endSurvey(of: connection)
    let server = request.flag(.server) == true ? describeServer(at: now) : OwnedBytes()
    let peers = describePeers(survey, for: connection, at: now)
    let alone = describeStoredAlone(for: connection)
    var page = beginPage("chains", lists: server.count + peers.count + alone.count)
    page.literal(",\"chains\":[")
    var writerOfAlone = page.begin(atMost: alone.count + 1)
    alone.withUnsafeBytes { writerOfAlone.raw($0) }
    if !alone.isEmpty, first != .nobody { writerOfAlone.literal(",") }
    page.commit(writerOfAlone)
    writeChains(from: first, to: &page, for: connection, at: now)
    var writer = page.begin(atMost: server.count + peers.count)
    writer.raw(server.bytes)
    writer.raw(peers.bytes)
    page.commit(writer)
    extendLifetime(server)
    extendLifetime(peers)
    sendPage(page, to: connection, at: now)
  }

  /// The first link of the page, or `nobody`.
  private mutating func firstLinkOfLine() throws(Fault) -> Slot<Link> {
    let isAlone = request.has(.chain)
    guard request.has(.after) else {
      let first = isAlone ? findChain(request.text(.chain)) ?? .nobody : firstChain(from: .empty)
      return first == .nobody ? .nobody : firstLink(of: first)
    }
    var start = PageStart(request.text(.after))
    guard case .place(let place) = start.next() else { return .nobody }
    if isAlone, !place.chain.equals(request.text(.chain)) { throw request.wrongPage }
    if let chain = findChain(place.chain) {
      let next = firstLink(of: chain, behind: findPlace(place, in: chain).order)
      if next != .nobody || isAlone { return next }
    }
    var chain = isAlone ? .nobody : firstChain(from: place.chain)
    if chain != .nobody, chains[chain].name.bytes.equals(place.chain) { chain = self.chain(behind: chain) }
    return chain == .nobody ? .nobody : firstLink(of: chain)
  }

  /// The first link of the page in a chain that the peer may see, or `nobody`. Nil if many chains are out of sight: the
  /// line is carried out again then, and goes on where it was.
  private mutating func firstLinkInSight(of connection: Slot<Connection>) throws(Fault) -> Slot<Link>? {
    var first = try firstLinkOfLine()
    if let reached = connections[connection].survey?.reachedChain {
      let chain = reached.withUnsafeBytes { firstChain(from: $0) }
      first = chain == .nobody ? .nobody : firstLink(of: chain)
    }
    guard first != .nobody, !request.has(.chain), !maySee(links[first].chain, connection) else { return first }
    let reached = chainInSight(from: links[first].chain, of: connection)
    if reached.isInSight { return firstLink(of: reached.chain) }
    if reached.chain == .nobody { return .nobody }
    survey(for: connection).reachedChain = Array(chains[reached.chain].name.bytes)
    return nil
  }

  /// A link of the page, and whether the peer may see it.
  private struct Upcoming {
    var link = Slot<Link>.nobody
    var isInSight = true
  }

  /// The link that is told after this one, or `nobody`. Chains out of sight are left out. If there are many of them, the
  /// next page goes on behind them.
  private mutating func linkToTell(after link: Slot<Link>, for connection: Slot<Connection>) -> Upcoming {
    let next = self.link(behind: link)
    if next != .nobody || request.has(.chain) { return Upcoming(link: next) }
    let chain = chain(behind: links[link].chain)
    if chain == .nobody { return Upcoming() }
    let reached = chainInSight(from: chain, of: connection)
    guard reached.chain != .nobody else { return Upcoming() }
    return Upcoming(link: firstLink(of: reached.chain), isInSight: reached.isInSight)
  }

  /// The first chain from this one on that the peer may see; or the next one to look at, if many are out of sight; or
  /// `nobody`, if none is left.
  private mutating func chainInSight(
    from first: Slot<Chain>, of connection: Slot<Connection>
  ) -> (chain: Slot<Chain>, isInSight: Bool) {
    var chain = first
    for _ in 0..<settings.pieces.size {
      if maySee(chain, connection) { return (chain, true) }
      let next = self.chain(behind: chain)
      if next == .nobody { return (.nobody, false) }
      chain = next
    }
    return (chain, false)
  }

  /// Writes links, chain by chain, the end of their list, and where the next page begins.
  private mutating func writeChains(
    from first: Slot<Link>, to page: inout Page, for connection: Slot<Connection>, at now: Instant
  ) {
    var (upcoming, last, position) = (Upcoming(link: first), Slot<Link>.nobody, 0)
    while upcoming.isInSight, case let next = upcoming.link, next != .nobody,
      page.hasRoom(for: 256 + boundOfLink(next), looking: looking(at: next))
    {
      let isNew = last == .nobody || links[last].chain != links[next].chain
      if isNew {
        if last != .nobody { page.literal("]},") }
        beginChain(links[next].chain, to: &page, at: now)
        position = livePosition(of: next)
      } else {
        page.literal(",")
        position += 1
      }
      writeLink(next, position: position, to: &page, at: now)
      page.countLink(looking: looking(at: next))
      last = next
      upcoming = linkToTell(after: last, for: connection)
    }
    page.literal(last == .nobody ? "]" : "]}]")
    guard upcoming.link != .nobody else { return }
    var writer = page.begin(atMost: PageStart.Place.bound + 64)
    writer.literal(",\"more\":true,\"after\":\"")
    writePlace(of: last, to: &writer)
    writer.literal("\"")
    page.commit(writer)
  }

  private mutating func beginChain(_ chain: Slot<Chain>, to page: inout Page, at now: Instant) {
    let stored = describeStored(in: chain)
    var writer = page.begin(atMost: 256 + stored.utf8.count)
    writer.literal("{\"chain\":")
    writer.text(chains[chain].name.bytes)
    writer.literal(",\"version\":")
    writer.integer(chains[chain].version)
    if chains[chain].keyed > 0 {
      writer.count(",\"keyed\":", chains[chain].keyed)
      writer.count(",\"keyed_oldest_ms\":", now.milliseconds(since: walks[chains[chain].firstKeyed].reached))
    }
    writer.raw(stored)
    writer.literal(",\"links\":[")
    page.commit(writer)
  }

  private mutating func boundOfLink(_ link: Slot<Link>) -> Int {
    1904 + (links[link].settings.when?.condition.spelling.count ?? 0)
      + links[link].settings.accepts.reduce(0) { $0 + LineWriter.bound(pattern: $1.count) + 1 }
      + (request.flag(.history) == true ? boundOfHistory(of: link) : 0)
  }

  private mutating func writeLink(_ link: Slot<Link>, position: Int, to page: inout Page, at now: Instant) {
    var writer = page.begin(atMost: boundOfLink(link))
    let isMount = links[link].mounted != .nobody
    writer.literal("{\"")
    writer.literal(isMount ? "mount\":" : "handler\":")
    writer.text(links[link].name.bytes)
    writer.literal(",\"rank\":")
    writer.number(links[link].rank)
    writer.count(",\"position\":", position)
    writer.literal(",\"accepts\":[")
    for (number, pattern) in links[link].settings.accepts.enumerated() {
      if number > 0 { writer.literal(",") }
      pattern.withUnsafeBytes { writer.text($0) }
    }
    writer.literal("]")
    if links[link].settings.percent < 100 { writer.count(",\"percent\":", links[link].settings.percent) }
    if let when = links[link].settings.when {
      writer.literal(",\"when\":")
      when.condition.spelling.withUnsafeBytes { writer.raw($0) }
      if !isMount { writer.count(",\"doubtful\":", links[link].counts.doubtful) }
    }
    if links[link].settings.isTogether { writer.literal(",\"together\":true") }
    if links[link].isDeclared { writer.literal(",\"declared\":true") }
    if isMount {
      writer.literal("}")
      return page.commit(writer)
    }
    writer.count(",\"connections\":", links[link].connections)
    writer.count(",\"open\":", openOffers(at: link))
    writer.count(",\"waiting\":", links[link].waiting)
    writer.count(",\"oldest_ms\":", firstWaitBegan(at: link).map { now.milliseconds(since: $0) } ?? 0)
    writer.count(",\"window\":", links[link].settings.window)
    writer.settings(links[link].settings)
    writer.literal(",\"state\":\"")
    writer.literal(state(of: link, now).spelling)
    writer.literal("\"")
    writeWhatIsWrong(with: link, to: &writer, at: now)
    writer.tallies(links[link].counts.tallies)
    if links[link].settings.isShadow {
      writer.count(",\"agreed\":", links[link].counts.agreed)
      writer.count(",\"disagreed\":", links[link].counts.disagreed)
    }
    if let median = links[link].times.quantile(0.5), let high = links[link].times.quantile(0.99) {
      writer.count(",\"p50_us\":", median)
      writer.count(",\"p99_us\":", high)
      writeLastMinute(of: link, to: &writer, at: now)
    }
    if let trouble = links[link].trouble {
      writer.literal(",\"last_failure\":{\"cause\":\"")
      writer.literal(trouble.cause.spelling)
      writer.literal("\"")
      writer.member(",\"message\":", trouble.message.bytes)
      writer.count(",\"walk\":", trouble.walk)
      writer.count(",\"ago_ms\":", now.milliseconds(since: trouble.at))
      writer.literal("}")
    }
    if request.flag(.history) == true { writeHistory(of: link, to: &writer, at: now) }
    writer.literal("}")
    page.commit(writer)
  }

  /// The number of offers that the connections of a link hold.
  mutating func openOffers(at link: Slot<Link>) -> Int {
    var open = 0
    var replica = links[link].firstReplica
    while replica != .nobody {
      open += replicas[replica].open
      replica = replicas[replica].nextAtLink
    }
    return open
  }
}

extension LineWriter {
  /// The settings that do not have their defaults.
  fileprivate mutating func settings(_ settings: LinkSettings) {
    if settings.isRequired { literal(",\"required\":true") }
    if settings.onFailure == .stop {
      literal(",\"on_failure\":\"stop\"")
    } else if settings.onFailure != .goOn {
      literal(",\"on_failure\":{")
      var isFirst = true
      for cause in Cause.allCases where settings.onFailure[cause] {
        literal(isFirst ? "\"" : ",\"")
        isFirst = false
        literal(cause.spelling)
        literal("\":\"stop\"")
      }
      literal("}")
    }
    if settings.holdMilliseconds > 0 { count(",\"hold_ms\":", settings.holdMilliseconds) }
    if let timeout = settings.timeoutMilliseconds { count(",\"timeout_ms\":", timeout) }
    if settings.isShared { literal(",\"share\":true") }
    if settings.isShadow { literal(",\"shadow\":true") }
  }
}
