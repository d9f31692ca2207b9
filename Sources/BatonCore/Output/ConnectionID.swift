/// The name of one connection at the router's door: a slot and its generation. So an old identifier never names a newer
/// connection in the same slot.
public struct ConnectionID: Hashable, Sendable {
  /// The slot in the router's table. It is used again after `closed`. It is small, so that a caller can use it as
  /// an index.
  public let index: UInt32
  let generation: UInt32
}
