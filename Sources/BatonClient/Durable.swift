internal import BatonCore

/// Whether the server keeps a message on disk and tries it until it has an end, through any crash, and how.
///
///     try await client.send("order.paid", order, chain: "orders", durable: true)
///     try await client.send("order.paid", order, chain: "orders", durable: .durable(once: "order-17", tries: 5))
public struct Durability: Sendable, Hashable, ExpressibleByBooleanLiteral {
  /// The sender's own name for the message: the same name again is the same message. Where it is not said, it is drawn.
  public let once: String
  /// Whether it was said.
  let isNamed: Bool
  /// The numbers and times that are said; nil: the server's.
  let tries: Int?
  let retry: Duration?
  let expires: Duration?
  let delay: Duration?
  let isOn: Bool

  /// A message is durable with true, and an ordinary one with false.
  public init(booleanLiteral isOn: Bool) { self.init(isOn: isOn) }

  /// Durable. The server tries it at most `tries` times. The second try comes after `retry`, and each further one after
  /// twice as long. No try begins after `expires`, and the first one not before `delay` is over; both count from the
  /// acceptance.
  public static func durable(
    once: String? = nil, tries: Int? = nil, retry: Duration? = nil, expires: Duration? = nil, delay: Duration? = nil
  ) -> Durability {
    Durability(once: once, tries: tries, retry: retry, expires: expires, delay: delay)
  }

  private init(
    isOn: Bool = true, once: String? = nil, tries: Int? = nil, retry: Duration? = nil, expires: Duration? = nil,
    delay: Duration? = nil
  ) {
    self.isOn = isOn
    isNamed = once != nil
    self.once = once ?? (isOn ? Durability.drawn : "")
    (self.tries, self.retry, self.expires, self.delay) = (tries, retry, expires, delay)
  }

  /// 128 bits of chance.
  private static var drawn: String {
    let halves = [UInt64.random(in: 0 ... .max), .random(in: 0 ... .max)].map { String($0, radix: 16) }
    return halves.map { String(repeating: "0", count: 16 - $0.count) + $0 }.joined()
  }

  /// Adds it to a message. What the server would refuse is found here.
  func add(to line: inout RequestLine) throws(BatonError) {
    guard isOn else { return }
    let bytes = MemberRange.bytes(of: .once)
    guard bytes.contains(once.utf8.count) else {
      throw .refused(
        code: "bad_value", message: "once: a name has 1 to \(bytes.upperBound) bytes; this one has \(once.utf8.count)")
    }
    if let tries, !MemberRange.tries.contains(Int64(tries)) {
      throw .refused(code: "bad_value", message: "tries: \(tries) is not from 1 to \(MemberRange.tries.upperBound)")
    }
    try retry?.checkTime(as: "retry", most: .milliseconds(MemberRange.retryMilliseconds.upperBound))
    try expires?.checkTime(as: "expires", most: .milliseconds(MemberRange.expiresMilliseconds.upperBound))
    try delay?.checkTime(as: "delay", most: .milliseconds(MemberRange.delayMilliseconds.upperBound))
    if let delay, let expires, delay >= expires {
      throw .refused(code: "bad_value", message: "delay: \(delay) is not less than expires, \(expires)")
    }
    line.add("durable", true)
    line.add("once", text: once)
    line.add("tries", tries)
    line.add("retry_ms", milliseconds: retry)
    line.add("expires_ms", milliseconds: expires)
    line.add("delay_ms", milliseconds: delay)
  }
}
