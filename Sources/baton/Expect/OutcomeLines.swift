import BatonExpect

/// What came of cases, for people: a line for each file, and for each case that is not as expected what differs, side by
/// side, and what happened.
struct OutcomeLines {
  let paint: Paint
  let columns: Int

  func lines(of report: ExpectationReport) -> [String] {
    var lines: [String] = []
    for file in report.files {
      let failed = file.outcomes.filter { !$0.isAsExpected }
      for outcome in failed { lines += self.lines(of: outcome, in: file.path) }
      let path = file.path.displaySafe
      let all = counted(file.outcomes.count, "case", "cases")
      lines.append(
        failed.isEmpty
          ? "\(path): \(all), \(paint("all as expected", .green))"
          : "\(path): \(all), \(paint("\(failed.count) not as expected", .red))")
    }
    return lines
  }

  private func lines(of outcome: CaseOutcome, in path: String) -> [String] {
    let head = "\(path):\(outcome.place): ".displaySafe + paint(outcome.name.displaySafe, .bold)
    var steps = TextTable(columns: [
      .init(title: "AT", importance: 1, isRight: true), .init(title: "LINK", importance: 2, least: 10),
      .init(title: "WHAT HAPPENED", importance: 3, least: 16),
    ])
    steps.rows = outcome.trace.map {
      .cells([.init("\($0.atMilliseconds) ms"), .init($0.link), .init($0.words, $0.isTrouble ? .yellow : nil)])
    }
    var lines = [head] + differences(outcome.differences)
    if outcome.trace.isEmpty {
      lines.append("    " + paint("no link was asked", .dim))
    } else {
      lines += table(steps)
    }
    return lines + [""]
  }

  /// Side by side; below each other where that would cut something off.
  private func differences(_ differences: [Difference]) -> [String] {
    let widths = differences.map { [$0.what, $0.expected, $0.found].map(\.displaySafe.displayWidth) }
    let width = (0..<3).reduce(2 * TableLayout.gap) { all, at in all + (widths.map { $0[at] }.max() ?? 0) }
    if width > room {
      return differences.flatMap {
        [
          "    \($0.what.displaySafe)", "      expected  " + paint($0.expected.displaySafe, .green),
          "      found     " + paint($0.found.displaySafe, .red),
        ]
      }
    }
    var table = TextTable(columns: [
      .init(title: "WHAT", importance: 3), .init(title: "EXPECTED", importance: 2),
      .init(title: "FOUND", importance: 4),
    ])
    table.rows = differences.map { .cells([.init($0.what), .init($0.expected, .green), .init($0.found, .red)]) }
    return self.table(table)
  }

  /// The columns behind the margin.
  private var room: Int { max(columns, 44) - 4 }

  private func table(_ table: TextTable) -> [String] {
    let lines = table.lines(width: room, paint: paint)
    return ([lines.titles] + lines.rows).map { "    " + $0 }
  }
}
