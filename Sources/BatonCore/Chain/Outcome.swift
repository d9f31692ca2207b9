/// How a walk can end.
enum Outcome {
  case handled(payload: UnsafeRawBufferPointer)
  case unhandled
  /// `message` and `code` of the line being read.
  case rejected
  /// A link whose failure policy is `stop` failed; `isSaid` where the line being read holds a `message`.
  case failed(Cause, isSaid: Bool)
  case timeout

  /// What `status` says.
  enum Status {
    case handled, unhandled, rejected, failed, timeout

    var spelling: StaticString {
      switch self {
      case .handled: "handled"
      case .unhandled: "unhandled"
      case .rejected: "rejected"
      case .failed: "failed"
      case .timeout: "timeout"
      }
    }
  }

  var status: Status {
    switch self {
    case .handled: .handled
    case .unhandled: .unhandled
    case .rejected: .rejected
    case .failed: .failed
    case .timeout: .timeout
    }
  }
}
