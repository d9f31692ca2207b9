/// One try of a message.
package struct DurableTry: Sendable {
  package var stored: StoredID
  package var chain: [UInt8]
  package var content: DurableContent
  package var timeoutMilliseconds: UInt32
  /// Its number, from 1.
  package var number: UInt32
  /// `"again":true`: handlers may have had offers of it before.
  package var isAgain: Bool
  package var resent: StoredID?

  package init(
    stored: StoredID, chain: [UInt8], content: DurableContent, timeoutMilliseconds: UInt32, number: UInt32,
    isAgain: Bool, resent: StoredID?
  ) {
    (self.stored, self.chain, self.content) = (stored, chain, content)
    (self.timeoutMilliseconds, self.number) = (timeoutMilliseconds, number)
    (self.isAgain, self.resent) = (isAgain, resent)
  }
}

/// How a try ended.
package struct TryEnd: Sendable {
  package enum Status: UInt8, BitwiseCopyable, Sendable, CaseIterable {
    case handled, rejected, unhandled, failed, timeout

    /// As a result spells it.
    package var spelling: StaticString {
      switch self {
      case .handled: "handled"
      case .rejected: "rejected"
      case .unhandled: "unhandled"
      case .failed: "failed"
      case .timeout: "timeout"
      }
    }
  }
  package var status: Status
  /// The members of the `result` beside `op`, `id` and `dead`, as an object of JSON.
  package var result: [UInt8]
  /// Whether some handler had the offer (a shadow's copy is none), and it passed no empty declared link that accepts it.
  package var counts: Bool
  /// Whether a handler had the offer: the next offers say `again`.
  package var wasOffered: Bool
  /// The links that were empty, or that a breaker left alone, if it does not count. Served again, they wake it.
  package var passed: [DeclaredPlace]
  /// Whether one of them is in its way no more already.
  package var isOvertaken: Bool

  package init(
    _ status: Status, result: [UInt8], counts: Bool = true, wasOffered: Bool = true, passed: [DeclaredPlace] = [],
    isOvertaken: Bool = false
  ) {
    (self.status, self.result, self.counts, self.passed) = (status, result, counts, passed)
    (self.wasOffered, self.isOvertaken) = (wasOffered, isOvertaken)
  }
}

/// A declared link: the chain in which it stands, and its name.
package struct DeclaredPlace: Equatable, Sendable {
  package var chain: [UInt8]
  package var name: [UInt8]

  package init(chain: [UInt8], name: [UInt8]) { (self.chain, self.name) = (chain, name) }
}

/// A declared chain, and how many of its tries may be open at once: what its links take at once, at least 1.
package struct DurableWindow: Equatable, Sendable {
  package var chain: [UInt8]
  package var window: Int

  package init(chain: [UInt8], window: Int) { (self.chain, self.window) = (chain, max(1, window)) }
}
