import ArgumentParser
import BatonClient
import Synchronization

/// `baton trace`: shows walks as they end.
struct Trace: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show walks as they end.",
    discussion: """
      There is one line for each walk that begins from now on. In a pipe there is a header, and tabs between the \
      fields; lines of hops begin with "hop". The server chooses the walks, so others cost nothing. With \
      --per-second, standard error says how many more there were. --format chooses among the members of a trace, for \
      instance {walk}, {topic}, {status}, {by}, {total_us} and {message}.

      EXAMPLES:
        baton trace
        baton trace --topic 'door.>' --hops
        baton trace --slower-than 100 -n 10 --json
        baton trace --status failed --per-second 5
        baton trace --format '{time} {topic} {status} {total_us}'
      """)

  @OptionGroup
  var filter: WalkFilter

  @Flag(help: "Show each walk hop by hop.")
  var hops = false

  @Option(
    name: .customShort("n"), help: ArgumentHelp("End after this many walks.", valueName: "count"),
    transform: SaidWords.whole)
  var count: Int?

  @OptionGroup
  var line: LineOptions

  @OptionGroup(title: "Server")
  var server: ServerOptions

  private static let members = [
    "walk", "chain", "topic", "from", "status", "by", "cause", "message", "code", "hops", "total_us", "key", "version",
    "key_wait_us", "trace", "delivered",
  ]

  func validate() throws {
    if let count, count < 1 { throw ValidationError("-n must be a number from 1") }
    if line.format != nil, server.json || hops {
      throw ValidationError("--format cannot be used with \(server.json ? "--json" : "--hops")")
    }
    _ = try line.format(members: Self.members)
  }

  func run() async throws {
    try await server.telling {
      let hasBegun = Atomic(false)
      let baton = server.baton(named: "cli").reporting { news in
        if hasBegun.load(ordering: .relaxed) { talk("baton: \(news)") }
      }
      let client = try await baton.connect()
      hasBegun.store(true, ordering: .relaxed)
      endWhereNobodyReads()
      try await follow(client)
      hasBegun.store(false, ordering: .relaxed)
      await client.close()
    }
    // The main thread may wait for ever until the reader ends. The program must not.
    throw ExitCode.success
  }

  private func follow(_ client: Client) async throws {
    let lines = WalkLines(isForPeople: Terminal.isOutput, isFull: line.full, hasHops: hops)
    let format = try line.format(members: Self.members)
    let events = try await client.traces(filter.chosen { talk("left out \($0)") })
    if !server.json, format == nil { try put(lines.header) }
    var left = count ?? .max
    for await event in events {
      if event.missed > 0 {
        if server.json {
          try put("{\"op\":\"missed\",\"count\":\(event.missed)}")
        } else {
          talk("missed \(event.missed)")
        }
      }
      guard let walk = try? event.decode(FinishedWalk.self) else {
        talk("baton: this program does not know the form of the server's trace")
        continue
      }
      if server.json {
        try put(event.payload?.bytes ?? [])
      } else if let format {
        try put(line.line(format, event.payload ?? event.line))
      } else {
        for line in lines.lines(walk) { try put(line) }
      }
      left -= 1
      if left == 0 { return }
    }
    // The events end only with the client, which then says why.
    try await client.untilClosed()
  }
}
