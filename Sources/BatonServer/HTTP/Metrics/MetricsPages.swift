internal import BatonCore

/// How far one report of `/metrics` has come. It may be dropped at any time.
struct MetricsCursor {
  fileprivate enum Step {
    /// Nothing is written yet.
    case begin
    /// What the later links of the chains do is added up. Nothing is written.
    case together(FigurePlace)
    /// A family of links is written.
    case family(MetricsFamily, FigurePlace)
    case done
  }

  /// What the later links of a chain do, added up.
  fileprivate struct Together {
    let chain: [UInt8]
    var open = 0
    var waiting = 0
    var connections = 0
    var oldest = 0
    /// In the order in which they were met.
    var states: [(name: String, links: Int)] = []
  }

  /// Of which chains it tells.
  fileprivate let sight: ChainSight
  fileprivate var step = Step.begin
  fileprivate var together: [Together] = []
  /// Where in `together` those with these meters are. It is only looked up, never walked through.
  fileprivate var places: [UInt32: Int] = [:]

  init(for sight: ChainSight) { self.sight = sight }

  /// What is counted under no name tells of no chain.
  fileprivate func tells(of chain: some Collection<UInt8>) -> Bool { chain.isEmpty || sight.sees(chain) }
}

/// Writes the report of `/metrics` in pieces (Docs/http.md, section 13): each looks at 200 links at most and writes
/// at most some 600 KB, so that the loop serves others between them.
struct MetricsPages {
  /// The ends of the histogram's buckets, in seconds.
  private static let ends = MeterFigures.bounds.map { MetricsText.seconds(UInt64($0)) }

  /// Adds the next piece of the report to `page`. Returns true if it was the last one.
  static func add(
    to page: inout [UInt8], from cursor: inout MetricsCursor, of router: inout Router,
    node: [(MetricsFamily, Int)] = [], at now: Instant
  ) -> Bool {
    var text = MetricsText()
    switch cursor.step {
    case .begin:
      writeServer(router.serverFigures(at: now), to: &text)
      for (family, value) in node { text.alone(family, "\(value)") }
      if router.hasRecord { writeRecord(&router, to: &text) }
      if let figures = router.storedFigures() {
        let stored = figures.chains.filter { cursor.tells(of: $0.chain) }
        text.alone(.storeFailing, figures.isFailing ? "1" : "0")
        text.alone(.storeLogBytes, "\(figures.log.bytes)")
        text.chains(.storedMessages, stored.map { ($0.chain, $0.figures.messages) })
        text.chains(.deadLetters, stored.map { ($0.chain, $0.figures.dead) })
      }
      cursor.step =
        router.tellsLinksTogether ? .together(router.beginFigures()) : begin(.offers, of: &router, to: &text)
    case .together(var place):
      let isDone = router.tellLinks(from: &place, alone: false, at: now) { link in
        if cursor.tells(of: link.chain) { addUp(link, in: &cursor) }
      }
      cursor.step = isDone ? begin(.offers, of: &router, to: &text) : .together(place)
    case .family(let family, var place):
      let isDone = write(family, from: &place, in: cursor, of: &router, to: &text, at: now)
      if isDone, family.isOfLinks { writeTogether(family, cursor.together, to: &text) }
      if !isDone {
        cursor.step = .family(family, place)
      } else if let next = family.next {
        cursor.step = begin(next, of: &router, to: &text)
      } else {
        cursor.step = .done
      }
    case .done: break
    }
    page += text.bytes
    if case .done = cursor.step { return true }
    return false
  }

  private static func begin(
    _ family: MetricsFamily, of router: inout Router, to text: inout MetricsText
  ) -> MetricsCursor.Step {
    text.begin(family)
    return .family(family, router.beginFigures())
  }

  private static func writeServer(_ figures: ServerFigures, to text: inout MetricsText) {
    text.alone(.messages, "\(figures.messages)")
    text.alone(.missed, "\(figures.missed)")
    text.alone(.connections, "\(figures.connections)")
    text.alone(.subscriptions, "\(figures.subscriptions)")
    text.alone(.links, "\(figures.links)")
    text.alone(.openMessages, "\(figures.openMessages)")
    text.alone(.unsent, "\(figures.unsentBytes)")
    text.alone(.memory, "\(figures.memoryBytes)")
    text.alone(.uptime, MetricsText.seconds(UInt64(figures.uptimeMicroseconds)))
    if let seconds = figures.certificateSeconds { text.alone(.certificate, "\(seconds)") }
  }

  private static func writeRecord(_ router: inout Router, to text: inout MetricsText) {
    let sight = router.recordSight
    text.alone(.recordLines, "\(sight.lines)")
    text.alone(.recordMissed, "\(router.missedEnds)")
    text.alone(.recordFailing, router.isRecordFailing ? "1" : "0")
    text.alone(.recordBytes, "\(sight.bytes)")
    text.alone(.recordHead, "\(sight.head)")
  }

  private static func write(
    _ family: MetricsFamily, from place: inout FigurePlace, in cursor: MetricsCursor, of router: inout Router,
    to text: inout MetricsText, at now: Instant
  ) -> Bool {
    guard family.isOfLinks else {
      return router.tellMeters(from: &place) { figures in
        guard cursor.tells(of: figures.chain) else { return }
        text.label(chain: figures.chain, handler: figures.handler)
        if family == .offerSeconds {
          return text.histogram(family.rawValue, figures.times, ends: ends, microseconds: figures.microseconds)
        }
        if family == .doubtful { return text.sample(family.rawValue, "\(figures.doubtful)") }
        for (outcome, count) in zip(MeterFigures.outcomes, figures.outcomes) {
          text.sample(family.rawValue, "\(count)", ("outcome", outcome))
        }
      }
    }
    return router.tellLinks(from: &place, alone: true, at: now) { link in
      guard cursor.tells(of: link.chain) else { return }
      text.label(chain: link.chain, handler: link.handler)
      switch family {
      case .linkOpen: text.sample(family.rawValue, "\(link.open)")
      case .linkWaiting: text.sample(family.rawValue, "\(link.waiting)")
      case .linkConnections: text.sample(family.rawValue, "\(link.connections)")
      case .linkOldest: text.sample(family.rawValue, MetricsText.seconds(UInt64(link.oldestMicroseconds)))
      default: text.sample(family.rawValue, "1", ("state", "\(link.state)"))
      }
    }
  }

  // MARK: Links that are told together

  private static func addUp(_ link: LinkFigures, in cursor: inout MetricsCursor) {
    let place = cursor.places[link.meters] ?? cursor.together.count
    if place == cursor.together.count {
      cursor.places[link.meters] = place
      cursor.together.append(MetricsCursor.Together(chain: Array(link.chain)))
    }
    cursor.together[place].add(link)
  }

  private static func writeTogether(
    _ family: MetricsFamily, _ together: [MetricsCursor.Together], to text: inout MetricsText
  ) {
    for one in together {
      text.label(chain: one.chain, handler: [])
      switch family {
      case .linkOpen: text.sample(family.rawValue, "\(one.open)")
      case .linkWaiting: text.sample(family.rawValue, "\(one.waiting)")
      case .linkConnections: text.sample(family.rawValue, "\(one.connections)")
      case .linkOldest: text.sample(family.rawValue, MetricsText.seconds(UInt64(one.oldest)))
      default:
        for state in one.states { text.sample(family.rawValue, "\(state.links)", ("state", state.name)) }
      }
    }
  }
}

extension MetricsCursor.Together {
  fileprivate mutating func add(_ link: LinkFigures) {
    open += link.open
    waiting += link.waiting
    connections += link.connections
    oldest = max(oldest, link.oldestMicroseconds)
    let name = "\(link.state)"
    if let place = states.firstIndex(where: { $0.name == name }) {
      states[place].links += 1
    } else {
      states.append((name, 1))
    }
  }
}

extension MetricsFamily {
  /// Whether it tells what links do now, and not what was counted.
  fileprivate var isOfLinks: Bool { ![.offers, .offerSeconds, .doubtful].contains(self) }
}
