import ArgumentParser
import BatonClient

/// `baton stuck`: the messages that are under way, the oldest first.
struct Stuck: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show the oldest messages under way: where each is, and what it waits for.",
    discussion: """
      At most 100 messages are shown. In a pipe there is a header, and tabs between the fields.

      EXAMPLES:
        baton stuck
        baton stuck --chain moderation
      """)

  @Option(help: "Only messages that are in this chain now.", completion: Completing.chain, transform: SaidWords.name)
  var chain: String?

  @OptionGroup(title: "Server") var server: ServerOptions

  func run() async throws {
    try await server.withClient { client in
      let (seen, line) = try await client.inspect("messages", chain: chain)
      let messages = seen.messages ?? []
      if messages.isEmpty { try await client.requireSight(of: chain) }
      switch server.form {
      case .json: try put(line.bytes)
      case .people:
        if messages.isEmpty { return talk("No message is under way.") }
        try Stuck.table(messages).put()
      case .program: for line in Stuck.fields(messages) { try put(line) }
      }
    }
  }

  private static func table(_ messages: [Inspection.OpenMessage]) -> TextTable {
    var table = TextTable(columns: [
      .init(title: "AGE", importance: 8, isRight: true), .init(title: "WALK", importance: 4, isRight: true),
      .init(title: "CHAIN", importance: 6, least: 6), .init(title: "LINK", importance: 9, least: 8),
      .init(title: "STATE", importance: 10, least: 24), .init(title: "TOPIC", importance: 7, least: 10),
      .init(title: "FROM", importance: 5, least: 6), .init(title: "KEY", importance: 3, least: 6),
    ])
    table.rows = messages.map {
      .cells([
        .init(Figures.milliseconds($0.ageMilliseconds), $0.ageMilliseconds >= 10_000 ? .yellow : nil),
        .init("\($0.walk)"), .init($0.chain), .init($0.handler ?? "", .bold), .init(words($0.state)),
        .init($0.topic), .init($0.from), .init($0.key ?? ""),
      ])
    }
    return table
  }

  private static func words(_ state: String) -> String {
    switch state {
    case "offered": "the handler has it"
    case "waiting": "waits at the link"
    case "held": "waits for the handler to come back"
    case "key": "waits for its key"
    case "turn": "waits for its sender's turn"
    case "record": "has ended; its end is not recorded yet"
    default: state
    }
  }

  private static func fields(_ messages: [Inspection.OpenMessage]) -> [String] {
    [tabbed(["age_ms", "walk", "chain", "handler", "state", "topic", "from", "key"])]
      + messages.map {
        tabbed([
          "\($0.ageMilliseconds)", "\($0.walk)", $0.chain, $0.handler ?? "", $0.state, $0.topic, $0.from, $0.key ?? "",
        ])
      }
  }
}
