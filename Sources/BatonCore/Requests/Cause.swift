/// Why a link fails a message: one of five causes (contract, section 6).
public enum Cause: UInt8, CaseIterable, Sendable {
  /// The offer timed out.
  case timeout
  /// The connection was lost while the offer was open, or the link's place is empty.
  case disconnect
  /// The handler's verdict is `failed`.
  case failed
  /// The link's queue is full, or the message waited there longer than its share of the time.
  case overload
  /// The link's breaker is open: too many consecutive offers timed out.
  case breaker

  /// The word on the wire.
  public var spelling: StaticString {
    switch self {
    case .timeout: "timeout"
    case .disconnect: "disconnect"
    case .failed: "failed"
    case .overload: "overload"
    case .breaker: "breaker"
    }
  }

  /// The message that the sender gets if the handler did not send one.
  var text: StaticString {
    switch self {
    case .timeout: "the offer timed out"
    case .disconnect: "the handler is not connected"
    case .failed: "the handler failed"
    case .overload: "the link's queue is full, or the message waited there longer than its share of the time"
    case .breaker: "the breaker is open: too many consecutive offers timed out"
    }
  }
}

/// A link's failure policy: the causes that end the walk with `failed`. After any other cause the walk goes on to the
/// next link.
public struct FailurePolicy: Equatable, Sendable {
  /// One bit for each cause that ends the walk.
  private var stops: UInt8 = 0

  /// Every cause lets the walk go on.
  public static let goOn = FailurePolicy()
  /// Every cause ends the walk.
  public static let stop = FailurePolicy(stops: 0b11111)

  private init(stops: UInt8 = 0) { self.stops = stops }

  /// Whether the cause ends the walk.
  public subscript(cause: Cause) -> Bool {
    get { stops & (1 << cause.rawValue) != 0 }
    set {
      if newValue { stops |= 1 << cause.rawValue } else { stops &= ~(1 << cause.rawValue) }
    }
  }
}
