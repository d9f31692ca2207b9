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

  /// Whether all members hold.
  func holds(for facts: TraceFacts) -> Bool {
    if let chain, chain != facts.chain { return false }
    if let status, status != facts.status { return false }
    if let slowerThan, facts.microseconds <= Int64(slowerThan) * 1000 { return false }
    if let from, from != facts.from { return false }
    guard let topic else { return true }
    return topic.withUnsafeBytes { pattern in
      facts.topic.withUnsafeBytes { Pattern.matches($0, pattern: pattern) }
    }
  }
}

/// What `where` asks of a trace.
final class TraceFacts: Sendable {
  let chain: [UInt8]
  /// The topic, decoded.
  let topic: [UInt8]
  let status: [UInt8]
  /// How long the walk took.
  let microseconds: Int64
  /// The sender's name, without quotes.
  let from: [UInt8]

  /// `from` is a JSON string.
  init(
    chain: UnsafeRawBufferPointer, topic: UnsafeRawBufferPointer, status: StaticString, microseconds: Int64,
    from: UnsafeRawBufferPointer
  ) {
    self.chain = Array(chain)
    self.topic = Array(topic)
    self.status = Array("\(status)".utf8)
    self.microseconds = microseconds
    self.from = Array(from.dropFirst().dropLast())
  }
}
