/// What was measured, as a table for people or as one JSON object for programs.
struct BenchReport {
  let name: String
  /// What is counted: `message` or `delivery`.
  let unit: String
  /// What the load looked like, beside the options.
  let shape: [(name: String, value: Int)]
  let options: BenchOptions
  let runs: [BenchRun]

  func print() { say(options.json ? json : table) }

  private var units: String { unit == "delivery" ? "deliveries" : unit + "s" }

  // MARK: For people

  var table: String {
    let columns = ["", "\(units)/s", "p50 µs", "p99 µs", "p99.9 µs", "server µs/\(unit)", "server CPU", "load CPU"]
    var rows = [columns]
    for (index, run) in runs.enumerated() { rows.append(row("run \(index + 1)", run)) }
    if runs.count > 1 { rows.append(row("median", BenchRun.median(of: runs))) }
    let widths = columns.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    let lines = rows.map { row in
      row.indices.map { String(repeating: " ", count: widths[$0] - row[$0].count) + row[$0] }.joined(separator: "  ")
    }
    return ([title] + lines + notes).joined(separator: "\n")
  }

  private var title: String {
    let shape = shape.map { "\($0.value) \($0.name)" }.joined(separator: ", ")
    return "\(name): \(shape), \(options.window) in flight, lines of \(options.bytes) bytes"
  }

  private func row(_ name: String, _ run: BenchRun) -> [String] {
    [
      name, grouped(run.perSecond), fixed(run.p50, 1), fixed(run.p99, 1), fixed(run.p999, 1),
      run.serverMicroseconds.map { fixed($0, 3) } ?? "-", run.serverShare.map { fixed($0 * 100, 0) + " %" } ?? "-",
      fixed(run.loadShare * 100, 0) + " %",
    ]
  }

  private var notes: [String] {
    guard BenchRun.median(of: runs).isBoundByLoad else { return [] }
    return ["The load was the bottleneck, not the server: only the server's CPU time says something about the server."]
  }

  /// `1,234,567`
  private func grouped(_ number: Double) -> String {
    var digits = String(Int(number.rounded()))
    var groups: [String] = []
    while digits.count > 3 {
      groups.insert(String(digits.suffix(3)), at: 0)
      digits.removeLast(3)
    }
    return ([digits] + groups).joined(separator: ",")
  }

  /// With so many digits behind the point.
  private func fixed(_ number: Double, _ digits: Int) -> String {
    let scale = (0..<digits).reduce(1) { scale, _ in scale * 10 }
    let scaled = Int((number * Double(scale)).rounded())
    guard digits > 0 else { return String(scaled) }
    let fraction = String(scaled % scale)
    return "\(scaled / scale)." + String(repeating: "0", count: digits - fraction.count) + fraction
  }

  // MARK: For programs

  var json: String {
    let shape = shape.map { "\"\($0.name)\":\($0.value)" }
    let members =
      ["\"bench\":\"\(name)\""] + shape + [
        "\"window\":\(options.window)", "\"bytes\":\(options.bytes)", "\"counted\":\"\(units)\"",
        "\"runs\":[\(runs.map(object).joined(separator: ","))]", "\"median\":\(object(BenchRun.median(of: runs)))",
      ]
    return "{\(members.joined(separator: ","))}"
  }

  private func object(_ run: BenchRun) -> String {
    var members = [
      "\"count\":\(Int(run.count))", "\"seconds\":\(fixed(run.seconds, 6))",
      "\"per_second\":\(fixed(run.perSecond, 1))",
      "\"p50_us\":\(fixed(run.p50, 3))", "\"p99_us\":\(fixed(run.p99, 3))", "\"p999_us\":\(fixed(run.p999, 3))",
    ]
    if let cost = run.serverMicroseconds { members.append("\"server_us_each\":\(fixed(cost, 4))") }
    if let share = run.serverShare { members.append("\"server_cores\":\(fixed(share, 3))") }
    members.append("\"load_cores\":\(fixed(run.loadShare, 3))")
    members.append("\"load_was_bottleneck\":\(run.isBoundByLoad)")
    return "{\(members.joined(separator: ","))}"
  }
}
