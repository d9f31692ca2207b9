/// How a walk can end. It refers to bytes of the request or of the walk, and does not outlive them.
package enum Outcome {
  case handled(payload: UnsafeRawBufferPointer)
  case unhandled
  /// The same as `unhandled`, for a broadcast. `delivered` is the number of connections for which its event was queued.
  case published(delivered: Int)
  /// A handler rejected the message. The request has its `message` and `code`.
  case rejected
  /// A link failed, and its policy is `stop`. `isSaid`: the request has a `message` of the handler. `wasAsked`: a handler
  /// had the offer.
  case failed(Cause, isSaid: Bool, wasAsked: Bool)
  case timeout
  /// Its sender has cancelled it.
  case cancelled

  var status: Status {
    switch self {
    case .handled: .handled
    case .unhandled: .unhandled
    case .published: .published
    case .rejected: .rejected
    case .failed: .failed
    case .timeout: .timeout
    case .cancelled: .cancelled
    }
  }
}

extension Outcome.Status {
  /// Whether such a walk is remembered for `walks`.
  @inline(__always)
  var isRemembered: Bool { self != .handled && self != .published }
}
