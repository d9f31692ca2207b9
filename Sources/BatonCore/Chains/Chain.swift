// Chains: named, ordered lists of links; the connections that serve the links, the topics that the links accept, the
// order of the links, and how links end. It owns chains, links, replicas and accept lists.

/// A named, ordered list of links. It refers to them by slot: links, walks and keys live in tables of their own.
struct Chain: ~Copyable {
  let name: OwnedBytes
  /// The links by rank, then by arrival. Ended links stay among them until `tidyOrder` removes them.
  var order: [Slot<Link>] = []
  /// The number of links that have not ended.
  var live = 0
  /// The number of ended links in `order` that nothing else refers to.
  var retired = 0
  /// Links that were lost with their connection and that older walks may still reach, in the order in which they ended.
  var lost: [Ref<Link>] = []
  /// How many links of other chains mount this chain.
  var mountedBy = 0
  /// The chain's own links that are mounts.
  var mounts: [Slot<Link>] = []
  /// The number of walks that entered the chain through a mount and have not ended. Each remembers the chain's slot, so
  /// the chain is not forgotten before they end.
  var visits = 0
  /// The number of walks in the chain that are traced. Their traces also show the links that were lost meanwhile.
  var traced = 0
  /// The number of keys that have a message under way.
  var keys = 0
  /// The number of messages that wait for their key.
  var keyed = 0
  /// The number of the last change. All chains share one count, which never goes back.
  var version: Int
  /// The root of the links' patterns in the pattern index of `AcceptLists`.
  let root: Slot<PatternNode>
  /// The accept lists of the chain, the oldest first.
  var lists: [Ref<AcceptList>] = []
  /// The walks in the chain, counted by the version at which they entered.
  var walks = VersionCounts()

  init(name: UnsafeRawBufferPointer, version: Int, root: Slot<PatternNode>) {
    self.name = OwnedBytes(copying: name)
    self.version = version
    self.root = root
  }
}
