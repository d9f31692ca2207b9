/// The whole server as a page: its figures, what is wrong, the connections that it does not read from, and its links: those
/// in trouble first, then the busiest or the slowest.
struct TopPage: LivePage {
  let place: String
  private var isSlowestFirst = false

  init(place: String) { self.place = place }

  var ownKey: (key: Unicode.Scalar, does: String)? { ("s", isSlowestFirst ? "busiest first" : "slowest first") }
  mutating func ownKeyPressed() { isSlowestFirst.toggle() }

  func lines(_ samples: Samples, width: Int, paint: Paint) -> (head: [String], body: [String]) {
    let trouble = Trouble(samples.last).line(width: width, paint: paint)
    let head = figures(samples.last.server, width: width, paint: paint) + [trouble]
    let links = linksTable(samples).lines(width: width, paint: paint)
    guard let server = samples.last.server, !server.paused.isEmpty else {
      return (head + ["", links.titles], links.rows)
    }
    let paused = TopPage.pausedTable(server.paused).lines(width: width, paint: paint)
    return (head + [""], [paused.titles] + paused.rows + ["", links.titles] + links.rows)
  }

  // MARK: Figures

  private func figures(_ server: Inspection.ServerFacts?, width: Int, paint: Paint) -> [String] {
    guard let server else {
      let words = "the chains that you may see at \(place); the server itself needs the right: see server"
      return [paint(words.displaySafe.fitted(to: width), .bold)]
    }
    let isGoing = server.draining == true
    let title = "baton \(server.version) at \(place)".displaySafe
    let up = "  up \(Figures.milliseconds(server.uptimeMilliseconds))\(isGoing ? "  DRAINING" : "")"
    let room = max(width - title.displayWidth, 0)
    return [paint(title.fitted(to: width), .bold) + paint(up.fitted(to: room), isGoing ? .yellow : nil)]
      + [
        [
          ("connections", Figures.count(server.connections)), ("subscriptions", Figures.count(server.subscriptions)),
          ("links", Figures.count(server.links)), ("memory", Figures.bytes(server.memoryBytes)),
          ("file limit", Figures.count(server.fileLimit)),
        ],
        [
          ("messages", Figures.count(server.messages)), ("per second", Figures.count(server.perSecond)),
          ("open", Figures.count(server.open)), ("missed events", Figures.count(server.missed)),
        ] + stored(server),
        [
          ("open messages", Figures.bytes(server.openBytes)), ("unsent", Figures.bytes(server.unsentBytes)),
          ("unfinished lines", Figures.bytes(server.unfinishedBytes)), ("paused", "\(server.paused.count)"),
        ],
      ].map { TopPage.line($0, width: width, paint: paint) }
  }

  private func stored(_ server: Inspection.ServerFacts) -> [(name: String, value: String)] {
    guard let store = server.store else { return [] }
    return [("stored", Figures.count(store.messages)), ("dead", Figures.count(store.dead))]
  }

  /// As many of the facts as fit, side by side.
  private static func line(_ facts: [(name: String, value: String)], width: Int, paint: Paint) -> String {
    var line = ""
    var used = 0
    for fact in facts {
      let gap = used == 0 ? 0 : 3
      let size = gap + fact.name.displayWidth + 1 + fact.value.displayWidth
      guard used + size <= width else { break }
      line += String(repeating: " ", count: gap) + paint(fact.name, .dim) + " " + paint(fact.value, .bold)
      used += size
    }
    return line
  }

  // MARK: Tables

  private static func pausedTable(_ connections: [Inspection.PausedConnection]) -> TextTable {
    var table = TextTable(columns: [
      .init(title: "NOT READ FROM", importance: 9, least: 8), .init(title: "NUMBER", importance: 7, isRight: true),
      .init(title: "WHY", importance: 8),
      .init(title: "FOR", importance: 5, isRight: true), .init(title: "OPEN", importance: 4, isRight: true),
      .init(title: "UNSENT", importance: 3, isRight: true),
    ])
    table.rows = connections.map {
      .cells([
        .init($0.name), .init("\($0.connection)"), .init($0.why, .yellow),
        .init(Figures.milliseconds($0.forMilliseconds)),
        .init(Figures.count($0.open)), .init(Figures.bytes($0.unsentBytes)),
      ])
    }
    return table
  }

  private func linksTable(_ samples: Samples) -> TextTable {
    var table = TextTable(columns: [
      .init(title: "CHAIN", importance: 7, least: 8), .init(title: "LINK", importance: 20, least: 16),
      .init(title: "STATE", importance: 19), .init(title: "CONNS", importance: 6, isRight: true),
      .init(title: "OPEN", importance: 10, isRight: true), .init(title: "WAIT", importance: 11, isRight: true),
      .init(title: "/S", importance: 16, isRight: true), .init(title: "P50", importance: 8, isRight: true),
      .init(title: "P99", importance: 15, isRight: true), .init(title: "AGREED", importance: 14, isRight: true),
      .init(title: "FAILURES", importance: 9, least: 10),
      // For wide terminals.
      .init(title: "P99 1M", importance: 5, isRight: true), .init(title: "ACCEPTS", importance: 3, least: 8),
      .init(title: "LAST FAILURE", importance: 4, least: 20), .init(title: "LAST 10 MIN", importance: 2),
    ])
    table.rows = ordered(samples).map { place in
      let link = place.link
      return .cells([
        .init(place.chain), link.nameCell, link.stateCell, .init(link.connections.map(Figures.count) ?? ""),
        .init(link.open.map(Figures.count) ?? ""),
        .init(link.waiting.map(Figures.count) ?? "", link.waiting ?? 0 > 0 ? .yellow : nil),
        .init(Figures.rate(place.rate)), .init(Figures.microseconds(link.medianMicroseconds)),
        .init(Figures.microseconds(link.highMicroseconds)), link.agreedCell, link.failuresCell,
        .init(Figures.microseconds(link.lastHighMicroseconds)), .init(link.accepts.joined(separator: " "), .dim),
        .init(link.lastFailure?.words ?? "", .dim),
        .init(link.messagesByTenSeconds.flatMap { Sparkline.text($0) } ?? "", .dim),
      ])
    }
    if samples.last.more == true { table.rows.append(.heading([.moreLinks])) }
    return table
  }

  /// The handlers' links: those in trouble first, the worst of them at the top; then the busiest or the slowest. Equal ones
  /// keep the order of their chains.
  private func ordered(_ samples: Samples) -> [(chain: String, link: Inspection.Link, rate: Double?)] {
    let all = samples.last.chains.flatMap { chain in
      chain.links.filter { $0.handler != nil }
        .map { (chain: chain.chain, link: $0, rate: samples.perSecond($0, in: chain.chain)) }
    }
    let weights = all.map { isSlowestFirst ? Double($0.link.highMicroseconds ?? -1) : $0.rate ?? 0 }
    let keys = all.indices.map { (all[$0].link.severity, weights[$0], -$0) }
    return all.indices.sorted { keys[$0] > keys[$1] }.map { all[$0] }
  }
}
