/// One pattern that one connection has subscribed to.
struct Subscription: ~Copyable {
  let connection: Slot<Connection>
  let pattern: OwnedBytes
  let hash: UInt32
  /// The pattern in the index of `Subscriptions`.
  let entry: Ref<PatternEntry>
  /// Neighbours in the list of the connection's subscriptions.
  var previous = Slot<Subscription>.nobody
  var next = Slot<Subscription>.nobody
}
