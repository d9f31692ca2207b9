import BatonCore

/// A page of the manual in section 1, in the language of man(7).
struct ManualPage {
  /// `baton`, `baton-send`, …
  let name: String
  let text: String

  /// The page of a command and those of its subcommands.
  static func all(of command: CommandInfo) -> [ManualPage] {
    [ManualPage(command)] + command.shownSubcommands.flatMap { all(of: $0) }
  }

  private init(_ command: CommandInfo) {
    let words = (command.superCommands ?? []) + [command.commandName]
    name = words.joined(separator: "-")
    var lines = [
      ".TH \(name.uppercased()) 1 \"\" \"baton \(Settings.version)\"",
      ".SH NAME", "\(name) \\- \(ManualPage.text(command.abstract ?? ""))",
      ".SH SYNOPSIS", ".B \(ManualPage.text(words.joined(separator: " ")))", ManualPage.synopsis(of: command),
    ]
    if let discussion = command.discussion { lines += ManualPage.sections(of: discussion) }
    lines += ManualPage.section("OPTIONS", command.arguments?.filter(\.shouldDisplay).map(ManualPage.entry) ?? [])
    lines += ManualPage.section(
      "SUBCOMMANDS", command.shownSubcommands.map { [page = name] in ManualPage.entry($0, in: page) })
    if words.count > 1 { lines += [".SH SEE ALSO", ".BR baton (1)"] }
    text = lines.joined(separator: "\n")
  }

  private static func section(_ title: String, _ entries: [[String]]) -> [String] {
    entries.isEmpty ? [] : [".SH \(title)"] + entries.flatMap(\.self)
  }

  private static func synopsis(of command: CommandInfo) -> String {
    let arguments = (command.arguments ?? []).filter { $0.kind == .positional && $0.shouldDisplay }.map { argument in
      let name = "<\(argument.valueName ?? "")>" + (argument.isRepeating ? " ..." : "")
      return argument.isOptional ? "[\(name)]" : name
    }
    return text(
      (["[options]"] + arguments + (command.shownSubcommands.isEmpty ? [] : ["<subcommand>"]))
        .joined(separator: " "))
  }

  private static func entry(_ argument: CommandInfo.Argument) -> [String] {
    let value = argument.valueName.map { "<\($0)>" }
    let names = (argument.names ?? []).map(\.spelled).joined(separator: ", ")
    let head =
      switch argument.kind {
      case .positional: value ?? ""
      case .option: "\(names) \(value ?? "")"
      case .flag: names
      }
    var body = argument.abstract ?? ""
    if let values = argument.allValues, !values.isEmpty { body += " (values: \(values.joined(separator: ", ")))" }
    if let value = argument.defaultValue { body += " (default: \(value))" }
    return [".TP", ".B \(text(head))", text(body)]
  }

  private static func entry(_ command: CommandInfo, in page: String) -> [String] {
    [".TP", ".BR \(text("\(page)-\(command.commandName)")) (1)", text(command.abstract ?? "")]
  }

  /// A discussion has paragraphs, headings in capitals that end in a colon, and lines that are indented to be shown as
  /// they are.
  private static func sections(of discussion: String) -> [String] {
    var lines = [".SH DESCRIPTION"]
    var isVerbatim = false
    for line in discussion.split(separator: "\n", omittingEmptySubsequences: false) {
      let isIndented = line.hasPrefix("  ")
      if isIndented != isVerbatim, !(line.isEmpty && isVerbatim) {
        lines.append(isIndented ? ".nf" : ".fi")
        isVerbatim = isIndented
      }
      if line.isEmpty {
        lines.append(".PP")
      } else if line.hasSuffix(":"), line == line.uppercased() {
        lines.append(".SH \(line.dropLast())")
      } else {
        lines.append(text(isIndented ? String(line.dropFirst(2)) : String(line)))
      }
    }
    if lines.count > 1, lines[1].hasPrefix(".SH") { lines.removeFirst() }
    return lines + (isVerbatim ? [".fi"] : [])
  }

  /// Text that means itself.
  private static func text(_ text: String) -> String {
    var escaped = ""
    for character in text {
      switch character {
      case "\\": escaped += "\\e"
      case "-": escaped += "\\-"
      default: escaped.append(character)
      }
    }
    return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&" + escaped : escaped
  }
}
