/// `explain` and `inspect` (contract, section 8). They change nothing.
extension Model {
  // MARK: explain

  mutating func explain(_ topic: String, in chain: String, _ asked: Asked, from connection: Int) {
    var entries: [String] = []
    var entered: Set<String> = []
    explain(topic, in: chain, &entered, &entries)
    var line = Line("explained", to: asked)
    line.add("topic", topic)
    line.add("chain", chain)
    if let version = chains[chain]?.version { line.add("version", version) }
    line.add("links", json: "[\(entries.joined(separator: ","))]")
    reply(line, to: asked, of: connection)
  }

  private mutating func explain(
    _ topic: String, in chain: String, _ entered: inout Set<String>, _ entries: inout [String]
  ) {
    entered.insert(chain)
    for link in chains[chain]?.links ?? [] {
      let answer = prospect(of: topic, at: link, entered)
      seen.insert(answer.seen)
      var line = Line()
      line.add("chain", chain)
      line.add(links[link].isMount ? "mount" : "handler", links[link].name)
      line.add("would", answer.would)
      line.add("reason", answer.reason)
      if let cause = answer.cause, links[link].settings.onFailure.stops(cause), keeps(.explainTellsStop) {
        seen.insert(.explainedStop)
        line.add("on_failure", "stop")
      }
      entries.append(line.whole)
      if links[link].isMount, answer.would == "offer" { explain(topic, in: links[link].name, &entered, &entries) }
    }
  }

  /// What would become of a message at a link, and why; and the cause by which the link would fail it, if any.
  private struct Prospect {
    let would: String
    var reason: String?
    var cause: Cause?
    let seen: Seen
  }

  private func prospect(of topic: String, at link: Int, _ entered: Set<String>) -> Prospect {
    if !Subject.matches(topic, anyOf: links[link].settings.accepts) {
      return Prospect(would: "skip", reason: "topic", seen: .explainedTopic)
    }
    if links[link].isMount {
      guard entered.contains(links[link].name), keeps(.explainEntersOnce) || entered.count > 8 else {
        return Prospect(would: "offer", seen: .explainedMount)
      }
      return Prospect(would: "skip", reason: "visited", seen: .explainedVisited)
    }
    switch state(of: link) {
    case "open": return Prospect(would: "offer", seen: .explainedOffer)
    case "shadow": return Prospect(would: "offer", reason: "shadow", seen: .explainedShadow)
    case "absent": return Prospect(would: "skip", reason: "absent", cause: .disconnect, seen: .explainedAbsent)
    case "breaker": return Prospect(would: "skip", reason: "breaker", cause: .breaker, seen: .explainedBreaker)
    case "overload": return Prospect(would: "skip", reason: "overload", cause: .overload, seen: .explainedOverload)
    case "held": return Prospect(would: "wait", reason: "held", seen: .explainedHeld)
    case "unsent": return Prospect(would: "wait", reason: "unsent", seen: .explainedUnsent)
    default: return Prospect(would: "wait", reason: "window", seen: .explainedWindow)
    }
  }

  /// What would happen there to a message that the link accepts.
  private func state(of link: Int) -> String {
    if links[link].settings.shadow { return "shadow" }
    if case .empty = links[link].vacancy { return "absent" }
    if isBroken(link) { return "breaker" }
    if isFull(link, for: 1) { return "overload" }
    if isHeld(link) { return "held" }
    if links[link].queue.isEmpty, nextServer(of: link) != nil { return "open" }
    let hasWindow = links[link].servers.contains {
      openOffers(of: link, $0.connection) < links[link].settings.window && mayOffer(to: $0)
    }
    return hasWindow && nextServer(of: link) == nil ? "unsent" : "window"
  }

  // MARK: inspect

  mutating func inspect(_ chain: String?, withServer: Bool, _ asked: Asked, from connection: Int) {
    let names = chain.map { [$0] } ?? chains.keys.sorted()
    let all = names.compactMap { describe($0) }
    if !all.isEmpty { seen.insert(.inspected) }
    var line = Line("chains", to: asked)
    line.add("chains", json: "[\(all.joined(separator: ","))]")
    if withServer { line.add("server", json: describeServer()) }
    reply(line, to: asked, of: connection)
  }

  private mutating func describe(_ name: String) -> String? {
    guard let chain = chains[name] else { return nil }
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
    let all = chain.links.enumerated().map { describe($1, at: $0 + 1) }
    line.add("links", json: "[\(all.joined(separator: ","))]")
    return line.whole
  }

  private func describe(_ link: Int, at position: Int) -> String {
    var line = Line()
    line.add(links[link].isMount ? "mount" : "handler", links[link].name)
    line.add(rank: links[link].rank)
    line.add("position", position)
    line.add("accepts", json: "[\(links[link].settings.accepts.map { "\"\($0)\"" }.joined(separator: ","))]")
    if !links[link].isMount { addServing(of: link, to: &line) }
    return line.whole
  }

  private func addServing(of link: Int, to line: inout Line) {
    let open = links[link].servers.reduce(0) { $0 + openOffers(of: link, $1.connection) }
    // No message waits for a shadow. The contract leaves open whether a message that was lost here is the oldest.
    let there = walks.compactMap { $0.stand?.link == link ? $0.stand : nil }
    let oldest = there.map(\.reached).min().map { now - $0 } ?? 0
    line.add("connections", links[link].servers.count)
    line.add("open", open)
    line.add("waiting", links[link].queue.count)
    line.add("oldest_ms", json: there.contains(where: \.wasRepeated) ? Line.anyNumber : "\(oldest)")
    line.add("window", links[link].settings.window)
    line.add("state", keeps(.inspectTellsState) ? state(of: link) : "open")
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
  }
}
