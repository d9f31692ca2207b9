import ArgumentParser

/// The help, at most 80 columns wide: its lines are broken so that what stands in columns stays in them.
enum Help {
  /// What was asked for: a help, the version, a script.
  static func text(for error: any Error) -> String { shownLines(for: error).joined(separator: "\n") }

  /// The same for a terminal: where the help of the program is longer than that, its end alone would be seen.
  static func shownLines(for error: any Error) -> [String] {
    let all = lines(for: error)
    guard Terminal.isOutput, all.count >= Terminal.size.rows, all.contains("SERVER SUBCOMMANDS:") else { return all }
    return short.flatMap { wrapped($0) }
  }

  /// The help of the program on one screen.
  private static var short: [String] {
    let groups = BatonCommand.configuration.groupedSubcommands
    let width = groups.map(\.name.count).max() ?? 0
    let commands = groups.map { group in
      let names = group.subcommands.map { $0._commandName }.joined(separator: ", ")
      return "  \(group.name)" + String(repeating: " ", count: width - group.name.count + 2) + names
    }
    return [
      BatonCommand.configuration.abstract, "", "  baton serve", "  baton subscribe 'door.*'",
      "  baton send door.open '{\"door\":3}'", "",
    ] + commands + [
      "", "baton COMMAND --help says what a command does.",
      "baton --help | less has all of this help, with exit codes and the environment.",
    ]
  }

  static func lines(for error: any Error) -> [String] {
    let text = BatonCommand.fullMessage(for: error, columns: 100_000)
    return text.hasPrefix("OVERVIEW: ") || text.hasPrefix("USAGE: ")
      ? wrapped(text)
      : Completions.withoutExpansion(text).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// The text in lines that fit.
  static func wrapped(_ text: String) -> [String] {
    let width = Terminal.isOutput ? max(min(Terminal.size.columns, 80), 30) : 80
    return text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { wrap(String($0), to: width) }
  }

  /// One line. What is behind its break stands below the text of its last column.
  private static func wrap(_ line: String, to width: Int) -> [String] {
    // Nobody breaks an error: programs look for it.
    if line.count <= width || line.hasPrefix("Error: ") { return [line] }
    let indent = String(repeating: " ", count: min(column(of: line), width - 20))
    var lines: [String] = []
    var current = ""
    for piece in pieces(of: line) {
      let next = current + piece
      if !current.allSatisfy({ $0 == " " }), next.trimmingSpacesAtEnd.count > width {
        lines.append(current.trimmingSpacesAtEnd)
        current = indent + piece.drop { $0 == " " }
      } else {
        current = next
      }
    }
    return lines + [current.trimmingSpacesAtEnd]
  }

  /// How wide the column of options is, in which a name that fills it has one space behind it.
  private static let optionWidth = 26

  /// Where the last column begins: behind a label, or behind two spaces.
  private static func column(of line: String) -> Int {
    let begin = line.prefix { $0 == " " }.count
    for label in ["OVERVIEW: ", "USAGE: baton ", "Usage: baton ", "Help:  "] where line.hasPrefix(label) {
      return label.hasPrefix("OVERVIEW") ? 0 : label.count
    }
    let body = line.dropFirst(begin)
    let fillsItsColumn = body.hasPrefix("-") && line.count > optionWidth && line.prefix(optionWidth).last == " "
    if begin == 2, fillsItsColumn { return optionWidth }
    guard begin > 0, let gap = body.firstRange(of: "  ") else { return begin }
    let text = body[gap.upperBound...].drop { $0 == " " }
    return line.count - text.count
  }

  /// Words with the spaces behind them. What stands in brackets is one word.
  private static func pieces(of line: String) -> [String] {
    var pieces: [String] = []
    var current = ""
    var depth = 0
    let hasBrackets = line.lowercased().hasPrefix("usage: ")
    var wasSpace = true
    for character in line {
      if wasSpace, character != " ", depth == 0, !current.isEmpty {
        pieces.append(current)
        current = ""
      }
      if hasBrackets, character == "[" { depth += 1 }
      if hasBrackets, character == "]" { depth -= 1 }
      wasSpace = character == " "
      current.append(character)
    }
    return pieces + [current]
  }
}

extension String {
  fileprivate var trimmingSpacesAtEnd: String {
    var text = self
    while text.last == " " { text.removeLast() }
    return text
  }
}
