/// The limits that a reload brings (contract, section 11).
extension Router {
  /// Takes the settings that change without a new start. Two limits are for what all connections hold together, and end
  /// connections: where there is more than a lower one allows, it sinks as what there is becomes less. It stays a quarter
  /// above that: what comes and goes closes nobody.
  mutating func takeLimits(_ new: Settings) {
    let (unsent, unfinished) = (settings.maxTotalUnsentBytes, settings.maxUnfinishedBytes)
    settings.takeNewLimits(of: new)
    sinking = SinkingLimits(unsent: new.maxTotalUnsentBytes, unfinished: new.maxUnfinishedBytes)
    settings.maxTotalUnsentBytes = max(new.maxTotalUnsentBytes, unsent)
    settings.maxUnfinishedBytes = max(new.maxUnfinishedBytes, unfinished)
    sinkLimits()
    beginForgetting()
  }

  /// Lowers such limits towards what there is, until they are as low as they should be.
  mutating func sinkLimits() {
    guard let wanted = sinking else { return }
    settings.maxTotalUnsentBytes = max(wanted.unsent, min(settings.maxTotalUnsentBytes, Router.roomy(unsentBytes)))
    settings.maxUnfinishedBytes = max(
      wanted.unfinished, min(settings.maxUnfinishedBytes, Router.roomy(unfinishedBytes)))
    if settings.maxTotalUnsentBytes == wanted.unsent, settings.maxUnfinishedBytes == wanted.unfinished { sinking = nil }
  }

  /// A quarter more.
  private static func roomy(_ bytes: Int) -> Int { bytes &+ bytes >> 2 }
}

/// What limits should be that a reload has lowered, in bytes.
struct SinkingLimits {
  /// `max_total_unsent_bytes`.
  let unsent: Int
  /// `max_unfinished_bytes`.
  let unfinished: Int
}
