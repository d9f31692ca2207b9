/// What the core cannot know of the process that it runs in; it only tells it (`inspect` of the server).
public struct ProcessFacts: Sendable {
  /// Files that the process may have open; 0 where nobody said.
  public var fileLimit = 0
  /// Asked whenever somebody wants to know: bytes of memory that are resident.
  public var residentBytes: @Sendable () -> Int = { 0 }

  /// Nothing known.
  public init() {}
}
