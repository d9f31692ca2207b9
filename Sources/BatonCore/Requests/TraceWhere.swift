/// Which traces a subscriber of `$baton.trace` wants: the members of `where` (contract, section 7). What is nil holds for
/// every trace.
struct TraceWhere {
  /// The chain to which the message was sent.
  var chain: [UInt8]?
  /// A pattern.
  var topic: [UInt8]?
  var status: [UInt8]?
  /// The walk took longer than so many milliseconds.
  var slowerThan: Int?
  /// The sender's name, or `#` and its number.
  var from: [UInt8]?
  /// Whether the message is in a trace beyond this server.
  var isTraced: Bool?

  /// All of it but `slowerThan`, as a pattern of `TraceFacts.words`.
  var words: [UInt8] {
    let any = [Pattern.star]
    return TraceFacts.join(
      isTraced.map { TraceFacts.word(of: $0) } ?? any, from.map { TraceFacts.word(of: $0) } ?? any,
      chain.map { TraceFacts.word(of: $0) } ?? any, status ?? any,
      topic ?? [UInt8(ascii: ">")])
  }
}

/// What `where` asks of a trace.
final class TraceFacts: Sendable {
  /// Whether the message is traced beyond this server, the sender's name, the chain, the status and the topic as the words of one
  /// topic, so that a pattern tells what is asked of them. The two names are a word each.
  let words: [UInt8]
  /// How long the walk took.
  let microseconds: Int64

  /// `from` is a JSON string.
  init(
    chain: UnsafeRawBufferPointer, topic: UnsafeRawBufferPointer, status: StaticString, microseconds: Int64,
    from: UnsafeRawBufferPointer, isTraced: Bool
  ) {
    words = TraceFacts.join(
      TraceFacts.word(of: isTraced), TraceFacts.word(of: from.dropFirst().dropLast()), TraceFacts.word(of: chain),
      Array("\(status)".utf8),
      Array(topic))
    self.microseconds = microseconds
  }

  fileprivate static func join(_ words: [UInt8]...) -> [UInt8] { Array(words.joined(separator: [dot])) }

  fileprivate static func word(of flag: Bool) -> [UInt8] { [UInt8(ascii: flag ? "t" : "f")] }

  /// A name as one word: a byte that no name has stands for each dot.
  fileprivate static func word(of name: some Sequence<UInt8>) -> [UInt8] { name.map { $0 == dot ? 1 : $0 } }

  private static let dot = UInt8(ascii: ".")

  /// Whether a pattern is for the topic of traces, too.
  static func areHeard(by pattern: UnsafeRawBufferPointer) -> Bool {
    let topic = OwnedBytes("$baton.trace")
    defer { extendLifetime(topic) }
    return Pattern.matches(topic.bytes, pattern: pattern)
  }
}
