/// One sample of the server, for programs. Each line begins with its kind.
enum TopLines {
  /// `server`, its fact's name and value; `paused`, a connection and why; `link`, its chain, name and figures.
  static func lines(_ seen: Inspection) -> [String] {
    guard let server = seen.server else { return [] }
    let facts: [(String, String)] = [
      ("version", server.version), ("uptime_ms", "\(server.uptimeMilliseconds)"),
      ("draining", "\(server.draining == true)"), ("connections", "\(server.connections)"),
      ("subscriptions", "\(server.subscriptions)"), ("links", "\(server.links)"), ("open", "\(server.open)"),
      ("per_second", "\(server.perSecond)"), ("messages", "\(server.messages)"),
      ("open_bytes", "\(server.openBytes)"), ("unsent_bytes", "\(server.unsentBytes)"),
      ("unfinished_bytes", "\(server.unfinishedBytes)"), ("missed", "\(server.missed)"),
      ("memory_bytes", "\(server.memoryBytes)"), ("file_limit", "\(server.fileLimit)"),
    ]
    let paused = server.paused.map {
      tabbed([
        "paused", $0.name, $0.why, "\($0.forMilliseconds)", "\($0.open)", "\($0.unsentBytes)", "\($0.connection)",
      ])
    }
    let links = seen.chains.flatMap { chain in
      chain.links.filter { $0.handler != nil }.map { link($0, in: chain.chain) }
    }
    return facts.map { tabbed(["server", $0.0, $0.1]) } + paused + links
  }

  private static func link(_ link: Inspection.Link, in chain: String) -> String {
    let failures = link.failures.reduce(0) { $0 &+ $1.count }
    let figures = [link.open, link.waiting, link.settled, failures, link.medianMicroseconds, link.highMicroseconds]
    return tabbed(["link", chain, link.name, link.state ?? ""] + figures.map { $0.map(String.init) ?? "" })
  }
}
