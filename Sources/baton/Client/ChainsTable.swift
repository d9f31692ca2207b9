/// Draws chains: for each a heading and its links in order, as a table for people. Below a link stands what it did in
/// the last ten minutes, and the last message that it failed.
struct ChainsTable {
  /// The columns. A rate needs two samples; where no link guards, no column tells it.
  fileprivate enum Column: CaseIterable {
    case position, rank, link, accepts, state, guards, connections, open, waiting, oldest, rate
    case handled, continued, rejected, median, high, agreed, failures
  }

  private let columns: [Column]
  private let samples: Samples

  init(_ samples: Samples, hasRates: Bool) {
    self.samples = samples
    let hasGuards = samples.last.chains.contains { $0.links.contains { !$0.guards.isEmpty } }
    let hasShadows = samples.last.chains.contains { $0.links.contains { $0.agreed != nil } }
    columns = Column.allCases.filter {
      (hasRates || $0 != .rate) && (hasGuards || $0 != .guards) && (hasShadows || $0 != .agreed)
    }
  }

  /// All chains.
  var table: TextTable {
    var table = TextTable(columns: columns.map(\.shape))
    for chain in samples.last.chains {
      if !table.rows.isEmpty { table.rows.append(.heading([])) }
      table.rows.append(.heading(ChainsTable.heading(chain)))
      for link in chain.links {
        table.rows.append(.cells(columns.map { cell($0, link, chain.chain) }))
        table.rows += details(link).map { .heading($0) }
      }
    }
    if samples.last.more == true { table.rows.append(.heading([.moreLinks])) }
    return table
  }

  private static func heading(_ chain: Inspection.Chain) -> [TextTable.Cell] {
    let links = chain.links.count == 1 ? "1 link" : "\(Figures.count(chain.links.count)) links"
    var cells = [TextTable.Cell(chain.chain, .bold), TextTable.Cell("\(links), version \(chain.version)", .dim)]
    if let keyed = chain.keyed {
      let oldest = Figures.milliseconds(chain.keyedOldestMilliseconds)
      cells.append(TextTable.Cell("\(Figures.count(keyed)) wait for their keys, the oldest for \(oldest)", .yellow))
    }
    if let stored = chain.stored {
      cells.append(TextTable.Cell(stored.words))
      if stored.dead > 0 {
        let letters = stored.dead == 1 ? "1 dead letter" : "\(Figures.count(stored.dead)) dead letters"
        cells.append(TextTable.Cell(letters, .red))
      }
    }
    return cells
  }

  /// The lines below a link: its last ten minutes, and its last failure.
  private func details(_ link: Inspection.Link) -> [[TextTable.Cell]] {
    var lines: [[TextTable.Cell]] = []
    let counts = link.messagesByTenSeconds ?? []
    if let bars = Sparkline.text(counts) {
      lines.append([.init("  " + bars, .cyan), .init("max \(Figures.count(counts.max() ?? 0))/10 s", .dim)])
    }
    if let failure = link.lastFailure {
      let isOld = failure.agoMilliseconds > 600_000
      lines.append([.init("  " + failure.words, isOld ? .dim : .red)])
    }
    return lines
  }

  private func cell(_ column: Column, _ link: Inspection.Link, _ chain: String) -> TextTable.Cell {
    switch column {
    case .position: .init("\(link.position)", .dim)
    case .rank: .init(Figures.rank(link.rank), .dim)
    case .link: link.nameCell
    case .accepts:
      .init(
        link.accepts.joined(separator: " ") + (link.percent.map { ", \($0) %" } ?? "")
          + (link.when.map { ", when \($0.json)" } ?? "")
          + (link.together == true ? ", together" : "")
          + (link.doubtful.map { $0 > 0 ? ", \($0) in doubt" : "" } ?? ""))
    case .state: link.stateCell
    case .guards: .init(link.guards)
    case .connections: .init(link.connections.map(Figures.count) ?? "")
    case .open: .init(link.open.map(Figures.count) ?? "")
    case .waiting: .init(link.waiting.map(Figures.count) ?? "", link.waiting ?? 0 > 0 ? .yellow : nil)
    case .oldest: .init(link.waiting ?? 0 > 0 ? Figures.milliseconds(link.oldestMilliseconds) : "")
    case .rate: .init(Figures.rate(samples.perSecond(link, in: chain)))
    case .handled: .init(link.handled.map(Figures.count) ?? "")
    case .continued: .init(link.continue.map(Figures.count) ?? "")
    case .rejected: .init(link.reject.map(Figures.count) ?? "")
    case .median: .init(Figures.microseconds(link.medianMicroseconds))
    case .high: .init(Figures.microseconds(link.highMicroseconds))
    case .agreed: link.agreedCell
    case .failures: link.failuresCell
    }
  }
}

extension ChainsTable.Column {
  fileprivate var shape: TextTable.Column {
    switch self {
    case .position: .init(title: "#", importance: 9, isRight: true)
    case .rank: .init(title: "RANK", importance: 3, isRight: true)
    case .link: .init(title: "LINK", importance: 20, least: 16)
    case .accepts: .init(title: "ACCEPTS", importance: 10, least: 10)
    case .state: .init(title: "STATE", importance: 19)
    case .guards: .init(title: "GUARDS", importance: 18)
    case .connections: .init(title: "CONNS", importance: 11, isRight: true)
    case .open: .init(title: "OPEN", importance: 14, isRight: true)
    case .waiting: .init(title: "WAIT", importance: 15, isRight: true)
    case .oldest: .init(title: "OLDEST", importance: 2, isRight: true)
    case .rate: .init(title: "/S", importance: 16, isRight: true)
    case .handled: .init(title: "HANDLED", importance: 6, isRight: true)
    case .continued: .init(title: "CONTINUE", importance: 5, isRight: true)
    case .rejected: .init(title: "REJECT", importance: 4, isRight: true)
    case .median: .init(title: "P50", importance: 7, isRight: true)
    case .high: .init(title: "P99", importance: 12, isRight: true)
    case .agreed: .init(title: "AGREED", importance: 18, isRight: true)
    case .failures: .init(title: "FAILURES", importance: 13, least: 10)
    }
  }
}

extension TextTable.Cell {
  /// Follows the last link if the server left out some.
  static let moreLinks = TextTable.Cell("\(Glyphs.current.ellipsis) and more links than are shown here", .dim)
}

extension Inspection.StoredMessages {
  /// `12 stored: 2 under way, 3 due`.
  var words: String {
    let parts = [(underWay, "under way"), (due, "due"), (waiting, "wait for another attempt"), (delayed, "delayed")]
      .compactMap { count, name in count.flatMap { $0 > 0 ? "\(Figures.count($0)) \(name)" : nil } }
    return "\(Figures.count(messages)) stored" + (parts.isEmpty ? "" : ": " + parts.joined(separator: ", "))
  }
}

extension Inspection.LastFailure {
  /// `failed 3 min ago: no such file (walk 17)`.
  var words: String {
    let said = message.map { ": \($0)" } ?? ""
    return "\(cause) \(Figures.milliseconds(agoMilliseconds)) ago\(said) (walk \(walk))"
  }
}

/// Cells about one link that more than one table shows.
extension Inspection.Link {
  var nameCell: TextTable.Cell { mount.map { .init("\(Glyphs.current.arrow) \($0)", .cyan) } ?? .init(name) }

  var stateCell: TextTable.Cell {
    if mount != nil { return .init("mount", .cyan) }
    let state = state ?? ""
    // A link that works may be in trouble all the same.
    if !["absent", "breaker", "overload", "held", "shadow", "empty"].contains(state), let worst = findings?.first {
      return .init(worst, ["breaker", "absent"].contains(worst) ? .red : .yellow)
    }
    let style: Style =
      switch state {
      case "serving": .green
      case "shadow": .dim
      case "window", "unsent", "empty": .yellow
      default: .red
      }
    return .init(state, style)
  }

  /// Of a shadow: how often it agreed, of all that could be compared.
  var agreedCell: TextTable.Cell {
    guard let agreed, let disagreed else { return "" }
    return .init("\(Figures.count(agreed))/\(Figures.count(agreed &+ disagreed))", disagreed > 0 ? .yellow : nil)
  }

  /// What went wrong here and how often.
  var failuresCell: TextTable.Cell {
    let words = failures.filter { $0.count > 0 }.map { "\($0.cause) \(Figures.count($0.count))" }
    let style: Style? = words.isEmpty ? nil : .red
    return .init(words.joined(separator: ", "), style)
  }
}
