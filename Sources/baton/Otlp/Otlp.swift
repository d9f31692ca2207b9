import ArgumentParser
import BatonClient
import Curl

/// `baton otlp`: traces of messages for a collector of OpenTelemetry.
struct Otlp: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "otlp",
    abstract: "Post traces to a collector of OpenTelemetry.",
    discussion: """
      The server chooses which messages are traced: trace in its file (Docs/traces.md). Each of them becomes a span "send \
      CHAIN", under its sender's, and each offer a span "offer CHAIN/HANDLER" under that. They are posted as JSON to \
      URL/v1/traces, 512 at once, or those of a second. They never tell payload, meta, key, or what handlers said.

      A server with peers lets an identity do that which may see server and subscribe $baton.trace. It runs beside the \
      server, once for each; if it is away, traces are missing and nothing else.

      If the collector does not answer, it is tried again after 1 to 30 seconds. Up to 4 MiB of spans wait; then the oldest \
      are dropped. Once a minute standard error says how many were lost.

      EXAMPLES:
        baton otlp --to http://collector:4318
        baton otlp --to https://otlp.example --header-file otlp.headers
      """)

  @Option(help: ArgumentHelp("The collector: http: or https:, without /v1/traces.", valueName: "url"))
  var to: String

  @Option(
    help: ArgumentHelp(
      "Headers for the collector, one a line, such as Authorization: Bearer TOKEN (mode 0600).", valueName: "file"),
    completion: .file())
  var headerFile: String?

  @OptionGroup(title: "Server")
  var server: ServerOptions

  func validate() throws {
    do { _ = try WebService.host(of: to) } catch {
      throw ValidationError(error.description.hasPrefix("needs ") ? "--to \(error)" : "--to: the URL \(error)")
    }
    guard !to.contains("?"), !to.contains("#") else { throw ValidationError("--to: a collector has no ? and no #") }
  }

  /// Where spans are posted.
  private var url: String { (to.hasSuffix("/") ? String(to.dropLast()) : to) + "/v1/traces" }

  func run() async throws {
    let headers = try headerFile.map { try OtlpHeaders(file: $0) }
    let service = try WebService(WebService.Place(url: url), kept: 1)
    try await server.telling {
      let client = try await server.baton(named: "otlp").reporting { talk("baton: \($0)") }.connect()
      let events = try await client.traces(ChosenTraces(isTraced: true))
      let queue = SpanQueue()
      let poster = SpanPoster(queue, service, headers?.all ?? []) { await client.serverStart }
      let posting = Task { await poster.run() }
      talk("posting traces to \(url)")
      for await event in events {
        await queue.lose(event.missed)
        guard let walk = try? event.decode(TracedWalk.self) else { continue }
        await queue.add(walk.spans)
      }
      posting.cancel()
      await client.close()
    }
    // The main thread may wait for ever. The program must not.
    throw ExitCode.success
  }
}
