import ArgumentParser
import BatonClient

/// The durable messages of chains that have no end yet, as a list.
struct StoredList {
  let most: Int
  let form: OutputForm

  /// As many as are put in order.
  private static let mostSorted = 10_000

  private struct Page: Decodable {
    let messages: [KeptMessage]
  }

  func run(_ client: Client, _ chain: String?) async throws {
    let chains = if let chain { [chain] } else { try await client.chainsWithStored { $0.messages > 0 } }
    var kept: [(chain: String, message: KeptMessage)] = []
    var hasMore = false
    for chain in chains {
      let members = [("chain", Payload(text: chain)), ("limit", try Payload(1000))]
      for try await page in client.pages("stored", members) {
        guard let next = try? page.decode(Page.self) else { throw BatonError.unknownForm }
        if form == .json { try put(page.bytes) }
        kept += next.messages.map { (chain, $0) }
        hasMore = kept.count >= (form == .json ? most : max(most, Self.mostSorted))
        if hasMore { break }
      }
      if hasMore { break }
    }
    guard form != .json else { return }
    kept.sort { $0.message.agoMilliseconds > $1.message.agoMilliseconds }
    try tell(kept.prefix(most), hasMore: hasMore || kept.count > most)
  }

  private func tell(_ kept: ArraySlice<(chain: String, message: KeptMessage)>, hasMore: Bool) throws {
    if form == .program {
      try put(tabbed(KeptMessage.names))
      for (chain, message) in kept { try put(tabbed(message.fields(in: chain))) }
    } else if kept.isEmpty {
      return talk("No durable message waits.")
    } else {
      try table(kept).put()
    }
    // Whoever reads the output takes it for all there is.
    if hasMore { talk("\(Glyphs.current.ellipsis) and more: --limit \(most * 5)") }
  }

  private func table(_ kept: ArraySlice<(chain: String, message: KeptMessage)>) -> TextTable {
    var table = TextTable(columns: [
      .init(title: "AGE", importance: 8, isRight: true), .init(title: "NAME", importance: 9, least: 18),
      .init(title: "CHAIN", importance: 6, least: 6), .init(title: "STATE", importance: 10, least: 9),
      .init(title: "TRIES", importance: 7, isRight: true), .init(title: "LAST", importance: 4),
      .init(title: "NEXT", importance: 5, isRight: true), .init(title: "FROM", importance: 3, least: 6),
    ])
    table.rows = kept.map { chain, message in
      .cells([
        .init(Figures.milliseconds(message.agoMilliseconds)), .init(message.stored, .bold), .init(chain),
        .init(message.stateInWords, message.isHeldUp ? .yellow : nil), .init("\(message.tries)"),
        .init(message.cause ?? ""), .init(message.nextTryMilliseconds.map { Figures.milliseconds($0) } ?? ""),
        .init(message.identity ?? ""),
      ])
    }
    return table
  }
}

/// One message of the server's list.
private struct KeptMessage: Decodable {
  let stored, state: String
  let tries: Int
  let cause, identity: String?
  let uncounted, undeclared: Bool?
  let nextTryMilliseconds: Int?
  let agoMilliseconds: Int

  enum CodingKeys: String, CodingKey {
    case stored, state, tries, cause, identity, uncounted, undeclared
    case nextTryMilliseconds = "next_try_ms"
    case agoMilliseconds = "ago_ms"
  }

  static let names = ["stored", "chain", "state", "tries", "cause", "next_try_ms", "why", "identity", "ago_ms"]

  func fields(in chain: String) -> [String] {
    [
      stored, chain, state, "\(tries)", cause ?? "", nextTryMilliseconds.map(String.init) ?? "",
      undeclared == true ? "undeclared" : uncounted == true ? "uncounted" : "", identity ?? "", "\(agoMilliseconds)",
    ]
  }

  /// Whether it waits for somebody to do something.
  var isHeldUp: Bool { undeclared == true || uncounted == true }

  var stateInWords: String {
    if undeclared == true { return "waits for its chain to be declared" }
    if uncounted == true { return "waits for a link" }
    return state == "under_way" ? "under way" : state
  }
}
