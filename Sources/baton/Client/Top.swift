import ArgumentParser
import BatonClient

/// `baton top`: shows what the whole server is doing.
struct Top: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Watch the whole server.",
    discussion: """
      The first line that is not a number says what is wrong: how many links are in trouble, and which is the worst. \
      Links in trouble come first. On a terminal the page is drawn again each second. q quits, the arrow keys or j and k \
      scroll, p pauses, s sorts the links: slowest first, or busiest first. In a pipe there is one line for each fact, \
      with tabs between the fields; what is wrong comes first. Who may not see the server sees the chains that it may see.
      """)

  @OptionGroup(title: "Server")
  var server: ServerOptions

  func run() async throws {
    var wanted = InspectionRequest(wantsServer: true, wantsHistory: Terminal.isOutput || server.json)
    wanted.wantsFindings = !server.json
    if Terminal.canRedraw, !server.json {
      let page = TopPage(place: server.namedPlace)
      return try await server.telling { try await LiveView.run(page, wanted.live, on: server) }
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
