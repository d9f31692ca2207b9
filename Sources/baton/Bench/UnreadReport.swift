/// What was measured beside peers that never read: a row for each kind and number of them.
struct UnreadReport {
  /// The runs beside one kind and number of peers.
  struct Row {
    let kind: UnreadKind
    let peers: Int
    let runs: [BenchRun]

    var name: String {
      if peers == 0 { return "nobody" }
      return peers == 1 ? "1 \(kind.rawValue.dropLast())" : "\(peers) \(kind.rawValue)"
    }
  }

  let options: BenchOptions
  let rows: [Row]

  func print() throws { try put(options.json ? json : table) }

  var table: String {
    let us = Glyphs.current.microseconds
    let columns = [
      "unread by", "lost", "round trips/s", "p50 \(us)", "p99 \(us)", "p99.9 \(us)", "server CPU", "load CPU",
    ]
    let lines = rows.map { row in
      let run = BenchRun.median(of: row.runs)
      return [
        row.name, "0", BenchFigure.grouped(run.perSecond), BenchFigure.fixed(run.p50, 1), BenchFigure.fixed(run.p99, 1),
        BenchFigure.fixed(run.p999, 1), run.serverShare.map { BenchFigure.percent($0) } ?? "-",
        BenchFigure.percent(run.loadShare),
      ]
    }
    let runs = options.runs > 1 ? ", medians of \(options.runs) runs" : ""
    let title = "unread: \(options.window) round trips in flight, lines of \(options.bytes) bytes\(runs)"
    return ([title] + BenchFigure.lines([columns] + lines)).joined(separator: "\n")
  }

  /// A run that loses anything fails, so that `lost` is always 0 here.
  var json: String {
    let rows = rows.map { row in
      "{\"kind\":\"\(row.kind.rawValue)\",\"peers\":\(row.peers),\"lost\":0,"
        + "\"runs\":[\(row.runs.map(\.json).joined(separator: ","))],\"median\":\(BenchRun.median(of: row.runs).json)}"
    }
    let head = "\"bench\":\"unread\",\"window\":\(options.window),\"bytes\":\(options.bytes)"
    return "{\(head),\"counted\":\"round trips\",\"rows\":[\(rows.joined(separator: ","))]}"
  }
}
