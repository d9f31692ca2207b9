// Chains: named, ordered lists of links; who serves them, who accepts what, in which order, and how links end. It owns
// chains, links, replicas and accept lists.

/// A named, ordered list of links.
struct Chain: ~Copyable {
  let name: OwnedBytes
  /// Links by rank, then by arrival; ended ones among them until the order is tidied up.
  var order: [Slot<Link>] = []
  /// Links that have not ended.
  var live = 0
  /// Ended links in `order` that nothing refers to any more.
  var retired = 0
  /// Links lost with their connection that walks which entered before may still come to, in the order of their end.
  var lost: [Ref<Link>] = []
  /// Links of other chains at which this one is mounted, and mounts among its own.
  var mountedBy = 0
  var mounts: [Slot<Link>] = []
  /// Walks that have come into it through a mount and have not ended: they must know it again, so that it is not
  /// forgotten before.
  var visits = 0
  /// Walks in it whose way is recorded: they are to tell of every link that was lost meanwhile.
  var traced = 0
  /// Keys with messages under way.
  var keys = 0
  /// Messages that wait for their key.
  var keyed = 0
  /// Raised by every change; grows over all chains, never goes back.
  var version: Int
  /// The root of the links' patterns in the pattern index.
  let root: Slot<PatternNode>
  /// The kept lists of links, the oldest first.
  var lists: [Ref<AcceptList>] = []
  /// The walks in it, by the version at which they entered.
  var walks = VersionCounts()

  init(name: UnsafeRawBufferPointer, version: Int, root: Slot<PatternNode>) {
    self.name = OwnedBytes(copying: name)
    self.version = version
    self.root = root
  }
}
