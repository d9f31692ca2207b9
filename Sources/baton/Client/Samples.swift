/// Two looks at the server, one after the other: what they differ by is a rate.
struct Samples {
  private(set) var last: Inspection
  private var before: [LinkName: Int]?
  private var elapsed = Duration.zero
  private var lastTaken: ContinuousClock.Instant

  /// A link's name with its chain's.
  private struct LinkName: Hashable {
    let chain: String
    let link: String
  }

  init(_ first: Inspection, at now: ContinuousClock.Instant) {
    last = first
    lastTaken = now
  }

  /// The server has been looked at once more.
  mutating func add(_ next: Inspection, at now: ContinuousClock.Instant) {
    var settled: [LinkName: Int] = [:]
    for chain in last.chains {
      for link in chain.links { settled[LinkName(chain: chain.chain, link: link.name)] = link.settled }
    }
    before = settled
    elapsed = now - lastTaken
    lastTaken = now
    last = next
  }

  /// Offers that came to an end at a link in each second between the two; nil where it was not there before, or counts
  /// anew.
  func perSecond(_ link: Inspection.Link, in chain: String) -> Double? {
    guard let then = before?[LinkName(chain: chain, link: link.name)], link.handler != nil, link.settled >= then,
      elapsed > .zero
    else { return nil }
    return Double(link.settled - then) / (elapsed / .seconds(1))
  }
}
