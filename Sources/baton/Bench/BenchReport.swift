/// What was measured, as a table for people or as one JSON object for programs.
struct BenchReport {
  let name: String
  /// What is counted: `message` or `delivery`.
  let unit: String
  /// What the load looked like, beside the options.
  let shape: [(name: String, value: Int)]
  let options: BenchOptions
  let runs: [BenchRun]

  func print() throws { try put(options.json ? json : table) }

  private var units: String { unit == "delivery" ? "deliveries" : unit + "s" }

  // MARK: For people

  var table: String {
    let us = Glyphs.current.microseconds
    let columns = [
      "", "\(units)/s", "p50 \(us)", "p99 \(us)", "p99.9 \(us)", "server \(us)/\(unit)", "server CPU", "load CPU",
    ]
    var rows = [columns]
    for (index, run) in runs.enumerated() { rows.append(row("run \(index + 1)", run)) }
    if runs.count > 1 { rows.append(row("median", BenchRun.median(of: runs))) }
    return ([title] + BenchFigure.lines(rows) + notes).joined(separator: "\n")
  }

  private var title: String {
    let shape = shape.map { "\($0.value) \($0.name)" }.joined(separator: ", ")
    return "\(name): \(shape), \(options.window) in flight, lines of \(options.bytes) bytes"
  }

  private func row(_ name: String, _ run: BenchRun) -> [String] {
    [
      name, BenchFigure.grouped(run.perSecond), BenchFigure.fixed(run.p50, 1), BenchFigure.fixed(run.p99, 1),
      BenchFigure.fixed(run.p999, 1),
      run.serverMicroseconds.map { BenchFigure.fixed($0, 3) } ?? "-",
      run.serverShare.map { BenchFigure.percent($0) } ?? "-", BenchFigure.percent(run.loadShare),
    ]
  }

  private var notes: [String] {
    guard BenchRun.median(of: runs).isBoundByLoad else { return [] }
    return ["The load was the bottleneck, not the server: only the server's CPU time says something about the server."]
  }

  // MARK: For programs

  var json: String {
    let shape = shape.map { "\"\($0.name)\":\($0.value)" }
    let members =
      ["\"bench\":\"\(name)\""] + shape + [
        "\"window\":\(options.window)", "\"bytes\":\(options.bytes)", "\"counted\":\"\(units)\"",
        "\"runs\":[\(runs.map(\.json).joined(separator: ","))]", "\"median\":\(BenchRun.median(of: runs).json)",
      ]
    return "{\(members.joined(separator: ","))}"
  }
}
