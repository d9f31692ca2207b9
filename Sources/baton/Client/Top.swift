import ArgumentParser
import BatonClient

/// `baton top`: what the whole server is doing, now and as it goes on.
struct Top: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Watch the whole server.",
    discussion: """
      On a terminal, drawn anew each second: q quits, arrows or j and k scroll, p pauses, s puts the slowest \
      links first, or the busiest. In a pipe: one look, a line for each fact, its parts separated by tabs.
      """)

  @OptionGroup(title: "Server")
  var server: ServerOptions

  func run() async throws {
    let wanted = InspectionRequest(wantsServer: true)
    if Terminal.isOutput, !server.json {
      return try await server.telling { try await LiveView.run(TopPage(place: server.place), wanted, on: server) }
    }
    try await server.withClient { client in
      let (seen, line) = try await client.inspect(wanted)
      if server.json { return say(line.json) }
      for line in TopLines.lines(seen) { say(line) }
    }
  }
}
