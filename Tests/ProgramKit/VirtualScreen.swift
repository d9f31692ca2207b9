/// What a person would see on a terminal. It understands the few sequences that the program writes. It notes everything
/// else that is not visible text as a fault.
package struct VirtualScreen {
  package private(set) var columns: Int
  package private(set) var rows: Int
  /// What a person must not see: sequences that make no sense, lines that are too long.
  package private(set) var faults: [String] = []
  /// How often the bell was rung.
  package private(set) var rings = 0
  /// Whether the alternate screen is shown, which full-screen programs use and leave.
  package private(set) var isAlternate = false
  package private(set) var isCursorShown = true
  package private(set) var isWrapping = true
  /// Whether a colour or another style was ever set.
  package private(set) var hasStyles = false

  private var main: [[Character]] = []
  private var alternate: [[Character]] = []
  private var row = 0
  private var column = 0
  private var bytes: [UInt8] = []
  private var sequence: String?

  package init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
  }

  /// The lines, without spaces at their ends. On the first screen, which scrolls, these are all lines that were ever
  /// written.
  package var lines: [String] {
    (isAlternate ? alternate : main).map { line in
      String(line.filter { $0 != VirtualScreen.covered }).trimmingEnd
    }
  }
  package var text: String { lines.joined(separator: "\n") }

  /// The terminal was made larger or smaller.
  package mutating func resize(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
  }

  /// The program has written something, which may end in the middle of a character.
  package mutating func write(_ written: some Sequence<UInt8>) {
    bytes += written
    var whole = bytes.count
    // A character of which the end has not come is kept: that is at most three bytes.
    for back in 1...3 where back <= bytes.count {
      let byte = bytes[bytes.count - back]
      if byte & 0xC0 == 0x80 { continue }
      let needed = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
      if needed > back { whole = bytes.count - back }
      break
    }
    for scalar in String(decoding: bytes[..<whole], as: UTF8.self).unicodeScalars { take(scalar) }
    bytes.removeFirst(whole)
  }

  private mutating func take(_ scalar: Unicode.Scalar) {
    if let begun = sequence {
      sequence = begun + String(scalar)
      if begun.isEmpty ? scalar != "[" : (0x40...0x7E).contains(scalar.value) { obey() }
      return
    }
    switch scalar {
    case "\u{1B}": sequence = ""
    case "\r": column = 0
    case "\n": row += 1
    case "\u{7}": rings += 1
    default:
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator: faults.append("U+\(String(scalar.value, radix: 16))")
      default: put(Character(scalar))
      }
    }
  }

  // MARK: Sequences

  private mutating func obey() {
    let words = sequence ?? ""
    sequence = nil
    switch words {
    case "[?1049h", "[?1049l":
      isAlternate = words.hasSuffix("h")
      if isAlternate { alternate = [] }
      (row, column) = isAlternate ? (0, 0) : (main.count, 0)
    case "[?25h", "[?25l": isCursorShown = words.hasSuffix("h")
    case "[?7h", "[?7l": isWrapping = words.hasSuffix("h")
    case "[H": (row, column) = (0, 0)
    case "[K": erase()
    case "[J":
      erase()
      if isAlternate, row + 1 < alternate.count { alternate.removeSubrange((row + 1)...) }
    default:
      if words.hasSuffix("m"), words.dropFirst().dropLast().allSatisfy({ $0.isNumber || $0 == ";" }) {
        hasStyles = true
      } else {
        faults.append("ESC \(words)")
      }
    }
  }

  /// Erases the line from the cursor on. Behind a full line the cursor stands on its last letter.
  private mutating func erase() {
    let last = columns - 1
    change { line, column in if min(column, last) < line.count { line.removeSubrange(min(column, last)...) } }
  }

  // MARK: Text

  /// Stands in the second column of a wide character.
  private static let covered: Character = "\0"

  private mutating func put(_ character: Character) {
    let isWide = character.unicodeScalars.contains {
      (0x2E80...0x9FFF).contains($0.value) || (0xAC00...0xD7A3).contains($0.value)
    }
    let cells = isWide ? [character, VirtualScreen.covered] : [character]
    if column + cells.count > columns { return faults.append("a line is too long at \(character)") }
    if isAlternate, row >= rows { return faults.append("too many lines at \(character)") }
    change { line, column in
      while line.count < column + cells.count { line.append(" ") }
      line.replaceSubrange(column..<(column + cells.count), with: cells)
    }
    column += cells.count
  }

  private mutating func change(_ body: (inout [Character], Int) -> Void) {
    let (row, column) = (row, column)
    func changeLine(_ lines: inout [[Character]]) {
      while lines.count <= row { lines.append([]) }
      body(&lines[row], column)
    }
    if isAlternate { changeLine(&alternate) } else { changeLine(&main) }
  }
}

extension String {
  fileprivate var trimmingEnd: String {
    var text = self[...]
    while text.last == " " { text = text.dropLast() }
    return String(text)
  }
}
