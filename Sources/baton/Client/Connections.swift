import ArgumentParser
import BatonClient

/// `baton connections`: who is connected, and what each connection holds.
struct Connections: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show the connections, or those that were closed last.",
    discussion: """
      The connections to which the server could not yet send the most bytes come first. UNSENT are those bytes, OPEN \
      are the messages of the connection that are under way, and PAUSED says why the server does not read from it. In a \
      pipe there is a header, and tabs between the fields.

      EXAMPLES:
        baton connections
        baton connections --closed
        baton close 12
      """)

  @Flag(help: "Show the connections that were closed last, and why.")
  var closed = false

  @OptionGroup(title: "Server") var server: ServerOptions

  func run() async throws {
    try await server.withClient { client in
      let (seen, line) = try await client.inspect("connections")
      switch server.form {
      case .json: try put(line.bytes)
      case .people:
        let table = closed ? Connections.table(seen.closed ?? []) : Connections.table(seen.connections ?? [])
        if table.rows.isEmpty { return talk("The server has closed no connection.") }
        try table.put()
      case .program:
        let lines = closed ? Connections.fields(seen.closed ?? []) : Connections.fields(seen.connections ?? [])
        for line in lines { try put(line) }
      }
    }
  }

  // MARK: For people

  private static func table(_ connections: [Inspection.Connection]) -> TextTable {
    var table = TextTable(columns: [
      .init(title: "NUMBER", importance: 9, isRight: true), .init(title: "NAME", importance: 10, least: 8),
      .init(title: "ADDRESS", importance: 4, least: 10), .init(title: "FOR", importance: 3, isRight: true),
      .init(title: "LINKS", importance: 5, isRight: true), .init(title: "SUBS", importance: 2, isRight: true),
      .init(title: "OPEN", importance: 6, isRight: true), .init(title: "UNSENT", importance: 8, isRight: true),
      .init(title: "MISSED", importance: 1, isRight: true), .init(title: "PAUSED", importance: 7),
    ])
    table.rows = connections.map {
      .cells([
        .init("\($0.connection)"), .init($0.name, .bold), .init($0.address ?? ""),
        .init(Figures.milliseconds($0.sinceMilliseconds), .dim), .init(Figures.count($0.links)),
        .init(Figures.count($0.subscriptions)), .init(Figures.count($0.open)),
        .init(Figures.bytes($0.unsentBytes), $0.unsentBytes >= 1 << 20 ? .yellow : nil),
        .init(Figures.count($0.missed), $0.missed > 0 ? .yellow : nil), .init($0.paused ?? "", .yellow),
      ])
    }
    return table
  }

  private static func table(_ closed: [Inspection.ClosedConnection]) -> TextTable {
    var table = TextTable(columns: [
      .init(title: "AGO", importance: 3, isRight: true), .init(title: "NUMBER", importance: 2, isRight: true),
      .init(title: "NAME", importance: 4, least: 8), .init(title: "REASON", importance: 5, least: 20),
    ])
    table.rows = closed.map {
      .cells([
        .init(Figures.milliseconds($0.agoMilliseconds), .dim), .init("\($0.connection)"), .init($0.name, .bold),
        .init($0.reason),
      ])
    }
    return table
  }

  // MARK: For programs

  private static func fields(_ connections: [Inspection.Connection]) -> [String] {
    let names = [
      "connection", "name", "address", "since_ms", "links", "subscriptions", "open", "unsent_bytes", "missed", "paused",
    ]
    return [tabbed(names)]
      + connections.map {
        tabbed([
          "\($0.connection)", $0.name, $0.address ?? "", "\($0.sinceMilliseconds)", "\($0.links)",
          "\($0.subscriptions)", "\($0.open)", "\($0.unsentBytes)", "\($0.missed)", $0.paused ?? "",
        ])
      }
  }

  private static func fields(_ closed: [Inspection.ClosedConnection]) -> [String] {
    [tabbed(["ago_ms", "connection", "name", "reason"])]
      + closed.map { tabbed(["\($0.agoMilliseconds)", "\($0.connection)", $0.name, $0.reason]) }
  }
}
