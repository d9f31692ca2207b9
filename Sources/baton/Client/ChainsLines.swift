import BatonClient

/// Chains for programs: a line for each link, with tabs between its members. Each member always has the same place.
struct ChainsLines {
  /// Whether the output repeats: then each line has its time and a rate.
  let isWatching: Bool

  /// What each place holds.
  var header: String {
    let names = [
      "chain", "position", "rank", "kind", "link", "accepts", "state", "connections", "open", "waiting", "oldest_ms",
      "window", "handled", "continue", "reject", "failed", "timeout", "disconnect", "overload", "breaker", "agreed",
      "disagreed", "p50_us", "p99_us", "p50_us_1m", "p99_us_1m", "last_failure", "last_message", "last_walk",
      "last_ago_ms", "guards",
    ]
    let others = ["findings", "percent", "when", "doubtful", "together"]
    return tabbed((isWatching ? ["time"] + names + ["per_second"] : names) + others)
  }

  /// A line for each link. What does not apply to a link is empty.
  func lines(_ samples: Samples) -> [String] {
    let time = WallClock.now.utc
    return samples.last.chains.flatMap { chain in
      chain.links.map { link in
        let members = ChainsLines.members(link, chain.chain)
        let findings = (link.findings ?? []).joined(separator: " ")
        let others = [
          link.percent.map(String.init) ?? "", link.when?.json ?? "", link.doubtful.map(String.init) ?? "",
          link.together.map(String.init) ?? "",
        ]
        guard isWatching else { return tabbed(members + [findings] + others) }
        let rate = samples.perSecond(link, in: chain.chain).map { "\(($0 * 10).rounded() / 10)" } ?? ""
        return tabbed([time] + members + [rate, findings] + others)
      }
    }
  }

  private static func members(_ link: Inspection.Link, _ chain: String) -> [String] {
    let numbers = [
      link.connections, link.open, link.waiting, link.oldestMilliseconds, link.window, link.handled, link.continue,
      link.reject, link.failed, link.timeout, link.disconnect, link.overload, link.breaker, link.agreed,
      link.disagreed, link.medianMicroseconds, link.highMicroseconds, link.lastMedianMicroseconds,
      link.lastHighMicroseconds,
    ]
    let failure = link.lastFailure
    let failed = [
      failure?.cause, failure?.message, failure.map { "\($0.walk)" }, failure.map { "\($0.agoMilliseconds)" },
    ]
    return [
      chain, "\(link.position)", Figures.rank(link.rank), link.mount == nil ? "handler" : "mount", link.name,
      link.accepts.joined(separator: " "), link.state ?? "",
    ] + numbers.map { $0.map(String.init) ?? "" } + failed.map { $0 ?? "" } + [link.guards]
  }
}

/// One line of members. Topics and names contain no tabs. Characters that would act on a terminal are spelled out.
func tabbed(_ members: [String]) -> String { members.map(\.displaySafe).joined(separator: "\t") }
