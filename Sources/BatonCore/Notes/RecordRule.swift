/// What the operator's file says of the record, as far as it concerns the router: which messages are recorded, and what
/// waits for that.
public struct RecordRule: Sendable, Equatable {
  /// The chains whose messages are recorded; nil: all.
  public var chains: [[UInt8]]?
  /// The patterns of topics; nil: all.
  public var topics: [[UInt8]]?
  /// Whether an end is told only when its line is written.
  public var isStrict = true
  /// Whether payloads are looked at, also for their digests.
  public var takesPayloads = true

  /// Everything is recorded, strictly.
  public init() {}
}
