import ArgumentParser
import BatonClient

/// `baton dead list`: the dead letters of the server.
struct DeadList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List dead letters: chain by chain, the oldest of a chain first.",
    discussion: """
      In a pipe there is a header, and tabs between the fields. With --json each dead letter is one line, as the \
      server writes it, without its payload. If there are more than are shown, standard error says so.
      """)

  @OptionGroup var filter: DeadFilter

  @Option(
    help: ArgumentHelp("The most dead letters that are shown. (default: 100)", valueName: "count"),
    transform: SaidWords.whole)
  var limit: Int?

  @OptionGroup(title: "Server") var server: ServerOptions

  func validate() throws {
    if let limit, limit < 1 { throw ValidationError("--limit must be a number from 1") }
  }

  func run() async throws {
    let most = limit ?? 100
    try await server.withClient { client in
      var letters: [DeadLetter] = []
      var hasMore = false
      // Whoever may see none is told so, and gets no table.
      var needsHeader = server.form == .program
      func putHeader() throws {
        if needsHeader { try put(DeadTable.header) }
        needsHeader = false
      }
      try await filter.each(of: client) { letter in
        hasMore = letters.count == most
        if hasMore { return false }
        letters.append(letter)
        switch server.form {
        case .json: try put(letter.line.bytes)
        case .program:
          try putHeader()
          try put(DeadTable.fields(letter))
        case .people: break
        }
        return true
      }
      try putHeader()
      // Whoever reads the output takes it for all there is.
      defer { if hasMore { talk("\(Glyphs.current.ellipsis) and more: --limit \(most * 5)") } }
      guard server.form == .people else { return }
      if letters.isEmpty { return talk(filter.isEmpty ? "There is no dead letter." : "There is none \(filter.words).") }
      for line in DeadTable(letters: letters).lines(within: Terminal.size.columns, paint: .output) { try put(line) }
    }
  }
}

/// `baton dead show`: one dead letter.
struct DeadShow: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show a dead letter with its payload.",
    discussion: "In a pipe the output is the payload alone. With --json it is the dead letter as the server writes it.")

  @Argument(help: "Its name; baton dead list shows it.", completion: Completing.deadLetter)
  var name: String

  @OptionGroup(title: "Server") var server: ServerOptions

  func run() async throws {
    try await server.withClient { client in
      let letter = try await client.deadLetter(name)
      switch server.form {
      case .json: try put(letter.line.bytes)
      case .program: try put(letter.payload?.seen ?? "")
      case .people:
        for line in DeadTable.lines(of: letter, within: Terminal.size.columns, paint: .output) { try put(line) }
      }
    }
  }
}
