/// Why a link fails a message: one of five (contract, section 6).
enum Cause: UInt8, CaseIterable {
  /// Its offer ran out.
  case timeout
  /// Its connection closed with the offer open, or its place is empty.
  case disconnect
  /// Its own verdict.
  case failed
  /// Its queue is full, or its share of the time ran out before the message could be offered.
  case overload
  /// It let five offers running time out, and is being left alone.
  case breaker

  /// The word on the wire.
  var spelling: StaticString {
    switch self {
    case .timeout: "timeout"
    case .disconnect: "disconnect"
    case .failed: "failed"
    case .overload: "overload"
    case .breaker: "breaker"
    }
  }

  /// What a sender is told where the handler said nothing itself.
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

/// A link's failure policy: the causes for which the sender is told `failed`; the others let the walk go on.
struct FailurePolicy: Equatable {
  private var stops: UInt8 = 0

  /// Every cause lets the walk go on.
  static let goOn = FailurePolicy()
  /// Every cause stops it.
  static let stop = FailurePolicy(stops: 0b11111)

  init(stops: UInt8 = 0) { self.stops = stops }

  subscript(cause: Cause) -> Bool {
    get { stops & (1 << cause.rawValue) != 0 }
    set {
      if newValue { stops |= 1 << cause.rawValue } else { stops &= ~(1 << cause.rawValue) }
    }
  }
}
