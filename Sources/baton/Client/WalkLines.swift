/// One line for each walk and, if wanted, for each of its hops.
struct WalkLines {
  /// Whether a person reads them.
  let isForPeople: Bool
  /// Whether nothing is shortened.
  let isFull: Bool
  let hasHops: Bool

  private static let columns: [TextTable.Column] = [
    .init(title: "TIME", importance: 5), .init(title: "WALK", importance: 6, isRight: true),
    .init(title: "CHAIN", importance: 3, least: 8), .init(title: "TOPIC", importance: 10, least: 12),
    .init(title: "FROM", importance: 4, least: 8), .init(title: "STATUS", importance: 9),
    .init(title: "BY", importance: 8, least: 8), .init(title: "HOPS", importance: 2, isRight: true),
    .init(title: "TOTAL", importance: 7, isRight: true),
  ]
  /// The widths of the columns if there is room. The widths of later lines are not known yet.
  private static let widths = [12, 8, 16, 48, 20, 9, 20, 4, 8]
  /// The least widths where nothing is shortened.
  private static let fullWidths = [12, 4, 8, 16, 8, 9, 8, 4, 8]

  /// Computed for each line, because the size of the terminal may change.
  private var layout: TableLayout {
    isFull
      ? TableLayout(WalkLines.columns, widths: WalkLines.fullWidths, within: .max)
      : TableLayout(WalkLines.columns, widths: WalkLines.widths, within: Terminal.size.columns)
  }
  private var paint: Paint { .output }

  /// What each place holds.
  var header: String {
    if isForPeople { return layout.titles(paint: paint) }
    return tabbed(["time", "walk", "chain", "topic", "from", "status", "by", "hops", "total_us"])
  }

  /// The walk has just ended.
  func lines(_ walk: FinishedWalk) -> [String] {
    isForPeople
      ? [forPeople(walk)] + (hasHops ? walk.steps.map(forPeople) : [])
      : [forPrograms(walk)] + (hasHops ? walk.steps.map { $0.fields(of: walk.walk) } : [])
  }

  // MARK: People

  private func forPeople(_ walk: FinishedWalk) -> String {
    layout.line(
      isShortened: !isFull,
      [
        .init(WallClock.now.local, .dim), .init("\(walk.walk)"), .init(walk.chain), .init(walk.topic, .bold),
        .init(walk.from), .init(walk.story.status, walk.statusStyle), .init(walk.story.by ?? ""),
        .init(walk.story.hops.map(String.init) ?? ""),
        .init(Figures.microseconds(walk.totalMicroseconds)),
      ], paint: paint)
  }

  private func forPeople(_ hop: Hop) -> String {
    var words = [hop.place]
    words.append(hop.outcomeWords)
    if let wait = hop.waitMicroseconds { words.append("waited \(Figures.microseconds(wait))") }
    if let service = hop.serviceMicroseconds { words.append("took \(Figures.microseconds(service))") }
    if hop.rewrote == true { words.append("rewrote") }
    if hop.again == true { words.append("again") }
    if hop.together == true { words.append("together") }
    if let message = hop.message { words.append(message) }
    let text = "    " + words.joined(separator: "  ").displaySafe
    return paint(isFull ? text : text.fitted(to: Terminal.size.columns), hop.style)
  }

  // MARK: Programs

  private func forPrograms(_ walk: FinishedWalk) -> String {
    tabbed([
      WallClock.now.utc, "\(walk.walk)", walk.chain, walk.topic, walk.from, walk.story.status,
      walk.story.by ?? "", walk.story.hops.map(String.init) ?? "", walk.totalMicroseconds.map(String.init) ?? "",
    ])
  }
}

extension Hop {
  /// For programs. A line of a hop begins with `hop`; a line of a walk begins with a time.
  func fields(of walk: Int) -> String {
    let marks = [(rewrote, "rewrote"), (again, "again")].compactMap { $0.0 == true ? $0.1 : nil }
    return tabbed([
      "hop", "\(walk)", chain, name, outcome ?? (hidden == true ? "hidden" : "skipped"), skipped ?? "",
      waitMicroseconds.map(String.init) ?? "", serviceMicroseconds.map(String.init) ?? "", marks.joined(separator: ","),
      message ?? "",
    ])
  }

  fileprivate var style: Style? {
    switch outcome {
    case "handled": .green
    case "continue", nil: .dim
    case "reject": .yellow
    default: .red
    }
  }
}
