internal import NATS

extension NATSInfo {
  /// The first version with which one message in a stream of three cannot be written twice.
  private static let oldest = (2, 12, 8)

  /// Why a node cannot use this server; nil if it can.
  func unfitness(at place: NATSPlace, keepsLog: Bool) -> String? {
    let (major, minor, patch) = NATSInfo.oldest
    guard isAtLeast(major, minor, patch) else {
      return "\(place) has version \(version); \(major).\(minor).\(patch) or later is needed"
    }
    guard jetstream == true else { return "\(place) has no JetStream; start nats-server with -js" }
    if keepsLog, let most = maxPayload, most < 1 << 20 {
      return "\(place) has max_payload \(most); the log needs 1048576"
    }
    return nil
  }
}
