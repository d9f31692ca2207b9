import ArgumentParser
import BatonClient
import BatonCore

/// `baton walks`: messages that did not end well or that links failed, also those of the past.
struct Walks: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show which messages did not end well or were failed by a link, and why.",
    discussion: """
      The server keeps the last messages that were unhandled, rejected, failed or cancelled, or that timed out, and those \
      that a link failed although they ended well. They come the latest first. With a number, the way of that message \
      is shown, link by link. The numbers stand in results (walk), and in baton chains. In a pipe there is a header, and \
      tabs between the fields; lines of links begin with "hop". The last field of a message, why, says what the terminal \
      says.

      Messages that are alike (of one chain, link and cause) share the room of their kind: if there are too many, the largest \
      group loses its oldest one. On a terminal the last lines tell how many were forgotten.

      With --disagreed come the last messages whose outcome was not what a shadow said, one line for each shadow.

      EXAMPLES:
        baton walks
        baton walks --topic 'door.*' --status timeout
        baton walks --by policy --since 1h
        baton walks 17
        baton walks --disagreed --topic 'post.>'
      """)

  @Argument(help: "The number of one message.", completion: Completing.walk, transform: SaidWords.whole)
  var walk: Int?

  @Option(help: "Only messages that were sent to this chain.", completion: Completing.chain, transform: SaidWords.name)
  var chain: String?

  @Option(
    help: ArgumentHelp("Only messages that this link ended, or failed first.", valueName: "handler"),
    completion: Completing.handler, transform: SaidWords.name)
  var by: String?

  @Option(help: "Only messages that ended so.")
  var status: WalkFilter.Status?

  @Option(
    help: ArgumentHelp(
      "Only messages whose topic matches; * stands for one word, > for the rest.", valueName: "pattern"),
    completion: Completing.pattern)
  var topic: String?

  @Option(help: "Only messages with this key.", transform: SaidWords.key)
  var key: String?

  @Option(
    help: ArgumentHelp("Only messages that ended in this time: seconds, or 5m, 24h, 7d.", valueName: "time"),
    transform: { text in try SpokenTime.milliseconds(text, days: 365) })
  var since: Int?

  @Flag(help: "The messages whose outcome was not what a shadow said.")
  var disagreed = false

  @Option(
    help: ArgumentHelp("The most messages that are shown. (default: 20)", valueName: "count"),
    transform: SaidWords.whole)
  var limit: Int?

  @OptionGroup(title: "Server") var server: ServerOptions

  /// One page of the server's answer.
  private struct Page: Decodable {
    let walks: [FinishedWalk]
    let kinds: [Reach]?
  }

  /// How far back a kind of messages reaches.
  private struct Reach: Decodable {
    let status: String?
    let passed: Bool?
    let oldest: Int?
    let forgotten: Int?

    enum CodingKeys: String, CodingKey {
      case status, forgotten
      case passed = "with_failures"
      case oldest = "oldest_ms"
    }

    /// Nil if all are kept that there ever were.
    var words: String? {
      guard let forgotten, forgotten > 0 else { return nil }
      let name = (status ?? "shadows disagreed") + (passed == true ? " after failures" : "")
      let oldest = oldest.map { ", the oldest that is kept ended \(Figures.milliseconds($0)) ago" } ?? ""
      return "\(name): \(forgotten) forgotten\(oldest)"
    }
  }

  func validate() throws {
    if let walk, walk < 1 { throw ValidationError("<walk> is the number of a message, from 1") }
    try SaidWords.check(since, "--since", isIn: MemberRange.sinceMilliseconds, of: "a time in milliseconds")
    if let limit, limit < 1 { throw ValidationError("--limit must be a number from 1") }
    if let topic, let complaint = complaint(pattern: topic) {
      throw ValidationError("the pattern \"\(topic)\" \(complaint)")
    }
  }

  func run() async throws {
    var members = RequestMembers()
    try members.add("walk", number: walk)
    members.add("chain", text: chain)
    members.add("handler", text: by)
    members.add("status", text: status?.rawValue)
    members.add("topic", text: topic)
    members.add("key", text: key)
    try members.add("since_ms", number: since)
    if disagreed { members.add("disagreed", try Payload(true)) }
    let limit = limit ?? 20
    try members.add("limit", number: min(limit, 1000))
    let request = members.all
    try await server.withClient { client in
      var walks: [FinishedWalk] = []
      var (hasMore, kinds) = (false, [Reach]())
      for try await page in client.pages("walks", request) {
        guard let next = try? page.decode(Page.self) else { throw BatonError.unknownForm }
        if walks.isEmpty, next.walks.isEmpty { try await client.requireSight(of: chain) }
        if server.json { try put(page.bytes) }
        kinds = next.kinds ?? kinds
        hasMore = walks.count + next.walks.count > limit
        walks += next.walks.prefix(limit - walks.count)
        // The page after this one says whether there are more.
        if hasMore || server.json && walks.count == limit { break }
      }
      if server.json {
        // The line says it with an empty list.
        if walk != nil, walks.isEmpty { throw ExitCode.failure }
        return
      }
      if let walk, !disagreed { return try tell(one: walks.first, walk) }
      if walks.isEmpty, server.form == .people {
        talk(disagreed ? Self.noDisagreement : Self.noWalk)
      } else {
        try tell(walks, hasMore: hasMore)
      }
      if server.form == .people { for words in kinds.compactMap(\.words) { talk(words) } }
    }
  }

  private static let noWalk =
    "The server keeps no such message: no link failed one and all ended well, or it is too long ago."
  private static let noDisagreement =
    "No shadow disagreed with what became of a message, as far as the server remembers; baton chains shows how often."

  private func tell(_ walks: [FinishedWalk], hasMore: Bool) throws {
    guard server.form == .people else {
      for line in disagreed ? Disagreements(walks).fields : FailedWalks(walks).fields { try put(line) }
      return
    }
    let columns = Terminal.size.columns
    for line in disagreed
      ? Disagreements(walks).lines(within: columns, paint: .output)
      : FailedWalks(walks).lines(within: columns, paint: .output)
    { try put(line) }
    if hasMore { talk("\(Glyphs.current.ellipsis) and older ones: --limit \(walks.count * 5)") }
  }

  private func tell(one walk: FinishedWalk?, _ number: Int) throws {
    guard let walk else {
      talk(
        "baton: the server tells nothing of message \(number): it keeps the last ones that did not end well or that a "
          + "link failed, and tells who may see their chains")
      throw ExitCode.failure
    }
    let lines =
      server.form == .people
      ? FailedWalks.lines(of: walk, within: Terminal.size.columns, paint: .output)
      : FailedWalks([walk]).fields + walk.steps.map { $0.fields(of: walk.walk) }
    for line in lines { try put(line) }
  }
}
