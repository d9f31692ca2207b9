/// Which columns of a table are shown, and how wide each is.
struct TableLayout {
  /// Spaces between columns.
  static let gap = 2

  private let columns: [TextTable.Column]
  /// The columns that are shown, by their places among all, with their widths.
  private(set) var shown: [(index: Int, width: Int)]

  /// Each column gets its width if all fit. If not, the least important columns are left out, and the widest of those
  /// that allow it are shortened.
  init(_ columns: [TextTable.Column], widths: [Int], within width: Int) {
    self.columns = columns
    shown = zip(columns.indices, widths).map { ($0, $1) }
    while shown.count > 1, leastTotal > width { leaveOneOut() }
    while total > width, shortenOne() {}
    // A single column has the whole width, and no more.
    if shown.count == 1 { shown[0].width = min(shown[0].width, max(width, 0)) }
  }

  private var gaps: Int { TableLayout.gap * max(shown.count - 1, 0) }
  private var total: Int { shown.reduce(gaps) { $0 + $1.width } }
  private var leastTotal: Int { shown.reduce(gaps) { $0 + leastWidth($1) } }

  private func leastWidth(_ place: (index: Int, width: Int)) -> Int {
    min(place.width, columns[place.index].least ?? place.width)
  }

  private mutating func leaveOneOut() {
    let least = shown.indices.min {
      columns[shown[$0].index].importance < columns[shown[$1].index].importance
    }
    if let least { shown.remove(at: least) }
  }

  /// Makes the widest column that allows it one narrower; false if none allows it.
  private mutating func shortenOne() -> Bool {
    let spare = shown.indices.filter { shown[$0].width > leastWidth(shown[$0]) }
    guard let widest = spare.max(by: { shown[$0].width < shown[$1].width }) else { return false }
    shown[widest].width -= 1
    return true
  }

  /// The columns' titles.
  func titles(paint: Paint) -> String { line(columns.map { TextTable.Cell($0.title, .dim) }, paint: paint) }

  /// One row: each cell as wide as its column, without spaces at the end. A row that is not shortened has wider cells.
  func line(isShortened: Bool = true, _ cells: [TextTable.Cell], paint: Paint) -> String {
    var line = ""
    var pending = 0
    for (number, place) in shown.enumerated() where place.index < cells.count {
      if number > 0 { pending += TableLayout.gap }
      let cell = cells[place.index]
      let text = isShortened ? cell.text.fitted(to: place.width) : cell.text
      let room = max(place.width - text.displayWidth, 0)
      if columns[place.index].isRight { pending += room }
      if !text.isEmpty {
        line += String(repeating: " ", count: pending) + paint(text, cell.style)
        pending = 0
      }
      if !columns[place.index].isRight { pending += room }
    }
    return line
  }
}
