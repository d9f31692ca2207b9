public import BatonCore

/// What the file says of traces that go beyond the server.
public struct TraceEntry: Sendable {
  /// Which messages are traced.
  public var rule = TraceRule()
  /// The values that the file says, in the order of its keys, as `baton config show` tells them.
  public var shown: [ShownValue] = []
}
