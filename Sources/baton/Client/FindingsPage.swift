/// Findings for people, the worst first. What does not fit on the screen is told in fewer words, the worst last.
struct FindingsPage {
  private let findings: [Finding]
  private let columns: Int

  init(_ findings: [Finding], columns: Int) {
    self.findings = Self.worstFirst(findings)
    self.columns = columns
  }

  /// What is wrong, then warnings, then what is well; each in the order in which it came.
  private static func worstFirst(_ findings: [Finding]) -> [Finding] {
    [Finding.Level.wrong, .warning, .ok].flatMap { level in findings.filter { $0.level == level } }
  }

  /// How much is told.
  private struct Detail {
    /// The most findings of a kind.
    var mostOfAKind = Int.max
    /// Whether each check that found nothing has a line.
    var tellsWhatIsWell = true
    /// Whether it is told what to do.
    var tellsNext = true
  }

  /// At most so many lines, if that is possible at all.
  func lines(within rows: Int) -> [String] {
    let details =
      [Detail(), Detail(tellsWhatIsWell: false)]
      + [3, 2, 1].map { Detail(mostOfAKind: $0, tellsWhatIsWell: false) }
      + [Detail(mostOfAKind: 1, tellsWhatIsWell: false, tellsNext: false)]
    var told: [String] = []
    for detail in details {
      told = lines(detail)
      if told.count <= rows { return told }
    }
    guard rows > 1 else { return told }
    return told.prefix(rows - 1) + ["\(Glyphs.current.ellipsis) and more: baton doctor | cat"]
  }

  private func lines(_ detail: Detail) -> [String] {
    var lines: [String] = []
    var counts: [String: Int] = [:]
    for (place, finding) in findings.enumerated() where detail.tellsWhatIsWell || finding.level != .ok {
      let kind = finding.level == .ok ? "" : finding.what
      counts[kind, default: 0] += 1
      if kind.isEmpty || counts[kind, default: 0] <= detail.mostOfAKind {
        lines += text(finding.sentence, behind: finding.mark, width: Glyphs.current.ok.count)
        if let next = finding.next, detail.tellsNext {
          let mark = Paint.output("  \(Glyphs.current.arrow)", .dim)
          lines += text(next, behind: mark, width: 2 + Glyphs.current.arrow.count)
        }
      }
      let isLast =
        findings.dropFirst(place + 1).first.map { $0.what != finding.what || $0.level != finding.level } ?? true
      let more = counts[kind, default: 0] - detail.mostOfAKind
      if isLast, !kind.isEmpty, detail.mostOfAKind < .max, more > 0 {
        let rest = "\(Glyphs.current.ellipsis) and \(more) more of \(kind.displaySafe): baton doctor | cat"
        lines.append(rest.fitted(to: columns))
      }
    }
    let well = findings.filter { $0.level == .ok }.map(\.what)
    if !detail.tellsWhatIsWell, !well.isEmpty {
      let mark = Paint.output(Glyphs.current.ok, .green)
      lines += text("well: \(well.joined(separator: ", "))", behind: mark, width: Glyphs.current.ok.count)
    }
    return lines
  }

  /// A text behind a mark, on as many lines as it needs.
  private func text(_ text: String, behind mark: String, width: Int) -> [String] {
    let rest = String(repeating: " ", count: width)
    return text.displaySafe.wrapped(to: columns - 5).enumerated().map { "\($0 == 0 ? mark : rest) \($1)" }
  }
}
