import ArgumentParser
import BatonClient

/// `baton changes`: the links that came, went or changed, also those of the past.
struct ChangesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "changes",
    abstract: "Show the last changes: which links came and went, and who did it.",
    discussion: """
      At most 100 changes are shown, the latest first. In a pipe there is a header, and tabs between the fields.
      """)

  @OptionGroup(title: "Server") var server: ServerOptions

  func run() async throws {
    try await server.withClient { client in
      let (seen, line) = try await client.inspect("changes")
      let changes = seen.changes ?? []
      if changes.isEmpty { try await client.requireSight() }
      switch server.form {
      case .json: try put(line.bytes)
      case .people:
        if changes.isEmpty {
          return talk("Nothing has changed since the server was started.")
        }
        try ChangesCommand.table(changes).put()
      case .program: for line in ChangesCommand.fields(changes) { try put(line) }
      }
    }
  }

  private static func table(_ changes: [Inspection.Change]) -> TextTable {
    var table = TextTable(columns: [
      .init(title: "AGO", importance: 6, isRight: true), .init(title: "CHAIN", importance: 4, least: 6),
      .init(title: "LINK", importance: 8, least: 10), .init(title: "WHAT", importance: 7),
      .init(title: "BY", importance: 5, least: 6), .init(title: "VERSION", importance: 2, isRight: true),
    ])
    table.rows = changes.map {
      .cells([
        .init(Figures.milliseconds($0.agoMilliseconds), .dim), .init($0.chain ?? ""), .init($0.subject, .bold),
        .init($0.what + ($0.as.map { ", now \($0)" } ?? ""), $0.style), .init($0.by ?? ""),
        .init($0.version.map(String.init) ?? "", .dim),
      ])
    }
    return table
  }

  private static func fields(_ changes: [Inspection.Change]) -> [String] {
    [tabbed(["ago_ms", "what", "chain", "link", "as", "version", "connection", "name", "by"])]
      + changes.map { change in
        tabbed([
          "\(change.agoMilliseconds)", change.what, change.chain ?? "", change.handler ?? change.mount ?? "",
          change.as ?? "", change.version.map(String.init) ?? "", change.connection.map(String.init) ?? "",
          change.name ?? "", change.by ?? "",
        ])
      }
  }
}

extension Inspection.Change {
  /// What has changed, for people.
  fileprivate var subject: String {
    if let connection { return "connection \(connection)" + (name.map { " (\($0))" } ?? "") }
    return handler ?? mount.map { "\(Glyphs.current.arrow) \($0)" } ?? ""
  }

  fileprivate var style: Style? {
    switch what {
    case "lost", "closed": .red
    case "removed": .yellow
    case "inserted": .green
    default: nil
    }
  }
}
