/// A key of two numbers, in their order: a time and a row, for instance.
struct Pair: BitwiseCopyable, Comparable {
  var first: UInt64
  var second: UInt64

  init(_ first: UInt64, _ second: UInt64 = 0) { (self.first, self.second) = (first, second) }

  static func < (left: Pair, right: Pair) -> Bool {
    left.first != right.first ? left.first < right.first : left.second < right.second
  }
}

/// A tree of `Trees`: the number of its root. An empty tree takes nothing but these four bytes.
struct Tree: BitwiseCopyable {
  fileprivate(set) var root: UInt32 = .none

  var isEmpty: Bool { root == .none }
}

extension UInt32 {
  /// No place.
  static var none: UInt32 { .max }
}

/// Many ordered trees that share their memory: treaps, whose shape comes from their keys and a secret. A call takes steps
/// like the logarithm of a tree, whatever a peer chooses, because no peer knows the secret.
struct Trees: ~Copyable {
  /// 28 bytes: a key of whole words would make it 32, and so would its rank, which comes from the key.
  struct Node {
    private var words: (UInt32, UInt32, UInt32, UInt32)
    var value: UInt32
    var left: UInt32 = .none
    var right: UInt32 = .none

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
  mutating func insert(_ key: Pair, _ value: UInt32, into tree: inout Tree) {
    let node = nodes.add(Node(key: key, value: value))
    let own = rank(key)
    var (parent, isLeft): (UInt32, Bool) = (.none, false)
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

  private mutating func link(_ node: UInt32, under parent: UInt32, isLeft: Bool, in tree: inout Tree) {
    if parent == .none {
      tree.root = node
    } else if isLeft {
      nodes[parent].left = node
    } else {
      nodes[parent].right = node
    }
  }

  /// What was in the place of the node hangs under it: smaller keys to its left, larger ones to its right.
  private mutating func split(_ top: UInt32, around node: UInt32) {
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

  private mutating func join(_ left: UInt32, _ right: UInt32) -> UInt32 {
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
  mutating func remove(_ key: Pair, from tree: inout Tree) -> Bool {
    var parent: UInt32 = .none
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
  func find(_ key: Pair, in tree: Tree) -> UInt32? {
    var at = tree.root
    while at != .none, nodes[at].key != key { at = key < nodes[at].key ? nodes[at].left : nodes[at].right }
    return at == .none ? nil : nodes[at].value
  }

  /// The entry with the smallest key.
  func first(of tree: Tree) -> (key: Pair, value: UInt32)? {
    guard tree.root != .none else { return nil }
    var at = tree.root
    while nodes[at].left != .none { at = nodes[at].left }
    return (nodes[at].key, nodes[at].value)
  }

  /// The entry with the largest key.
  func last(of tree: Tree) -> (key: Pair, value: UInt32)? {
    guard tree.root != .none else { return nil }
    var at = tree.root
    while nodes[at].right != .none { at = nodes[at].right }
    return (nodes[at].key, nodes[at].value)
  }

  /// The entry with the smallest key that is larger than `key`.
  func next(after key: Pair, in tree: Tree) -> (key: Pair, value: UInt32)? {
    var found: UInt32 = .none
    var at = tree.root
    while at != .none {
      if key < nodes[at].key {
        found = at
        at = nodes[at].left
      } else {
        at = nodes[at].right
      }
    }
    return found == .none ? nil : (nodes[found].key, nodes[found].value)
  }
}
