import ArgumentParser
import BatonClient
import Dispatch
import Synchronization

/// What a shell offers while somebody types: the names that the running server knows. Whatever goes wrong, and however
/// long the server takes, nothing is said, and nothing is offered. What it says are words of others, who may not be
/// friends: a word that a shell or the program could take for something else is not offered.
enum Completing {
  static let chain = kind { client, _ in try await client.inspect(InspectionRequest()).seen.chains.map(\.chain) }

  static let handler = kind { client, words in
    try await links(client, words).compactMap(\.handler)
  }

  /// A handler, or a chain that is mounted.
  static let link = kind { client, words in try await links(client, words).map(\.name) }

  /// Topics that links accept, and those of messages that the server remembers.
  static let topic = kind { client, words in
    try await topics(client, words).filter { topic in !topic.split(separator: ".").contains { $0 == "*" || $0 == ">" } }
  }

  static let pattern = kind { client, words in try await topics(client, words) }

  static let connection = kind { client, _ in
    try await client.inspect("connections").seen.connections?.map { "\($0.connection)" } ?? []
  }

  static let walk = kind { client, _ in try await walks(client, []).map { "\($0.walk)" } }

  /// Dead letters of the chain that was typed, or of all chains; at most a page of each.
  static let deadLetter = kind { client, words in
    var names: [String] = []
    var chains = [value(of: "--chain", in: words)].compactMap(\.self)
    if chains.isEmpty { chains = try await client.inspect(InspectionRequest()).seen.chains.map(\.chain) }
    for chain in chains.prefix(20) {
      for try await letter in client.deadLetters(of: chain) {
        names.append(letter.stored)
        if names.count.isMultiple(of: 100) { break }
      }
    }
    return names
  }

  /// Durable messages that have no end yet, of the chain that was typed, or of all chains; at most a page of each.
  static let stored = kind { client, words in
    var chains = [value(of: "--chain", in: words)].compactMap(\.self)
    if chains.isEmpty { chains = try await client.inspect(InspectionRequest()).seen.chains.map(\.chain) }
    var names: [String] = []
    for chain in chains.prefix(20) {
      let page = try await client.request("stored", [("chain", Payload(text: chain))])
      names += ServerLine(page.bytes)?.objects("messages").compactMap { $0.text("stored") } ?? []
    }
    return names
  }

  /// With the start of the program it is less than half a second, which nobody minds. Who has a slow server may say more.
  private static var most: DispatchTimeInterval {
    .milliseconds(Environment["BATON_COMPLETION_MS"].flatMap { Int($0) } ?? 350)
  }

  /// Whether a shell asks, and not a person.
  static var isAsked: Bool { Arguments.all.dropFirst().first == "---completion" }

  /// The names of `baton context`. No server is asked.
  static let context = CompletionKind.custom { _, _, _ in
    ((try? ContextFile.read())?.contexts.map(\.name) ?? []).filter(isHarmless)
  }

  private typealias Asking = @Sendable (Client, [String]) async throws -> [String]

  private static func kind(_ ask: @escaping Asking) -> CompletionKind {
    .custom { words, _, _ in
      guard let server = try? ServerOptions.parse(serverOptions(in: words)) else { return [] }
      let found = Found()
      Task.detached {
        defer { found.isThere.signal() }
        guard let client = try? await server.baton(named: "completion").connect() else { return }
        let names = (try? await ask(client, words)) ?? []
        found.names.withLock { $0 = names }
      }
      _ = found.isThere.wait(timeout: .now() + most)
      var seen = Set<String>()
      return found.names.withLock { $0 }.filter { isHarmless($0) && seen.insert($0).inserted }
    }
  }

  /// Whether it is a word without effect in a shell that puts in what it completes, and no option. Shells themselves
  /// keep `*` and `>` from having one.
  private static func isHarmless(_ word: String) -> Bool {
    !word.isEmpty && !word.hasPrefix("-")
      && word.unicodeScalars.allSatisfy { scalar in
        switch scalar {
        case "A"..."Z", "a"..."z", "0"..."9", "_", ".", "*", ">", "-": true
        default: false
        }
      }
  }

  /// What the server said, as soon as it has.
  private final class Found: Sendable {
    let names = Mutex<[String]>([])
    let isThere = DispatchSemaphore(value: 0)
  }

  // MARK: What was typed

  private static let flags: Set<String> = ["--plain-token"]
  private static let options: Set<String> = [
    "--server", "--context", "--token-file", "--tls-ca", "--tls-certificate", "--tls-key", "--tls-pin",
  ]

  /// The options that say which server is meant.
  private static func serverOptions(in words: [String]) -> [String] {
    words.indices.flatMap { index -> [String] in
      let word = words[index]
      if flags.contains(word) || options.contains(where: { word.hasPrefix($0 + "=") }) { return [word] }
      let value = words.dropFirst(index + 1).first
      return options.contains(word) ? value.map { [word, $0] } ?? [] : []
    }
  }

  private static func value(of option: String, in words: [String]) -> String? {
    words.firstIndex(of: option).flatMap { words.dropFirst($0 + 1).first }
  }

  // MARK: What the server says

  /// The links of the chain that was typed, or of all chains.
  private static func links(_ client: Client, _ words: [String]) async throws -> [Inspection.Link] {
    let chain = value(of: "--chain", in: words) ?? value(of: "--via", in: words)
    return try await client.inspect(InspectionRequest(chain: chain)).seen.chains.flatMap(\.links)
  }

  private static func topics(_ client: Client, _ words: [String]) async throws -> [String] {
    let accepted = try await links(client, words).flatMap(\.accepts)
    // Who may not see messages has at least these.
    let past = (try? await walks(client, words).map(\.topic)) ?? []
    return (accepted + past).filter { $0 != ">" }
  }

  private struct Page: Decodable { let walks: [FinishedWalk] }

  private static func walks(_ client: Client, _ words: [String]) async throws -> [FinishedWalk] {
    var members = RequestMembers()
    try members.add("limit", number: 50)
    members.add("chain", text: value(of: "--chain", in: words))
    return try await client.request("walks", members.all).decode(Page.self).walks
  }
}
