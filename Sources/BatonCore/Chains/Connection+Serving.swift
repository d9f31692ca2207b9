extension Connection {
  /// What a connection serves, and what it has mounted.
  struct Serving {
    /// Its replicas, one for each link that it serves, in the order in which they came; `nobody` if it serves no link.
    var firstReplica = Slot<Replica>.nobody
    var lastReplica = Slot<Replica>.nobody
    /// The number of its replicas.
    var replicas: UInt32 = 0
    /// The mounts that it made and that are still there.
    var mounts: UInt32 = 0
    /// What counts for its share of the links: those that it serves, and its mounts.
    var links: Int { Int(replicas) + Int(mounts) }
  }
}
