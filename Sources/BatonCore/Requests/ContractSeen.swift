// Made by Scripts/contract of Clients/contract.json. Do not change it here.
// swift-format-ignore-file

extension Outcome {
  /// The values of `status`.
  package enum Status: CaseIterable, Sendable {
    case handled, unhandled, published, rejected, failed, timeout, cancelled

    /// The word on the wire.
    package var spelling: StaticString {
      switch self {
      case .handled: "handled"
      case .unhandled: "unhandled"
      case .published: "published"
      case .rejected: "rejected"
      case .failed: "failed"
      case .timeout: "timeout"
      case .cancelled: "cancelled"
      }
    }

    /// All words.
    static let words = ["handled", "unhandled", "published", "rejected", "failed", "timeout", "cancelled"]
  }
}

extension TraceWhere {
  /// The members that `where` may have.
  static let members = ["chain", "topic", "status", "slower_than_ms", "from", "traced"]
}

/// What a message that comes to a link meets there now: the words of `explain` and `inspect` (contract, section 8).
package enum LinkState: CaseIterable, Sendable {
  case serving, shadow, window, unsent, held, absent, empty, breaker, overload

  /// The word on the wire.
  package var spelling: StaticString {
    switch self {
    case .serving: "serving"
    case .shadow: "shadow"
    case .window: "window"
    case .unsent: "unsent"
    case .held: "held"
    case .absent: "absent"
    case .empty: "empty"
    case .breaker: "breaker"
    case .overload: "overload"
    }
  }

  /// What would happen to the message there.
  var would: StaticString {
    switch self {
    case .window, .unsent, .held: "wait"
    case .absent, .empty, .breaker, .overload: "skip"
    default: "offer"
    }
  }

  /// The cause with which the link fails the message at once; nil if it does not.
  var cause: Cause? {
    switch self {
    case .absent: .disconnect
    case .breaker: .breaker
    case .overload: .overload
    default: nil
    }
  }
}

/// Words for people. `{took}`, `{waited}` and `{topic}` stand for what a step has.
enum SeenWords {
  /// What a reason of `explain` means.
  static let reasons = [
    "shadow": "it only gets a copy",
    "window": "window: it is full, or other messages wait",
    "unsent": "unsent: it does not read what was sent to it",
    "held": "held: no handler serves it, and messages wait for one",
    "absent": "absent: no handler serves it",
    "empty": "empty: no handler serves it, and messages pass",
    "breaker": "breaker: it is open, because offers timed out",
    "overload": "overload: too many messages wait there",
    "topic": "it does not accept the topic",
    "percent": "the message is not in its part",
    "when": "the message does not fit its condition",
    "visited": "the message has been in that chain",
    "unreached": "the message does not come here",
    "limit": "the message has been in too many chains",
    "removed": "it was removed while the message waited there",
  ]

  /// Why a message passed a link, in words that follow the link's name.
  static let skips = [
    "shadow": "only gets copies",
    "empty": "was passed: empty, no handler serves it and messages pass",
    "topic": "does not accept {topic}",
    "percent": "is for a part of the messages, and not for this one",
    "when": "has a condition that this message does not fit",
    "visited": "is a chain in which the message had been",
    "limit": "was not entered: the message had been in too many chains",
    "removed": "was removed while the message waited there",
  ]

  /// How a message ended at a link, by its outcome: with an offer, without one, or after a wait without one.
  static let steps = [
    "continue": [
      "asked": "passed it on",
      "rewrote": "passed it on, with another payload",
    ],
    "handled": [
      "asked": "handled it",
    ],
    "reject": [
      "asked": "rejected it",
    ],
    "failed": [
      "asked": "failed",
    ],
    "timeout": [
      "asked": "gave no verdict within {took}",
      "unasked": "gave no verdict in time",
      "waited": "was not asked within {waited}",
    ],
    "cancelled": [
      "asked": "had it for {took} when it was cancelled",
      "unasked": "was not asked before it was cancelled",
    ],
    "disconnect": [
      "asked": "lost its connection after {took}",
      "unasked": "was not asked: absent, no handler serves it",
      "waited": "was not asked: absent, no handler served it within {waited}",
      "listed": "lost its connection, or was absent: no handler serves it",
    ],
    "overload": [
      "unasked": "was not asked: overload, too many messages wait there",
      "waited": "was not asked: overload, the message waited there for {waited}",
      "listed": "was not asked: overload, too many messages waited there, or this one waited too long",
    ],
    "breaker": [
      "unasked": "was not asked: its breaker is open, because its offers timed out",
    ],
  ]
}
