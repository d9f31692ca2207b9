import ArgumentParser
import BatonClient
import BatonCore

/// Which dead letters are meant. The server knows chains; the rest is chosen here.
struct DeadFilter: ParsableArguments {
  @Option(
    help: ArgumentHelp("Only dead letters of this chain. (default: all chains)", valueName: "chain"),
    completion: Completing.chain, transform: SaidWords.name)
  var chain: String?

  @Option(
    help: ArgumentHelp("Only those whose topic matches; * stands for one word, > for the rest.", valueName: "pattern"),
    completion: Completing.pattern,
    transform: { text in
      if let complaint = complaint(pattern: text) { throw ValidationError("the pattern \"\(text)\" \(complaint)") }
      return text
    })
  var topic: String?

  @Option(
    help: ArgumentHelp(
      "Only those whose last attempt ended so: unhandled, failed, timeout or damaged; or for which a link failed so: "
        + "disconnect, overload, breaker.", valueName: "cause"))
  var cause: Cause?

  /// How the last try of a dead letter ended.
  enum Cause: String, ExpressibleByArgument, CaseIterable {
    case unhandled, failed, timeout, damaged, disconnect, overload, breaker
  }

  /// Whether nothing was said.
  var isEmpty: Bool { chain == nil && topic == nil && cause == nil }

  /// What was said, for people: `of order.* in orders with cause timeout`.
  var words: String {
    [topic.map { "of \($0)" }, chain.map { "in \($0)" }, cause.map { "with cause \($0.rawValue)" }]
      .compactMap(\.self).joined(separator: " ")
  }

  private func matches(_ letter: DeadLetter) -> Bool {
    if let topic, !BatonCore.matches(topic: letter.topic, pattern: topic) { return false }
    return cause.map { letter.causes.contains($0.rawValue) } ?? true
  }

  /// The dead letters that are meant, the oldest first, chain by chain. `body` says whether it wants more.
  func each(of client: Client, _ body: (DeadLetter) throws -> Bool) async throws {
    for chain in try await chains(of: client) {
      for try await letter in client.deadLetters(of: chain) where matches(letter) {
        guard try body(letter) else { return }
      }
    }
  }

  /// All that are meant.
  func all(of client: Client) async throws -> [DeadLetter] {
    var letters: [DeadLetter] = []
    try await each(of: client) {
      letters.append($0)
      return true
    }
    return letters
  }

  private func chains(of client: Client) async throws -> [String] {
    if let chain { return [chain] }
    return try await client.chainsWithStored { $0.dead > 0 }
  }
}

extension DeadLetter {
  /// Why it is dead, in the words of the protocol.
  var causes: [String] {
    let result = ServerLine(line.bytes)?.payload("result").flatMap { ServerLine($0.bytes) }
    let own = [result?.text("status"), result?.text("cause"), ServerLine(line.bytes)?.text("cause")]
    return own.compactMap(\.self) + (result?.objects("failures") ?? []).compactMap { $0.text("cause") }
  }

  /// The same as one line for people.
  var reason: String {
    if ServerLine(line.bytes)?.flag("unreadable") == true { return "the server's disk does not give it now" }
    guard let result else { return causes.joined(separator: ", ") }
    guard let story = WalkStory(result) else { return result.status.rawValue }
    // No try had an end.
    if result.walk == 0, result.status == .timeout {
      return tries == 0 ? "no attempt was made in its time" : "the server was stopped before an attempt had an end"
    }
    let failures = story.failures?.map(\.words) ?? []
    let words = failures.isEmpty ? story.reason : failures.joined(separator: "; ")
    return tries == 0 ? "no attempt counted: \(words)" : words
  }
}
