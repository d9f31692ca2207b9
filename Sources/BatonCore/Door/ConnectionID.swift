/// Names one connection at the router's door: a place in a table and the generation of its tenant, so that an old
/// identifier never reaches a newcomer.
public struct ConnectionID: Hashable, Sendable {
  /// The place in the router's table. Reused after `closed`; small, so that a caller can keep an array beside it.
  public let index: UInt32
  let generation: UInt32
}
