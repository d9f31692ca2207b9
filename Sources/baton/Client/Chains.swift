import ArgumentParser
import BatonClient
import BatonCore

/// `baton chains`: shows the chains and what their links are doing.
struct Chains: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show the chains and what their links are doing.",
    discussion: """
      On a terminal this is a table, as wide as the terminal. STATE says why a link would not get an offer now: serving \
      if it would. GUARDS says which links stop messages that they do not let pass: always; served (messages pass it while \
      nobody serves it); or for these causes. Where no link guards, there is no such column. \
      Below a link stand bars, one for each ten seconds of the last ten minutes: how many messages it was offered. \
      Then the last message that it failed; baton walks tells more of it. In a pipe it is a header and a line for each link, with tabs between the fields.

      EXAMPLES:
        baton chains
        baton chains main --watch
        baton chains | cut -f 1,5,7
        baton chains main --svg > main.svg
      """)

  @Argument(help: "Show this chain only.", completion: Completing.chain, transform: SaidWords.name)
  var name: String?

  @Flag(help: "Repeat each second, and show rates.")
  var watch = false

  @Flag(help: "Draw a picture (SVG) of the chains, with what went where in the last ten minutes.")
  var svg = false

  @OptionGroup(title: "Server")
  var server: ServerOptions

  func validate() throws {
    guard svg else { return }
    if watch { throw ValidationError("--svg draws one picture: leave out --watch") }
    if server.json { throw ValidationError("--svg draws a picture: leave out --json") }
  }

  func run() async throws {
    let wanted = wanted
    try await server.withClient { client in
      let (first, pages) = try await client.inspect(wanted)
      if first.chains.isEmpty { try await client.requireSight(of: name) }
      if let name, first.chains.isEmpty { try await missing(name, client) }
      if watch, Terminal.canRedraw, !server.json { return }
      try await tell(first, pages, client)
    }
    guard watch, Terminal.canRedraw, !server.json else { return }
    try await server.telling { try await LiveView.run(ChainsPage(name: name), wanted.live, on: server) }
  }

  /// A pipe gets no bars.
  private var wanted: InspectionRequest {
    InspectionRequest(chain: name, wantsHistory: Terminal.isOutput || server.json || svg)
  }

  /// Says that there is no such chain, and which one the user may mean.
  private func missing(_ name: String, _ client: Client) async throws {
    let others = try await client.inspect(InspectionRequest()).seen.chains.map(\.chain)
    let hint = nearestName(to: name, among: others).map { "; did you mean \"\($0)\"?" } ?? ""
    try server.complain("no_such_chain", "there is no chain \"\(name.displaySafe)\"\(hint)")
    throw ExitCode.failure
  }

  private func tell(_ first: Inspection, _ pages: [Payload], _ client: Client) async throws {
    if svg { return try put(ChainPicture.document(first.chains)) }
    var samples = Samples(first, at: .now)
    var pages = pages
    let lines = ChainsLines(isWatching: watch)
    if !server.json, !Terminal.isOutput { try put(lines.header) }
    while true {
      if server.json {
        for page in pages { try put(page.bytes) }
      } else if Terminal.isOutput, samples.last.chains.isEmpty {
        talk(noChains)
      } else if Terminal.isOutput {
        try draw(samples)
      } else {
        for line in lines.lines(samples) { try put(line) }
      }
      guard watch else { return }
      try await Task.sleep(for: .seconds(1))
      let (next, nextPages) = try await client.inspect(wanted)
      samples.add(next, at: .now)
      pages = nextPages
    }
  }

  private func draw(_ samples: Samples) throws {
    let paint = Paint.output
    let (titles, rows) = ChainsTable(samples, hasRates: false).table.lines(width: Terminal.size.columns, paint: paint)
    try put(titles)
    for row in rows { try put(row) }
  }
}

private let noChains = "There is no chain, because there is no handler."

/// The chains as a page that is drawn again each second.
private struct ChainsPage: LivePage {
  let name: String?

  var ownKey: (key: Unicode.Scalar, does: String)? { nil }
  mutating func ownKeyPressed() {}

  func lines(_ samples: Samples, width: Int, paint: Paint) -> (head: [String], body: [String]) {
    let (titles, rows) = ChainsTable(samples, hasRates: true).table.lines(width: width, paint: paint)
    if !rows.isEmpty { return ([titles], rows) }
    let text = name.map { "There is no chain \"\($0.displaySafe)\" now." } ?? noChains
    return ([titles], [text.fitted(to: width)])
  }
}
