/// Which messages are traced beyond this server (`trace` of the operator's file).
public struct TraceRule: Sendable, Equatable {
  /// How many of a hundred messages begin a trace whose senders have begun none.
  public var sample = 0
  /// The most messages that are traced in a second.
  public var perSecond = 100

  /// The values that are accepted.
  public static let sampleRange = 0...100
  /// The values that are accepted.
  public static let perSecondRange = 1...100_000

  /// Those messages are traced whose senders want it.
  public init() {}
}
