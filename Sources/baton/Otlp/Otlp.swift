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
      are dropped. Once a minute standard error says how many were lost. On SIGTERM or SIGINT it posts what waits, for 5 \
      seconds at most, and ends. A second signal ends it at once.

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

  @Option(
    help: ArgumentHelp(
      "The authorities that count for the certificate of the collector (PEM). (default: the system's)",
      valueName: "file"), completion: .file())
  var caFile: String?

  @OptionGroup(title: "Server")
  var server: ServerOptions

  func validate() throws {
    do { _ = try WebService.host(of: to) } catch {
      throw ValidationError(error.description.hasPrefix("needs ") ? "--to \(error)" : "--to: the URL \(error)")
    }
    guard !to.contains("?"), !to.contains("#") else { throw ValidationError("--to: a collector has no ? and no #") }
    if let caFile, let complaint = PostOptions.complaint(aboutAuthorities: caFile, for: to) {
      throw ValidationError("--ca-file: \(complaint)")
    }
  }

  /// Where spans are posted.
  private var url: String { (to.hasSuffix("/") ? String(to.dropLast()) : to) + "/v1/traces" }

  func run() async throws {
    let headers = try headerFile.map { try OtlpHeaders(file: $0) }
    let service = try WebService(WebService.Place(url: url, authorities: caFile), kept: 1)
    let signal = try FirstSignal()
    try await server.telling {
      let client = try await server.baton(named: "otlp").reporting { talk("baton: \($0)") }.connect()
      let events = try await client.traces(ChosenTraces(isTraced: true))
      try await signal.then {
        Task {
          // What the server has told before it answers has come by then.
          _ = try? await client.request("ping")
          await client.close()
        }
        // One that is away is not waited for.
        Task {
          try? await Task.sleep(for: .seconds(1))
          await client.close()
        }
      }
      let queue = SpanQueue()
      let poster = SpanPoster(queue, headers?.all ?? [], start: { await client.serverStart }) {
        try await service.post($0)
      }
      let posting = Task { await poster.run() }
      talk("posting traces to \(url)")
      for await event in events {
        await queue.lose(event.missed)
        guard let walk = try? event.decode(TracedWalk.self) else { continue }
        await queue.add(walk.spans)
      }
      await queue.end()
      let limit = Task {
        try await Task.sleep(for: SpanPoster.time)
        posting.cancel()
      }
      await posting.value
      limit.cancel()
    }
    // The main thread may wait for ever. The program must not.
    throw ExitCode.success
  }
}
