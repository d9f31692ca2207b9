/// The server's own broadcasts (contract, section 7).
struct Happening {
  let topic: String
  let payload: String
  let hearers: Hearers
  let trace: Model.TraceFacts?

  /// Who hears of it, of those who listen (section 11, "What one may not see").
  enum Hearers {
    case everybody
    case seers(of: String)
    case seersOfAll
  }
}

extension Model {
  /// The server broadcasts `$baton.…`. This comes after everything else that the same line, end or alarm brought about.
  mutating func tell(_ topic: String, _ payload: Line, to hearers: Happening.Hearers, _ trace: TraceFacts? = nil) {
    guard isServerHeard else { return }
    happened.append(Happening(topic: "$baton.\(topic)", payload: payload.whole, hearers: hearers, trace: trace))
  }

  mutating func tell(_ topic: String, _ payload: Line, about link: Int) {
    tell(topic, payload, to: .seers(of: links[link].chain))
  }

  /// Whether a subscriber may hear of it.
  mutating func mayHear(_ happening: Happening, _ subscriber: Int) -> Bool {
    let isSeen =
      switch happening.hearers {
      case .everybody: true
      case .seers(let chain): maySee(chain, subscriber)
      case .seersOfAll: maySeeAll(subscriber)
      }
    if !isSeen { seen.insert(.happeningHidden) }
    return (isSeen || !keeps(.serverTopicsHideChains)) && (happening.trace.map { wants($0, subscriber) } ?? true)
  }

  /// Whether any connection listens to the server's own topics.
  private var isServerHeard: Bool {
    peers.contains { $0.patterns.contains { $0.hasPrefix("$") } } || !keeps(.serverTopicsAreSpelled)
  }

  mutating func tellHappenings() {
    while !happened.isEmpty {
      let next = keeps(.happenedInOrder) ? happened.removeFirst() : happened.removeLast()
      if publish(next.topic, next.payload, nil, from: "$baton", as: next) > 0 { see(next.topic) }
    }
  }

  private mutating func see(_ topic: String) {
    switch topic.dropFirst("$baton.".count) {
    case "link.inserted": seen.insert(.toldInserted)
    case "link.removed": seen.insert(.toldRemoved)
    case "link.replaced": seen.insert(.toldReplaced)
    case "link.held": seen.insert(.toldHeld)
    case "link.breaker": seen.insert(.toldBreaker)
    case "link.failed": seen.insert(.toldFailed)
    case "message.unhandled": seen.insert(.toldUnhandled)
    case "message.timeout": seen.insert(.toldTimeout)
    case "trace": seen.insert(.toldTrace)
    case "access.denied": seen.insert(.toldDenied)
    case "reloaded": seen.insert(.toldReloaded)
    default: break
    }
  }

  // MARK: Links

  /// What all these broadcasts say of a link: its chain, its name, the version, and the connection that did it.
  func describe(_ link: Int, name: String? = nil, newName: String? = nil, by connection: Int?) -> Line {
    var line = Line()
    describe(link, name: name, newName: newName, by: connection, in: &line)
    return line
  }

  func describe(_ link: Int, name: String?, newName: String?, by connection: Int?, in line: inout Line) {
    line.add("chain", links[link].chain)
    line.add(links[link].isMount ? "mount" : "handler", name ?? links[link].name)
    line.add("as", newName)
    line.add("version", chains[links[link].chain]?.version ?? lastVersions[links[link].chain] ?? version)
    line.add("by", connection.map { peers[$0].from })
  }

  mutating func tellInserted(_ link: Int, by connection: Int) {
    noteChange("inserted", link, by: connection)
    var line = describe(link, by: connection)
    if !links[link].isMount { line.add("connections", links[link].servers.count) }
    tell("link.inserted", line, about: link)
  }

  /// A connection has stopped serving it, or no connection is left that serves it.
  mutating func tellRemoved(_ link: Int, by connection: Int?, isLost: Bool = false) {
    noteChange(isLost && keeps(.lostIsNoted) ? "lost" : "removed", link, by: connection)
    var line = describe(link, by: connection)
    if !links[link].isMount { line.add("connections", links[link].servers.count) }
    if isLost { line.add("cause", "disconnect") }
    tell("link.removed", line, about: link)
  }

  mutating func tellReplaced(_ link: Int, oldName: String, by connection: Int) {
    let newName = links[link].name == oldName ? nil : links[link].name
    noteChange("replaced", link, name: oldName, newName: newName, by: connection)
    tell("link.replaced", describe(link, name: oldName, newName: newName, by: connection), about: link)
  }

  mutating func tellHeld(_ link: Int, by connection: Int, isLost: Bool) {
    guard keeps(.heldIsTold) else { return tellRemoved(link, by: connection, isLost: isLost) }
    noteChange(isLost && keeps(.lostIsNoted) ? "lost" : "removed", link, by: connection)
    var line = describe(link, by: connection)
    line.add("hold_ms", links[link].settings.holdMilliseconds)
    tell("link.held", line, about: link)
  }

  mutating func tellBreaker(_ link: Int, of connection: Int, isOpen: Bool) {
    var line = describe(link, by: connection)
    line.add("state", isOpen ? "open" : "closed")
    tell("link.breaker", line, about: link)
  }

  // MARK: Messages

  /// A walk has ended.
  mutating func tellEnd(of walk: Int, _ outcome: Outcome) {
    guard isServerHeard else { return }
    switch outcome.status {
    case "unhandled": tell("message.unhandled", describe(walk), to: .seers(of: walks[walk].chain))
    case "published" where !keeps(.publishedIsNotUnhandled):
      tell("message.unhandled", describe(walk), to: .seers(of: walks[walk].chain))
    case "timeout": tell("message.timeout", describe(walk, by: outcome.by), to: seers(ofLinksOf: walk))
    default: break
    }
    // If the sender asked for a trace, it has been recorded, and goes to those that listen now.
    if walks[walk].isShown { tellTrace(of: walk, outcome) }
  }

  /// Behind a mount, its links are those of several chains.
  func seers(ofLinksOf walk: Int) -> Happening.Hearers {
    walks[walk].visits.chains.count > 1 ? .seersOfAll : .seers(of: walks[walk].chain)
  }

  private func describe(_ walk: Int, by: String? = nil) -> Line {
    var line = Line()
    line.add("walk", number(of: walk))
    line.add("chain", walks[walk].chain)
    line.add("topic", walks[walk].message.topic)
    line.add("from", walks[walk].from)
    line.add("by", by)
    line.add("hops", walks[walk].hops)
    return line
  }
}
