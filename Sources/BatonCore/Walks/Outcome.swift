/// How a walk can end.
enum Outcome {
  case handled(payload: UnsafeRawBufferPointer)
  case unhandled
  /// As `unhandled`, for a broadcast: its event was queued for so many.
  case published(delivered: Int)
  /// `message` and `code` of the line being read.
  case rejected
  /// A link whose failure policy is `stop` failed; `isSaid` where the line being read holds a `message`.
  case failed(Cause, isSaid: Bool)
  case timeout

  /// What `status` says.
  enum Status {
    case handled, unhandled, published, rejected, failed, timeout

    var spelling: StaticString {
      switch self {
      case .handled: "handled"
      case .unhandled: "unhandled"
      case .published: "published"
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
    case .published: .published
    case .rejected: .rejected
    case .failed: .failed
    case .timeout: .timeout
    }
  }
}
