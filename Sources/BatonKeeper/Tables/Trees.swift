/// A key of two numbers, in their order: a time and a row, for instance.
struct Pair: BitwiseCopyable, Comparable {
  var first: UInt64
  var second: UInt64

  init(_ first: UInt64, _ second: UInt64 = 0) { (self.first, self.second) = (first, second) }

  static func < (left: Pair, right: Pair) -> Bool {
    left.first != right.first ? left.first < right.first : left.second < right.second
  }
}

/// A tree of `Trees`, which leads to places of such elements: its root. An empty tree takes nothing but these four bytes.
struct Tree<Element>: BitwiseCopyable {
  fileprivate(set) var root = Place<Trees.Node>.none

  var isEmpty: Bool { root == .none }
}

/// Many ordered trees that share their memory: treaps, whose shape comes from their keys and a secret. A call takes steps
/// like the logarithm of a tree, whatever a peer chooses, because no peer knows the secret.
struct Trees: ~Copyable {
  /// 28 bytes: a key of whole words would make it 32, and so would its rank, which comes from the key.
  struct Node {
    private var words: (UInt32, UInt32, UInt32, UInt32)
    var value: UInt32
    var left = Place<Node>.none
    var right = Place<Node>.none

    init(key: Pair, value: UInt32) {
      words = (
        UInt32(truncatingIfNeeded: key.first >> 32), UInt32(truncatingIfNeeded: key.first),
        UInt32(truncatingIfNeeded: key.second >> 32), UInt32(truncatingIfNeeded: key.second)
      )
      self.value = value
    }

    var key: Pair {
      Pair(UInt64(words.0) << 32 | UInt64(words.1), UInt64(words.2) << 32 | UInt64(words.3))
    }
  }

  private var nodes = Pool<Node>()
  private let secret: UInt64

  init(secret: UInt64) { self.secret = secret }

  /// Entries of all trees.
  var count: Int { nodes.count }

  private func rank(_ key: Pair) -> UInt32 {
    var word = (key.first ^ secret) &* 0x9E37_79B9_7F4A_7C15
    word = (word ^ (word >> 32) ^ key.second) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 29)) &* 0x94D0_49BB_1331_11EB
    return UInt32(truncatingIfNeeded: word >> 32)
  }

  /// Adds the key, which is not in the tree yet. What is above its place is only read: no link is written
  /// that does not change.
  mutating func insert<Element>(_ key: Pair, _ value: Place<Element>, into tree: inout Tree<Element>) {
    let node = nodes.add(Node(key: key, value: value.index))
    let own = rank(key)
    var (parent, isLeft) = (Place<Node>.none, false)
    var at = tree.root
    while at != .none {
      let top = nodes[at].key
      if own > rank(top) { break }
      precondition(key != top, "a key stands once in a tree")
      (parent, isLeft) = (at, key < top)
      at = isLeft ? nodes[at].left : nodes[at].right
    }
    link(node, under: parent, isLeft: isLeft, in: &tree)
    split(at, around: node)
  }

  private mutating func link<Element>(
    _ node: Place<Node>, under parent: Place<Node>, isLeft: Bool, in tree: inout Tree<Element>
  ) {
    if parent == .none {
      tree.root = node
    } else if isLeft {
      nodes[parent].left = node
    } else {
      nodes[parent].right = node
    }
  }

  /// What was in the place of the node hangs under it: smaller keys to its left, larger ones to its right.
  private mutating func split(_ top: Place<Node>, around node: Place<Node>) {
    let key = nodes[node].key
    var at = top
    // Where the next smaller and the next larger part hang.
    var (smaller, larger) = (node, node)
    while at != .none {
      let isSmaller = nodes[at].key < key
      if isSmaller {
        if smaller == node { nodes[node].left = at } else { nodes[smaller].right = at }
        smaller = at
        at = nodes[at].right
      } else {
        if larger == node { nodes[node].right = at } else { nodes[larger].left = at }
        larger = at
        at = nodes[at].left
      }
    }
    if smaller != node { nodes[smaller].right = .none }
    if larger != node { nodes[larger].left = .none }
  }

  private mutating func join(_ left: Place<Node>, _ right: Place<Node>) -> Place<Node> {
    if left == .none { return right }
    if right == .none { return left }
    if rank(nodes[left].key) > rank(nodes[right].key) {
      nodes[left].right = join(nodes[left].right, right)
      return left
    }
    nodes[right].left = join(left, nodes[right].left)
    return right
  }

  /// Takes the key away; false if it is not there.
  @discardableResult
  mutating func remove<Element>(_ key: Pair, from tree: inout Tree<Element>) -> Bool {
    var parent = Place<Node>.none
    var at = tree.root
    while at != .none, nodes[at].key != key {
      parent = at
      at = key < nodes[at].key ? nodes[at].left : nodes[at].right
    }
    guard at != .none else { return false }
    let rest = join(nodes[at].left, nodes[at].right)
    link(rest, under: parent, isLeft: parent != .none && nodes[parent].left == at, in: &tree)
    nodes.remove(at, blank: Node(key: Pair(0), value: 0))
    return true
  }

  /// What stands under the key.
  func find<Element>(_ key: Pair, in tree: Tree<Element>) -> Place<Element>? {
    var at = tree.root
    while at != .none, nodes[at].key != key { at = key < nodes[at].key ? nodes[at].left : nodes[at].right }
    return at == .none ? nil : Place(nodes[at].value)
  }

  /// The entry with the smallest key.
  func first<Element>(of tree: Tree<Element>) -> (key: Pair, value: Place<Element>)? {
    guard tree.root != .none else { return nil }
    var at = tree.root
    while nodes[at].left != .none { at = nodes[at].left }
    return (nodes[at].key, Place(nodes[at].value))
  }

  /// The entry with the largest key.
  func last<Element>(of tree: Tree<Element>) -> (key: Pair, value: Place<Element>)? {
    guard tree.root != .none else { return nil }
    var at = tree.root
    while nodes[at].right != .none { at = nodes[at].right }
    return (nodes[at].key, Place(nodes[at].value))
  }

  /// The entry with the smallest key that is larger than `key`.
  func next<Element>(after key: Pair, in tree: Tree<Element>) -> (key: Pair, value: Place<Element>)? {
    var found = Place<Node>.none
    var at = tree.root
    while at != .none {
      if key < nodes[at].key {
        found = at
        at = nodes[at].left
      } else {
        at = nodes[at].right
      }
    }
    return found == .none ? nil : (nodes[found].key, Place(nodes[found].value))
  }
}
