/// The reason why a message that comes to a link now is not offered at once: the words of `explain` and `inspect`
/// (contract, section 8).
enum Obstacle {
  /// The place is required, and no handler has come back to it.
  case absent
  /// The place is declared and not required, and no handler serves it: messages pass.
  case empty
  /// The breakers of all its handlers are open.
  case breaker
  /// The queue is full.
  case overload
  /// The place is held for a handler that is gone.
  case held
  /// Every handler holds as many offers as its window allows, or other messages wait already.
  case window
  /// Too much is unsent to the handlers: they read too slowly.
  case unsent

  var spelling: StaticString {
    switch self {
    case .absent: "absent"
    case .empty: "empty"
    case .breaker: "breaker"
    case .overload: "overload"
    case .held: "held"
    case .window: "window"
    case .unsent: "unsent"
    }
  }

  /// Whether the message waits.
  var isWaiting: Bool { cause == nil && self != .empty }

  /// The cause with which the link fails the message at once; nil if the message waits or passes.
  var cause: Cause? {
    switch self {
    case .absent: .disconnect
    case .breaker: .breaker
    case .overload: .overload
    case .empty, .held, .window, .unsent: nil
    }
  }
}
