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
struct Trees {
  private struct Node {
    var key: Pair
    var value: UInt32
    var left: UInt32 = .none
    var right: UInt32 = .none
    var rank: UInt32
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

  /// Adds the key, which is not in the tree yet.
  mutating func insert(_ key: Pair, _ value: UInt32, into tree: inout Tree) {
    let node = nodes.add(Node(key: key, value: value, rank: rank(key)))
    tree.root = inserting(node, under: tree.root)
  }

  private mutating func inserting(_ node: UInt32, under top: UInt32) -> UInt32 {
    guard top != .none else { return node }
    let (key, rank) = (nodes[node].key, nodes[node].rank)
    if rank > nodes[top].rank {
      let (left, right) = split(top, at: key)
      nodes[node].left = left
      nodes[node].right = right
      return node
    }
    precondition(key != nodes[top].key, "a key stands once in a tree")
    if key < nodes[top].key {
      nodes[top].left = inserting(node, under: nodes[top].left)
    } else {
      nodes[top].right = inserting(node, under: nodes[top].right)
    }
    return top
  }

  private mutating func split(_ top: UInt32, at key: Pair) -> (UInt32, UInt32) {
    guard top != .none else { return (.none, .none) }
    if nodes[top].key < key {
      let (left, right) = split(nodes[top].right, at: key)
      nodes[top].right = left
      return (top, right)
    }
    let (left, right) = split(nodes[top].left, at: key)
    nodes[top].left = right
    return (left, top)
  }

  private mutating func join(_ left: UInt32, _ right: UInt32) -> UInt32 {
    if left == .none { return right }
    if right == .none { return left }
    if nodes[left].rank > nodes[right].rank {
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
    if parent == .none {
      tree.root = rest
    } else if nodes[parent].left == at {
      nodes[parent].left = rest
    } else {
      nodes[parent].right = rest
    }
    nodes.remove(at, blank: Node(key: Pair(0), value: 0, rank: 0))
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
