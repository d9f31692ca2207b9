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

  /// All of it but `slowerThan`, as a pattern of `TraceFacts.words`.
  var words: [UInt8] {
    let any = [Pattern.star]
    return TraceFacts.join(
      from.map { TraceFacts.word(of: $0) } ?? any, chain.map { TraceFacts.word(of: $0) } ?? any, status ?? any,
      topic ?? [UInt8(ascii: ">")])
  }
}

/// What `where` asks of a trace.
final class TraceFacts: Sendable {
  /// The sender's name, the chain, the status and the topic as the words of one topic, so that a pattern tells what is asked of
  /// them. The two names are a word each.
  let words: [UInt8]
  /// How long the walk took.
  let microseconds: Int64

  /// `from` is a JSON string.
  init(
    chain: UnsafeRawBufferPointer, topic: UnsafeRawBufferPointer, status: StaticString, microseconds: Int64,
    from: UnsafeRawBufferPointer
  ) {
    words = TraceFacts.join(
      TraceFacts.word(of: from.dropFirst().dropLast()), TraceFacts.word(of: chain), Array("\(status)".utf8),
      Array(topic))
    self.microseconds = microseconds
  }

  fileprivate static func join(_ from: [UInt8], _ chain: [UInt8], _ status: [UInt8], _ topic: [UInt8]) -> [UInt8] {
    Array([from, chain, status, topic].joined(separator: [dot]))
  }

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
