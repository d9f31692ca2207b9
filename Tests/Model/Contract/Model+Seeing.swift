/// `explain` and `inspect` (contract, section 8). They change nothing.
extension Model {
  // MARK: explain

  mutating func explain(
    _ topic: String, in name: String?, _ said: ExplainedMessage, _ page: PageWish, _ asked: Asked, from connection: Int
  ) {
    let chain = name ?? "main"
    let start = PageStart(keeps(.pagesContinue) ? page.after : nil)
    var tour = Tour(topic: topic, said: said)
    for place in start.places { tour.visits.enter(place.chain, isByFile: false) }
    if keeps(.pagesKnowEntered) {
      for other in start.others {
        tour.visits.enter(other.chain, isByFile: other.isByFile && keeps(.pagesKnowTheFilesWay))
      }
    }
    tour.isStopped = start.isStopped
    explain(chain, from: start.places[...], behind: [], Way(), &tour, for: connection)
    let told = tour.entries.prefix(page.limit ?? 1000)
    var line = Line("explained", to: asked)
    line.add("topic", topic)
    line.add("chain", chain)
    if let version = version(of: chain) { line.add("version", version) }
    line.add("links", json: "[\(told.map(\.text).joined(separator: ","))]")
    if told.count < tour.entries.count {
      let next = tour.entries[told.count]
      // The contract leaves open whether `after` names a chain that has no links.
      let isOpen = next.left.contains { $0 != "/stopped" && chains[String($0.prefix { $0 != "/" })] == nil }
      let after = (next.way + next.left).joined(separator: " ")
      line.add("more", ifTrue: true)
      line.add("after", json: isOpen ? Line.anyText : "\"\(after)\"")
      if asked.wantsReply {
        seen.insert(.explainedInPages)
        let wish = PageWish(limit: page.limit, after: after)
        nextPage =
          isOpen
          ? nil
          : .explain(topic: topic, chain: name, key: said.key, payload: said.payload, meta: said.meta, page: wish)
      }
    }
    reply(line, to: asked, of: connection)
  }

  /// The rest of an explanation. Each entry has the place of the page that would begin with it: the links that were told
  /// last on the way, and the chains that were entered and left.
  private struct Tour {
    let topic: String
    let said: ExplainedMessage
    var visits = Visits()
    var entries: [(text: String, way: [String], left: [String])] = []
    /// Whether a link that was told would end the walk.
    var isStopped = false
  }

  /// What is said of the message that is explained.
  struct ExplainedMessage {
    var key: String?
    var payload: String?
    var meta: String?
  }

  /// How a message comes to a chain that is told.
  private struct Way {
    /// Through declared mounts only.
    var isByFile = true
    /// For sure: each mount on the way is for the message.
    var isCertain = true
  }

  /// Tells what follows in a chain and in the chains mounted there. `places` says where a page begins, here and in those
  /// chains; `way` are the places of the mounts that led here.
  private mutating func explain(
    _ chain: String, from places: ArraySlice<PageStart.Place>, behind way: [String], _ here: Way,
    _ tour: inout Tour, for connection: Int
  ) {
    tour.visits.enter(chain, isByFile: here.isByFile)
    var passed: [String] = []
    if let place = places.first, let link = find(place), links[link].isMount {
      passed = [self.place(of: link)]
      let inner = links[link].name
      let inside = inside(link, here, tour)
      if let next = places.dropFirst().first {
        if next.chain == inner, mayExplain(inner, connection) {
          explain(
            inner, from: places.dropFirst(), behind: way + passed, inside, &tour, for: connection)
        } else if next.chain == inner {
          // The page is of somebody who sees that chain.
          tour.visits.enter(inner, isByFile: inside.isByFile)
        }
      } else if !tour.isStopped, mayExplain(inner, connection), enters(inner, isByFile: inside.isByFile, tour.visits),
        Subject.matches(tour.topic, anyOf: links[link].settings.accepts), part(of: link, tour) != 0,
        answer(of: link, tour) != .no
      {
        explain(inner, from: [], behind: way + passed, inside, &tour, for: connection)
      }
    } else if let place = places.first, let link = find(place) {
      passed = [self.place(of: link)]
    }
    for link in follow(places.first, in: chain) {
      let inside = inside(link, here, tour)
      let answer = prospect(of: link, on: tour, isByFile: inside.isByFile, for: connection)
      let places = way + passed
      let outer = places.compactMap { $0.split(separator: "/").first.map(String.init) } + [chain]
      let isHidden = links[link].isMount && !mayExplain(links[link].name, connection)
      tour.entries.append(
        (
          explained(link, answer, isHidden: isHidden), places,
          tour.visits.chains.filter { !outer.contains($0) }.map { tour.visits.isByFile($0) ? "\($0)/file" : $0 }
            + (tour.isStopped ? ["/stopped"] : [])
        ))
      if let cause = answer.cause, links[link].settings.onFailure.stops(cause),
        inside.isCertain || !keeps(.likelyStopIsNoStop)
      {
        tour.isStopped = true
      }
      passed = [place(of: link)]
      if links[link].isMount, answer.would == "offer" {
        guard !isHidden else {
          tour.visits.enter(links[link].name, isByFile: inside.isByFile)
          continue
        }
        explain(links[link].name, from: [], behind: way + passed, inside, &tour, for: connection)
      }
    }
  }

  private func inside(_ link: Int, _ here: Way, _ tour: Tour) -> Way {
    let isCertain = here.isCertain && part(of: link, tour) == 100 && answer(of: link, tour) != nil
    return Way(isByFile: isByFile(links[link].isDeclared, here.isByFile), isCertain: isCertain)
  }

  /// How many of a hundred such messages the link is for; with a key all or none.
  private func part(of link: Int, _ tour: Tour) -> Int {
    let settings = links[link].settings
    guard let key = tour.said.key, keeps(.explainKnowsTheKey) else { return settings.percent }
    return isPassed(settings, Self.bucket(of: key)) ? 0 : 100
  }

  /// What the link's condition says of the message; nil if nobody knows the message.
  private func answer(of link: Int, _ tour: Tour) -> SaidAnswer? {
    guard let when = links[link].settings.when else { return .fits }
    let said = tour.said
    guard said.key != nil || said.payload != nil || said.meta != nil, keeps(.explainKnowsTheMessage) else { return nil }
    return when.answer(Self.parts(tour.topic, said.payload, said.meta, said.key))
  }

  private func mayExplain(_ chain: String, _ connection: Int) -> Bool {
    maySee(chain, connection) || !keeps(.explainHidesMounts)
  }

  private mutating func explained(_ link: Int, _ answer: Prospect, isHidden: Bool) -> String {
    seen.insert(answer.seen)
    if isHidden { seen.insert(.explainedHidden) }
    var line = Line()
    line.add("chain", links[link].chain)
    line.add(links[link].isMount ? "mount" : "handler", links[link].name)
    line.add("would", answer.would)
    line.add("reason", answer.reason)
    if let cause = answer.cause, links[link].settings.onFailure.stops(cause), keeps(.explainTellsStop) {
      seen.insert(.explainedStop)
      line.add("on_failure", "stop")
    }
    if let part = answer.part {
      seen.insert(.explainedPart)
      line.add("percent", part)
    }
    if let when = answer.when {
      seen.insert(.explainedDoubt)
      line.add("when", when)
    }
    line.add("together", ifTrue: links[link].settings.together && keeps(.mountsTellTheirKind))
    line.add("hidden", ifTrue: isHidden)
    return line.whole
  }

  /// What would become of a message at a link, and why; and the cause by which the link would fail it, if any.
  private struct Prospect {
    let would: String
    var reason: String?
    var cause: Cause?
    let seen: Seen
    /// How many of a hundred messages it would happen to, if nobody knows more.
    var part: Int?
    /// Whether it would be asked in doubt, or nobody knows it.
    var when: String?
  }

  private func prospect(of link: Int, on tour: Tour, isByFile: Bool, for connection: Int) -> Prospect {
    if !Subject.matches(tour.topic, anyOf: links[link].settings.accepts) {
      return Prospect(would: "skip", reason: "topic", seen: .explainedTopic)
    }
    let part = part(of: link, tour)
    if part == 0 { return Prospect(would: "skip", reason: "percent", seen: .explainedPassed) }
    let answer = answer(of: link, tour)
    if answer == .no { return Prospect(would: "skip", reason: "when", seen: .explainedCondition) }
    var prospect = prospect(ofWanted: link, on: tour, isByFile: isByFile, for: connection)
    if part < 100, keeps(.partIsTold) { prospect.part = part }
    if prospect.reason != "unreached" {
      prospect.when = answer == nil ? "depends" : answer == .unknown ? "unknown" : nil
    }
    return prospect
  }

  private func prospect(ofWanted link: Int, on tour: Tour, isByFile: Bool, for connection: Int) -> Prospect {
    let visits = tour.visits
    if tour.isStopped, keeps(.explainEndsAtStop) {
      return Prospect(would: "skip", reason: "unreached", seen: .explainedUnreached)
    }
    if links[link].isMount {
      let inner = links[link].name
      if enters(inner, isByFile: isByFile, visits) || !keeps(.explainEntersOnce) && visits.chains.count <= 8 {
        return Prospect(would: "offer", seen: visits.contains(inner) ? .explainedAgain : .explainedMount)
      }
      return Prospect(would: "skip", reason: "visited", seen: .explainedVisited)
    }
    switch state(of: link, for: connection) {
    case "serving": return Prospect(would: "offer", seen: .explainedOffer)
    case "shadow": return Prospect(would: "offer", reason: "shadow", seen: .explainedShadow)
    case "empty": return Prospect(would: "skip", reason: "empty", seen: .explainedEmpty)
    case "absent": return Prospect(would: "skip", reason: "absent", cause: .disconnect, seen: .explainedAbsent)
    case "breaker": return Prospect(would: "skip", reason: "breaker", cause: .breaker, seen: .explainedBreaker)
    case "overload": return Prospect(would: "skip", reason: "overload", cause: .overload, seen: .explainedOverload)
    case "held": return Prospect(would: "wait", reason: "held", seen: .explainedHeld)
    case "unsent": return Prospect(would: "wait", reason: "unsent", seen: .explainedUnsent)
    default: return Prospect(would: "wait", reason: "window", seen: .explainedWindow)
    }
  }

  /// What would happen there to a message that the link accepts.
  private func state(of link: Int, for connection: Int? = nil) -> String {
    if links[link].settings.shadow { return "shadow" }
    if case .empty = links[link].vacancy {
      return links[link].isDeclared && !links[link].settings.required ? "empty" : "absent"
    }
    if isBroken(link) { return "breaker" }
    if isFull(link, for: 1, of: connection.flatMap { owner(of: $0) }, by: connection) { return "overload" }
    if isHeld(link) { return "held" }
    if links[link].queue.isEmpty, nextServer(of: link) != nil { return "serving" }
    let hasWindow = links[link].servers.contains {
      openOffers(of: link, $0.connection) < links[link].settings.window && mayOffer(to: $0)
    }
    return hasWindow && nextServer(of: link) == nil ? "unsent" : "window"
  }

  // MARK: inspect

  mutating func inspect(_ wish: InspectWish, _ asked: Asked, from connection: Int) {
    guard asked.wantsReply else { return }
    let (chain, page) = (wish.chain, wish.page)
    let start = PageStart(keeps(.pagesContinue) ? page.after : nil).places.first
    let names = (chain.map { [$0] } ?? chains.keys.sorted()).filter {
      $0 >= start?.chain ?? "" && (maySee($0, connection) || !keeps(.inspectTellsSeenChains))
    }
    let all = names.flatMap { name in follow(start.flatMap { $0.chain == name ? $0 : nil }, in: name) }
    let told = all.prefix(page.limit ?? 1000)
    if !told.isEmpty { seen.insert(.inspected) }
    let described = names.compactMap { name in
      describe(name, told.filter { links[$0].chain == name }, withHistory: wish.history)
    }
    var line = Line("chains", to: asked)
    line.add("chains", json: "[\(described.joined(separator: ","))]")
    if told.count < all.count, let last = told.last {
      line.add("more", ifTrue: true)
      line.add("after", place(of: last))
      seen.insert(.inspectedInPages)
      var next = wish
      next.page.after = place(of: last)
      nextPage = .inspect(next)
    }
    if wish.server { line.add("server", json: describeServer(withHistory: wish.history)) }
    if wish.messages { line.add("messages", json: describeMessages(in: chain, for: connection)) }
    if wish.connections {
      line.add("connections", json: describeConnections())
      line.add("closed", json: describeEnds())
    }
    if wish.changes { line.add("changes", json: describeChanges(for: connection)) }
    reply(line, to: asked, of: connection)
  }

  private mutating func describe(_ name: String, _ told: [Int], withHistory: Bool) -> String? {
    guard let chain = chains[name], !told.isEmpty else { return nil }
    var line = Line()
    line.add("chain", name)
    line.add("version", chain.version)
    // The first message of a line walks; the others wait.
    let keyed = lines.values.flatMap { $0.dropFirst() }.filter { walks[$0].chain == name }
    if let oldest = keyed.map({ walks[$0].sent }).min(), keeps(.inspectTellsKeyed) {
      seen.insert(.inspectedKeyed)
      line.add("keyed", keyed.count)
      line.add("keyed_oldest_ms", now - oldest)
    }
    let all = told.map {
      describe($0, at: (chain.links.firstIndex(of: $0) ?? -1) + 1, withHistory: withHistory)
    }
    line.add("links", json: "[\(all.joined(separator: ","))]")
    return line.whole
  }

  private mutating func describe(_ link: Int, at position: Int, withHistory: Bool) -> String {
    var line = Line()
    line.add(links[link].isMount ? "mount" : "handler", links[link].name)
    line.add(rank: links[link].rank)
    line.add("position", position)
    line.add("accepts", json: "[\(links[link].settings.accepts.map { "\"\($0)\"" }.joined(separator: ","))]")
    if links[link].settings.percent < 100 { line.add("percent", links[link].settings.percent) }
    if let when = links[link].settings.when {
      line.add("when", json: when.spelling)
      if !links[link].isMount { line.add("doubtful", links[link].doubtful) }
    }
    line.add("together", ifTrue: links[link].settings.together && keeps(.mountsTellTheirKind))
    line.add("declared", ifTrue: links[link].isDeclared)
    if !links[link].isMount { addServing(of: link, withHistory: withHistory, to: &line) }
    return line.whole
  }

  /// The settings that do not have their default.
  private func addSettings(of link: Int, to line: inout Line) {
    let settings = links[link].settings
    line.add("required", ifTrue: settings.required)
    let stops = Cause.allCases.filter(settings.onFailure.stops)
    if stops.count == Cause.allCases.count {
      line.add("on_failure", "stop")
    } else if !stops.isEmpty {
      line.add("on_failure", json: "{\(stops.map { "\"\($0.rawValue)\":\"stop\"" }.joined(separator: ","))}")
    }
    if settings.holdMilliseconds > 0 { line.add("hold_ms", settings.holdMilliseconds) }
    if let timeout = settings.timeoutMilliseconds { line.add("timeout_ms", timeout) }
    line.add("share", ifTrue: settings.share)
    line.add("shadow", ifTrue: settings.shadow)
  }

  private mutating func addServing(of link: Int, withHistory: Bool, to line: inout Line) {
    let open = links[link].servers.reduce(0) { $0 + openOffers(of: link, $1.connection) }
    // The contract leaves open whether a message that was lost here is the first.
    let there = links[link].queue.compactMap { walks[$0].stand }
    let oldest = there.map(\.reached).min().map { now - $0 } ?? 0
    line.add("connections", links[link].servers.count)
    line.add("open", open)
    line.add("waiting", links[link].queue.count)
    line.add("oldest_ms", json: there.contains(where: \.wasRepeated) ? Line.anyNumber : "\(oldest)")
    line.add("window", links[link].settings.window)
    addSettings(of: link, to: &line)
    line.add("state", keeps(.inspectTellsState) ? state(of: link) : "serving")
    let wrong = whatIsWrong(at: link)
    if !wrong.isEmpty, keeps(.inspectTellsFindings) {
      line.add("findings", json: "[\(wrong.map { "\"\($0)\"" }.joined(separator: ","))]")
    }
    for word in ["handled", "continue", "reject", "failed", "timeout", "disconnect", "overload", "breaker"] {
      line.add(word, links[link].tally[word] ?? 0)
    }
    if links[link].settings.shadow {
      line.add("agreed", links[link].agreed)
      line.add("disagreed", links[link].disagreed)
    }
    let verdicts = ["handled", "continue", "reject", "failed"].reduce(0) { $0 + (links[link].tally[$1] ?? 0) }
    if verdicts > 0 {
      line.add("p50_us", json: Line.anyNumber)
      line.add("p99_us", json: Line.anyNumber)
    }
    if wasAnsweredInLastMinute(link) {
      line.add("p50_us_1m", json: Line.anyNumber)
      line.add("p99_us_1m", json: Line.anyNumber)
    }
    line.add("last_failure", json: describeLastFailure(of: link))
    if withHistory { line.add("history", json: describe(links[link].history)) }
  }
}
