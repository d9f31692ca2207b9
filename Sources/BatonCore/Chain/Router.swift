/// The deterministic heart: bytes and the time go in, bytes and wishes about connections come out.
///
/// **In:** `opened`, `received`, `ended`, `closed`, `wrote`, `drain`, `wake`; each says what time it is.
/// **Out:** state, not a list of effects. Lines are built straight in the connection's outbox; `nextChanged` names the
/// connections about which something is new, `wish` says what is wanted of each, `unsent` shows the bytes to write,
/// `wakeAt` says when to call `wake`. Nothing else goes in or out.
///
/// The core knows no sockets, no clock and no chance: the same calls give the same bytes.
public struct Router: ~Copyable {
  /// What the caller is to do with a connection.
  public struct Wish: Equatable, Sendable {
    /// How the connection is to go on.
    public enum Ending: Equatable, Sendable {
      /// Stay open.
      case open
      /// Once everything unsent is written, shut down the writing side; go on reading.
      case shutDown
      /// Once everything unsent is written, close.
      case closeWhenWritten
      /// Close now, whatever is unsent.
      case close
    }
    /// False while the caller is to leave the peer's bytes in the kernel.
    public var reading: Bool
    /// How the connection is to go on.
    public var ending: Ending
    /// Why, for the log; nil while open.
    public var reason: CloseReason?
  }

  /// A router without connections.
  public init(settings: Settings) {}

  // MARK: In

  /// A peer has connected. The identifier holds until `closed`.
  public mutating func opened(at now: Instant) -> ConnectionID { fatalError() }

  /// The peer sent `bytes`; they are read during the call only.
  public mutating func received(_ bytes: UnsafeRawBufferPointer, from connection: ConnectionID, at now: Instant) {}

  /// The peer shut down its writing side.
  public mutating func ended(_ connection: ConnectionID, at now: Instant) {}

  /// The connection is gone, by whomever. Must be called exactly once for each `opened`, also after a wish to close.
  public mutating func closed(_ connection: ConnectionID, at now: Instant) {}

  /// The kernel has taken the first `count` bytes of what was unsent; their memory is given back.
  public mutating func wrote(_ count: Int, to connection: ConnectionID, at now: Instant) {}

  /// The server is to go: refuse new messages, finish what is under way, then wish every connection closed.
  public mutating func drain(at now: Instant) {}

  /// Carries out what is due. To be called at `wakeAt` or later, never needed earlier.
  public mutating func wake(at now: Instant) {}

  // MARK: Out

  /// A connection whose unsent bytes or wish have changed since it was last returned from here, or nil when none is
  /// left. A connection is named once, however much has changed.
  public mutating func nextChanged() -> ConnectionID? { nil }

  /// What is to be done with the connection.
  public func wish(for connection: ConnectionID) -> Wish { fatalError() }

  /// Bytes that wait to be written to the connection.
  public func unsentCount(of connection: ConnectionID) -> Int { 0 }

  /// Fills `buffers` with the first unsent bytes in order, and returns how many of its places it used. The memory
  /// stays where it is until `wrote` or `closed` gives it back; more may be appended meanwhile.
  public func unsent(
    of connection: ConnectionID, into buffers: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>
  ) -> Int { 0 }

  /// When `wake` is to be called next, or nil while nothing is due ever.
  public var wakeAt: Instant? { nil }

  /// True once `drain` was called and everything is finished; the program can end when all connections are closed.
  public var isDrained: Bool { false }
}
