internal import BatonCore

/// A member of a query, `name=value`: which line it becomes a part of, and what it may say.
struct HTTPMember: Sendable {
  enum Kind: Sendable {
    /// The name of a chain or a peer.
    case name
    /// A text of at most so many bytes.
    case text(atMost: Int)
    case key
    case flag
    case number(ClosedRange<Int64>)
    case word([String])
    /// A list of patterns, separated by commas. `HTTPOp` splits it before it is decoded.
    case patterns
  }
  var name: String
  var kind: Kind

  init(_ name: String, _ kind: Kind) {
    self.name = name
    self.kind = kind
  }

  /// The value as JSON, added to `line`. Throws if it is none of the kind.
  func append(_ value: [UInt8], to line: inout [UInt8]) throws(HTTPRefusal) {
    switch kind {
    case .name:
      let complaint = complaint(name: String(decoding: value, as: UTF8.self))
      if let complaint { throw HTTPRefusal(.badName, "\"\(name)\" \"\(shown(value))\" \(complaint)") }
      line.appendQuoted(value)
    case .patterns: line.appendQuoted(value)
    case .text(let most):
      if value.count > most { throw wrong(value, "takes \(value.count) bytes; at most \(most) are allowed") }
      line.appendQuoted(value)
    case .key:
      if let complaint = complaint(key: String(decoding: value, as: UTF8.self)) { throw wrong(value, complaint) }
      line.appendQuoted(value)
    case .flag:
      if value.elementsEqual("true".utf8) {
        line.append("true")
      } else if value.elementsEqual("false".utf8) {
        line.append("false")
      } else {
        throw wrong(value, "must be true or false")
      }
    case .number(let range):
      guard let number = HTTPMember.number(value), range.contains(number) else {
        throw wrong(value, "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
      }
      line.append(Int(number))
    case .word(let words):
      guard words.contains(where: { value.elementsEqual($0.utf8) }) else {
        throw wrong(value, "must be \(words.dropLast().joined(separator: ", ")) or \(words.last ?? "")")
      }
      line.appendQuoted(value)
    }
  }

  private func wrong(_ value: [UInt8], _ what: String) -> HTTPRefusal {
    HTTPRefusal(.badMember, "\"\(name)\" of the query \(what); it is \"\(shown(value))\"")
  }

  /// Digits alone, without leading zeros: what JSON has as a whole number that is not negative.
  private static func number(_ digits: [UInt8]) -> Int64? {
    guard (1...19).contains(digits.count), digits.count == 1 || digits[0] != UInt8(ascii: "0") else { return nil }
    var number: Int64 = 0
    for digit in digits {
      guard 48...57 ~= digit else { return nil }
      let (product, isTooLarge) = number.multipliedReportingOverflow(by: 10)
      let (sum, isTooLargeNow) = product.addingReportingOverflow(Int64(digit - 48))
      if isTooLarge || isTooLargeNow { return nil }
      number = sum
    }
    return number
  }
}

/// The members that each page takes, as the op's table in the contract has them. `op`, `id` and what stands in the path
/// or in the body are no members of a query.
extension HTTPMember {
  static let send =
    [chain, timeout, HTTPMember("mode", .word(["first", "all", "notify"])), key, trace, within, reply, name] + lasting
  static let broadcast = [
    HTTPMember("via", .name), HTTPMember("echo", .flag), HTTPMember("retain", .flag), timeout, key, trace, within,
    reply,
    name,
  ]
  static let explain = [chain, key, limit, after, name]
  static let inspect =
    [chain] + ["server", "history", "messages", "connections", "changes"].map { HTTPMember($0, .flag) }
    + [limit, after, name]
  static let findings = [name]
  static let walks = [
    chain,
    HTTPMember("status", .word(["handled", "unhandled", "published", "rejected", "failed", "timeout", "cancelled"])),
    HTTPMember("handler", .name), HTTPMember("topic", .text(atMost: 255)), key,
    HTTPMember("since_ms", .number(MemberRange.sinceMilliseconds)), HTTPMember("walk", .number(1...Int64.max)),
    HTTPMember("disagreed", .flag), limit, after, name,
  ]
  static let events = [
    HTTPMember("topics", .patterns), HTTPMember("retained", .flag), HTTPMember("after", .number(0...Int64.max)),
    HTTPMember("epoch", .text(atMost: 64)), name,
  ]
  static let stored = [named, name]
  static let dead = [
    named, chain, HTTPMember("after", .text(atMost: 64)), HTTPMember("until", .text(atMost: 64)),
    HTTPMember("limit", .number(1...100)), name,
  ]

  /// The name of a stored message.
  private static let named = HTTPMember("stored", .text(atMost: 64))
  /// What a durable message may say; `wait` is of the door alone.
  private static let lasting = [
    HTTPMember("durable", .flag), HTTPMember("once", .text(atMost: MemberRange.bytes(of: .once).upperBound)),
    HTTPMember("tries", .number(MemberRange.tries)), HTTPMember("retry_ms", .number(MemberRange.retryMilliseconds)),
    HTTPMember("expires_ms", .number(MemberRange.expiresMilliseconds)),
    HTTPMember("delay_ms", .number(MemberRange.delayMilliseconds)), HTTPMember("wait", .flag),
  ]

  /// Becomes the name of the connection, and no member of the op.
  private static let name = HTTPMember("name", .name)
  private static let chain = HTTPMember("chain", .name)
  private static let timeout = HTTPMember("timeout_ms", .number(MemberRange.timeoutMilliseconds))
  private static let key = HTTPMember("key", .key)
  private static let within = HTTPMember("within", .number(MemberRange.within))
  private static let trace = HTTPMember("trace", .flag)
  private static let reply = HTTPMember("reply", .flag)
  private static let limit = HTTPMember("limit", .number(1...1000))
  private static let after = HTTPMember("after", .text(atMost: .max))
}
