/// One pattern that one connection has subscribed to.
struct Subscription: ~Copyable {
  let connection: UInt32
  let pattern: OwnedBytes
  let hash: UInt32
  let entry: Ref<SubjectIndex.Entry>
  /// Neighbours among those of the same connection.
  var previous = UInt32.nobody
  var next = UInt32.nobody
}
