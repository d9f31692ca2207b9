/// One sample of the server, for programs. Each line begins with its kind.
enum TopLines {
  /// `finding`, as `baton doctor` has it; `server`, its fact's name and value; `paused`, a connection and why; `stored`, a
  /// chain and its durable messages; `link`, its chain, name and figures.
  static func lines(_ seen: Inspection) -> [String] {
    let findings = (seen.findings?.wrong ?? []).map { "finding\t\($0.fields)" }
    return findings + (seen.server.map(facts) ?? []) + seen.chains.flatMap(lines)
  }

  private static func facts(_ server: Inspection.ServerFacts) -> [String] {
    let facts: [(String, String)] = [
      ("version", server.version), ("uptime_ms", "\(server.uptimeMilliseconds)"),
      ("draining", "\(server.draining == true)"), ("connections", "\(server.connections)"),
      ("subscriptions", "\(server.subscriptions)"), ("links", "\(server.links)"), ("open", "\(server.open)"),
      ("per_second", "\(server.perSecond)"), ("messages", "\(server.messages)"),
      ("open_bytes", "\(server.openBytes)"), ("unsent_bytes", "\(server.unsentBytes)"),
      ("unfinished_bytes", "\(server.unfinishedBytes)"), ("missed", "\(server.missed)"),
      ("memory_bytes", "\(server.memoryBytes)"), ("file_limit", "\(server.fileLimit)"),
    ]
    let stored = server.store.map { store in
      [("stored", "\(store.messages)"), ("stored_bytes", "\(store.bytes ?? 0)"), ("dead", "\(store.dead)")]
    }
    let paused = server.paused.map {
      tabbed([
        "paused", $0.name, $0.why, "\($0.forMilliseconds)", "\($0.open)", "\($0.unsentBytes)", "\($0.connection)",
      ])
    }
    return (facts + (stored ?? [])).map { tabbed(["server", $0.0, $0.1]) } + paused
  }

  private static func lines(_ chain: Inspection.Chain) -> [String] {
    let links = chain.links.filter { $0.handler != nil }.map { link($0, in: chain.chain) }
    return (chain.stored.map { [stored($0, in: chain.chain)] } ?? []) + links
  }

  private static func stored(_ stored: Inspection.StoredMessages, in chain: String) -> String {
    let figures = [stored.messages, stored.delayed, stored.waiting, stored.due, stored.underWay, stored.dead]
    return tabbed(["stored", chain] + figures.map { $0.map(String.init) ?? "" })
  }

  private static func link(_ link: Inspection.Link, in chain: String) -> String {
    let failures = link.failures.reduce(0) { $0 &+ $1.count }
    let figures = [link.open, link.waiting, link.settled, failures, link.medianMicroseconds, link.highMicroseconds]
    return tabbed(["link", chain, link.name, link.state ?? ""] + figures.map { $0.map(String.init) ?? "" })
  }
}
