import ArgumentParser
import BatonClient
import Synchronization

/// `baton subscribe`: prints broadcasts, one a line, as they come.
struct Subscribe: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Print broadcasts as they come.",
    discussion: """
      On a terminal each line has the time, the topic and the payload, as far as there is room. In a pipe it is \
      the topic, a tab, and the payload. --format chooses among {time}, {topic}, {payload}, {meta} and {from}; \
      {payload.user} is a member of the payload. If the connection is lost, the program connects \
      again. It gets the broadcasts in between if the server keeps events of these topics, and no others. If the \
      program reads too slowly, standard error says how many events it missed; and how many are gone that the server \
      kept.

      EXAMPLES:
        baton subscribe 'door.*'
        baton subscribe 'chat.>' alarm --json
        baton subscribe door.opened -n 1 --timeout 30
        baton subscribe '>' --format '{time} {topic} {payload.user}'
        baton subscribe 'light.*' --retained                the values of these topics first
        baton subscribe 'chat.>' --after 812 --epoch x7     the kept events after 812 first (seq and epoch: --json)
        baton subscribe '$baton.link.*'                     the server's own events
      """)

  @Argument(
    help: "Patterns of topics: * is any one word, > at the end is one or more words.", completion: Completing.pattern,
    transform: SaidWords.pattern)
  var patterns: [String]

  @Option(
    name: [.customShort("n"), .long], help: ArgumentHelp("End after this many events.", valueName: "count"),
    transform: SaidWords.whole)
  var count: Int?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("End after this time, with exit code 4: seconds, or 500ms, 5m.", valueName: "time"),
    transform: SpokenTime.duration)
  var timeout: Duration?

  @Flag(help: "Begin with the values of these topics, which broadcasts with --retain have left.")
  var retained = false

  @Option(
    help: ArgumentHelp("Begin with the kept events after this one; with --epoch.", valueName: "seq"),
    transform: SaidWords.whole)
  var after: Int?

  @Option(help: ArgumentHelp("What the number of --after belongs to.", valueName: "epoch"))
  var epoch: String?

  @Flag(help: "Do not ask again for kept events that did not come.")
  var noRecover = false

  @OptionGroup var line: LineOptions

  @OptionGroup var server: ServerOptions

  private static let members = ["topic", "payload", "meta", "from"]

  func validate() throws {
    if let count, count < 1 { throw ValidationError("--count must be 1 or more") }
    if (after == nil) != (epoch == nil) { throw ValidationError("--after and --epoch belong together: give both") }
    if retained, after != nil { throw ValidationError("give only one of --retained and --after") }
    if server.json, line.format != nil { throw ValidationError("give only one of --json and --format") }
    _ = try line.format(members: Self.members)
  }

  func run() async throws {
    if let timeout { Deadline.end(after: timeout, .timedOut, saying: nil) }
    endWhereNobodyReads()
    let hasBegun = Atomic(false)
    try await server.telling {
      let baton = server.baton(named: "cli").reporting { news in
        if hasBegun.load(ordering: .relaxed) { talk("baton: \(news)") }
      }
      let client = try await baton.connect()
      let events = try await client.subscribe(
        patterns, retained: retained, recover: !noRecover, after: after, epoch: epoch)
      hasBegun.store(true, ordering: .relaxed)
      if Terminal.isTalk { talk("subscribed to \(patterns.joined(separator: " ")); Ctrl-C ends") }
      try await tell(events, of: client)
      hasBegun.store(false, ordering: .relaxed)
      await client.close()
    }
    // The main thread may wait for ever until the reader ends. The program must not.
    throw ExitCode.success
  }

  private func tell(_ events: AsyncStream<Event>, of client: Client) async throws {
    var left = count ?? .max
    let format = try line.format(members: Self.members)
    for await event in events {
      if let gone = event.gone { try tell(gone) }
      if event.missed > 0 {
        if server.json {
          try put("{\"op\":\"missed\",\"count\":\(event.missed)}")
        } else {
          talk("missed \(event.missed)")
        }
      }
      switch server.form {
      case .json: try put(Self.line(event, await client.epoch))
      case .people: try put(format.map { line.line($0, event.line) } ?? forPeople(event))
      case .program:
        try put(format.map { line.line($0, event.line) } ?? "\(event.topic.displaySafe)\t\(event.payload?.seen ?? "")")
      }
      left -= 1
      if left == 0 { return }
    }
  }

  /// As the server writes it. The number of a kept event comes with what it belongs to (`--after`, `--epoch`).
  private static func line(_ event: Event, _ epoch: String?) -> [UInt8] {
    let line = Array(event.line.bytes)
    guard event.seq != nil, let epoch, line.last == UInt8(ascii: "}") else { return line }
    return line.dropLast() + Array(",\"epoch\":\(Payload(text: epoch).json)}".utf8)
  }

  /// Kept events are gone.
  private func tell(_ gone: Event.Gone) throws {
    guard !server.json else {
      let number = gone.count.map { ",\"count\":\($0)" } ?? gone.atMost.map { ",\"at_most\":\($0)" } ?? ""
      return try put("{\"op\":\"missed\"\(number),\"gone\":true}")
    }
    // A server that crashed does not know how far it had counted.
    if let most = gone.atMost {
      return talk(
        "the server did not end in order, and this program may have missed kept events (\(most) at most), which are "
          + "gone")
    }
    let count = gone.count.map { counted($0, "kept event", "kept events") }
    let words = count.map { "has missed \($0)" } ?? "may have missed kept events"
    talk("this program \(words), which are gone")
  }

  /// The time, the topic, and as much of the payload as there is room for.
  private func forPeople(_ event: Event) -> String {
    let paint = Paint.output
    var left = line.full ? Int.max : Terminal.size.columns
    let cells: [(String, Style?)] = [
      (WallClock.now.local, .dim), (event.topic.displaySafe, .cyan), (event.payload?.json.displaySafe ?? "", nil),
    ]
    return cells.compactMap { text, style in
      guard left > 0, !text.isEmpty else { return nil }
      let short = text.fitted(to: left)
      left -= short.displayWidth + 2
      return paint(short, style)
    }.joined(separator: "  ")
  }
}
