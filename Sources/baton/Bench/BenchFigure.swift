/// How figures are written, for people and for programs.
enum BenchFigure {
  /// `1,234,567`
  static func grouped(_ number: Double) -> String {
    var digits = String(Int(number.rounded()))
    var groups: [String] = []
    while digits.count > 3 {
      groups.insert(String(digits.suffix(3)), at: 0)
      digits.removeLast(3)
    }
    return ([digits] + groups).joined(separator: ",")
  }

  /// With so many digits behind the point.
  static func fixed(_ number: Double, _ digits: Int) -> String {
    let scale = (0..<digits).reduce(1) { scale, _ in scale * 10 }
    let scaled = Int((number * Double(scale)).rounded())
    guard digits > 0 else { return String(scaled) }
    let fraction = String(scaled % scale)
    return "\(scaled / scale)." + String(repeating: "0", count: digits - fraction.count) + fraction
  }

  /// A share of 1 as `50 %`.
  static func percent(_ share: Double) -> String { fixed(share * 100, 0) + " %" }

  /// The rows of a table as lines, each column as wide as its widest cell.
  static func lines(_ rows: [[String]]) -> [String] {
    let widths = (rows.first ?? []).indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      row.indices.map { String(repeating: " ", count: widths[$0] - row[$0].count) + row[$0] }.joined(separator: "  ")
    }
  }
}

extension BenchRun {
  /// One JSON object.
  var json: String {
    var members = [
      "\"count\":\(Int(count))", "\"seconds\":\(BenchFigure.fixed(seconds, 6))",
      "\"per_second\":\(BenchFigure.fixed(perSecond, 1))", "\"p50_us\":\(BenchFigure.fixed(p50, 3))",
      "\"p99_us\":\(BenchFigure.fixed(p99, 3))", "\"p999_us\":\(BenchFigure.fixed(p999, 3))",
    ]
    if let cost = serverMicroseconds { members.append("\"server_us_each\":\(BenchFigure.fixed(cost, 4))") }
    if let share = serverShare { members.append("\"server_cores\":\(BenchFigure.fixed(share, 3))") }
    members.append("\"load_cores\":\(BenchFigure.fixed(loadShare, 3))")
    members.append("\"load_was_bottleneck\":\(isBoundByLoad)")
    return "{\(members.joined(separator: ","))}"
  }
}
