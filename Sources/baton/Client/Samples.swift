/// Two samples of the server, one after the other: their difference is a rate.
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

  /// Adds a new sample.
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

  /// How many offers ended at a link per second between the two samples; nil if the link is new or counts from 0 again.
  func perSecond(_ link: Inspection.Link, in chain: String) -> Double? {
    guard let then = before?[LinkName(chain: chain, link: link.name)], link.handler != nil, link.settled >= then,
      elapsed > .zero
    else { return nil }
    return Double(link.settled - then) / (elapsed / .seconds(1))
  }
}
