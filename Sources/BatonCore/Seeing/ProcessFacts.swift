/// Facts about the process that the core cannot find out. The caller supplies them, and `inspect` of the server tells
/// them.
public struct ProcessFacts: Sendable {
  /// The number of files that the process may have open; 0 if it is not known.
  public var fileLimit = 0
  /// Returns the bytes of memory that are resident. It is called when a peer asks.
  public var residentBytes: @Sendable () -> Int = { 0 }

  /// No facts.
  public init() {}
}
