/// Rows of cells under titled columns, with headings between them. It fits into a width: the least important columns
/// are left out, and others are shortened as far as they allow.
struct TextTable {
  /// What all cells of a column have in common.
  struct Column {
    let title: String
    /// If columns must be left out, empty ones go first, then the least important ones.
    var importance: Int
    var isRight = false
    /// Its cells may be shortened to this many columns of the terminal; nil: they may not be shortened.
    var least: Int?
  }

  /// A text and its style.
  struct Cell: ExpressibleByStringLiteral {
    let text: String
    var style: Style?

    /// Texts of peers are made safe only here.
    init(_ text: String, _ style: Style? = nil) {
      self.text = text.displaySafe
      self.style = style
    }

    init(stringLiteral text: String) { self.init(text) }
  }

  /// A line of the table.
  enum Row {
    /// One cell for each column.
    case cells([Cell])
    /// Texts side by side, which are not aligned to the columns.
    case heading([Cell])
  }

  let columns: [Column]
  var rows: [Row] = []

  /// The width of each column's widest cell.
  private var naturalWidths: [Int] {
    var widths = columns.map(\.title.displayWidth)
    for case .cells(let cells) in rows {
      for (index, cell) in zip(widths.indices, cells) { widths[index] = max(widths[index], cell.text.displayWidth) }
    }
    return widths
  }

  /// Columns whose cells are all empty do not matter.
  private var columnsAsTheyMatter: [Column] {
    var columns = columns
    var isEmpty = columns.map { _ in true }
    for case .cells(let cells) in rows {
      for (index, cell) in zip(columns.indices, cells) where !cell.text.isEmpty { isEmpty[index] = false }
    }
    for index in columns.indices where isEmpty[index] { columns[index].importance = 0 }
    return columns
  }

  /// The titles and all rows, each at most `width` columns wide.
  func lines(width: Int, paint: Paint) -> (titles: String, rows: [String]) {
    let layout = TableLayout(columnsAsTheyMatter, widths: naturalWidths, within: width)
    let lines = rows.map { row in
      switch row {
      case .cells(let cells): layout.line(cells, paint: paint)
      case .heading(let cells): TextTable.heading(cells, width: width, paint: paint)
      }
    }
    return (layout.titles(paint: paint), lines)
  }

  /// Prints the titles and all rows, as wide as the terminal.
  func put() throws {
    let lines = lines(width: Terminal.size.columns, paint: .output)
    for line in [lines.titles] + lines.rows { try baton.put(line) }
  }

  private static func heading(_ cells: [Cell], width: Int, paint: Paint) -> String {
    var left = width
    var pieces: [String] = []
    for cell in cells where left > 0 {
      let text = cell.text.fitted(to: left)
      left -= text.displayWidth + TableLayout.gap
      pieces.append(paint(text, cell.style))
    }
    return pieces.joined(separator: String(repeating: " ", count: TableLayout.gap))
  }
}
