/// A copy of an offer that a shadow got: its verdict and the outcome are compared once both are known (contract,
/// section 8, `inspect`).
struct ShadowCopy: ~Copyable {
  /// What a shadow said.
  enum Verdict {
    case handled, `continue`, rewrote, reject, failed
  }

  let link: Ref<Link>
  var offer: UInt32
  let deadline: Instant
  var timer = TimerRef.none
  /// The walk whose outcome is still to come, and the next copy of that walk.
  var walk: Ref<Walk>
  var next: UInt32
  var verdict: Verdict?
  var outcome: Outcome.Status?
}
