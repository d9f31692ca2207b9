// Chains: named, ordered lists of links; the connections that serve the links, the topics that the links accept, the
// order of the links, and how links end. It owns chains, links, replicas and accept lists.

/// A named, ordered list of links. It refers to them by slot: links, walks and keys live in tables of their own.
struct Chain: ~Copyable {
  let name: OwnedBytes
  /// The root of the links in their order (`Router.linkOrder`). An ended link stays among them as long as a walk stands
  /// at it or may still reach it.
  var order = Slot<OrderNode>.nobody
  /// The number of links that have not ended.
  var live = 0
  /// How many of them count under their own name for `/metrics`.
  var meteredAlone = 0
  /// The chain's place among the chains that have links, by name; `nobody` while it has none.
  var listed = Slot<OrderNode>.nobody
  /// Links that were lost with their connection and that older walks may still reach, in the order in which they ended.
  var lost = Queue<Ref<Link>>()
  /// Whether a job forgets lost links or lists, one piece in each turn.
  var isTidied = false
  /// The links of other chains that mount this chain.
  var mountedAt: [Slot<Link>] = []
  /// What the configuration file says about the chain; nil if it says nothing. All other links stand behind the declared
  /// ones.
  var declaration: ChainDeclaration?
  /// The last declared link, or `nobody`.
  var lastDeclared = Slot<Link>.nobody
  /// Whether the file has closed the chain, and links that it does not name are taken out in pieces. No walk comes to
  /// them any more.
  var isClosing = false
  /// The chain's own links that are mounts.
  var mounts: [Slot<Link>] = []
  /// The number of the last search through mounts that came here, and the most mounts that follow each other from here
  /// on in the direction of that search.
  var search = (number: 0, reach: 0)
  /// The number of walks in the chain that are traced. Their traces also show the links that were lost meanwhile.
  var traced = 0
  /// The number of keys that have a message under way.
  var keys = 0
  /// The number of messages whose end waits for the record: one that waited for its key stands nowhere in the chain.
  var held = 0
  /// The number of messages that wait for their key.
  var keyed = 0
  /// These messages, in the order in which they came.
  var firstKeyed = Slot<Walk>.nobody
  var lastKeyed = Slot<Walk>.nobody
  /// The number of the last change. All chains share one count, which never goes back.
  var version: Int
  /// The number of changes after which the lists have to be computed again.
  var revision = 0
  /// The root of the links' patterns in the pattern index of `AcceptLists`.
  let root: Slot<PatternNode>
  /// The members that its links' conditions name, once one had a condition.
  var conditionNames: ChainNames?
  /// The accept lists of the chain.
  var lists = ChainLists()
  /// Whether its messages are recorded, and under which rule that was found.
  var recorded = (revision: UInt32.max, isOn: false)
  /// The walks in the chain, counted by the version at which they entered.
  var walks = VersionCounts()

  /// How many links of other chains mount this chain.
  var mountedBy: Int { mountedAt.count }

  init(name: UnsafeRawBufferPointer, version: Int, root: Slot<PatternNode>) {
    self.name = OwnedBytes(copying: name)
    self.version = version
    self.root = root
  }
}
