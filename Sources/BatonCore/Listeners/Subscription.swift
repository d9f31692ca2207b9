/// One pattern that one connection has subscribed to.
struct Subscription: ~Copyable {
  let connection: Slot<Connection>
  let pattern: OwnedBytes
  let hash: UInt32
  let entry: Ref<PatternEntry>
  /// Neighbours among those of the same connection.
  var previous = Slot<Subscription>.nobody
  var next = Slot<Subscription>.nobody
}
