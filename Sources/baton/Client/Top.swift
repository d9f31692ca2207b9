import ArgumentParser
import BatonClient

/// `baton top`: shows what the whole server is doing.
struct Top: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Watch the whole server.",
    discussion: """
      On a terminal the page is drawn again each second. q quits, the arrow keys or j and k scroll, p pauses, s \
      sorts the links: slowest first, or busiest first. In a pipe there is one line for each fact, with tabs between \
      the fields.
      """)

  @OptionGroup(title: "Server")
  var server: ServerOptions

  func run() async throws {
    let wanted = InspectionRequest(wantsServer: true, wantsHistory: Terminal.isOutput || server.json)
    if Terminal.canRedraw, !server.json {
      return try await server.telling { try await LiveView.run(TopPage(place: server.place), wanted.live, on: server) }
    }
    try await server.withClient { client in
      let (seen, pages) = try await client.inspect(wanted)
      if server.json {
        for page in pages { try put(page.bytes) }
        return
      }
      for line in TopLines.lines(seen) { try put(line) }
    }
  }
}
