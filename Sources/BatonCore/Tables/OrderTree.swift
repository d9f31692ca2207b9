/// A node of an `OrderTree`: one element, and what stands below it.
struct OrderNode {
  fileprivate(set) var parent = Slot<OrderNode>.nobody
  fileprivate(set) var left = Slot<OrderNode>.nobody
  fileprivate(set) var right = Slot<OrderNode>.nobody
  /// The number of the element's slot.
  fileprivate let element: UInt32
  /// The number of nodes in this subtree, and the sum of their weights.
  fileprivate(set) var count: UInt32 = 1
  fileprivate(set) var total: UInt32
  /// 0 or 1.
  fileprivate(set) var weight: UInt32

  fileprivate init(_ element: UInt32, weight: Int) {
    self.element = element
    self.weight = UInt32(weight)
    total = UInt32(weight)
  }
}

/// Ordered trees that count: elements in an order of their owner's, with neighbours and positions in logarithmic time.
///
/// One `OrderTree` holds many trees. The owner keeps a root for each of them; `nobody` is the empty tree. The tree
/// keeps slots only. The owner compares the elements, in closures that must agree with the order: true for the first
/// elements, false for the others. A node stays where it is until it is removed, so that the owner may keep its slot.
///
/// Each node has a weight, 0 or 1. The functions that speak of weighted nodes count only the nodes of weight 1. So an
/// element may stay in its place and count for nothing.
///
/// It is a weight-balanced tree with parent links: no subtree of a node is more than three times as heavy as the other,
/// where a subtree's weight is its number of nodes plus 1. Therefore a tree of n nodes is at most 2.5 log n deep.
/// Nothing here recurses.
struct OrderTree<Element: ~Copyable>: ~Copyable {
  private(set) var nodes = Table<OrderNode>()

  /// The number of nodes of all trees.
  var count: Int { nodes.count }
  /// The number of nodes that there ever were at once.
  var extent: UInt32 { nodes.extent }

  // MARK: Changes

  /// Puts an element before the one of a node, or behind all if the node is `nobody`. `firstNode` finds the node. It is
  /// a call of its own, because its closure may read the owner while the tree does not change.
  mutating func insert(
    _ element: Slot<Element>, before node: Slot<OrderNode>, into root: inout Slot<OrderNode>, weight: Int = 1
  ) -> Slot<OrderNode> {
    let new = nodes.insert(OrderNode(element.index, weight: weight))
    if root == .nobody {
      root = new
    } else if node != .nobody, nodes[node].left == .nobody {
      nodes[node].left = new
      nodes[new].parent = node
    } else {
      let parent = node == .nobody ? last(root) : last(nodes[node].left)
      nodes[parent].right = new
      nodes[new].parent = parent
    }
    rebalance(from: nodes[new].parent, &root)
    return new
  }

  /// Removes a node from its tree.
  mutating func remove(_ node: Slot<OrderNode>, from root: inout Slot<OrderNode>) {
    let parent = nodes[node].parent
    let left = nodes[node].left
    let right = nodes[node].right
    var lowest = parent
    if left == .nobody || right == .nobody {
      replaceChild(node, of: parent, by: left == .nobody ? right : left, &root)
    } else {
      // The next node has no left child. It leaves its place and takes the place of the node.
      let next = first(right)
      lowest = next
      if next != right {
        lowest = nodes[next].parent
        replaceChild(next, of: lowest, by: nodes[next].right, &root)
        nodes[next].right = right
        nodes[right].parent = next
      }
      nodes[next].left = left
      nodes[left].parent = next
      replaceChild(node, of: parent, by: next, &root)
    }
    nodes.remove(node)
    rebalance(from: lowest, &root)
  }

  /// Gives a node another weight, 0 or 1.
  mutating func setWeight(_ node: Slot<OrderNode>, to weight: Int) {
    let weight = UInt32(weight)
    let old = nodes[node].weight
    guard weight != old else { return }
    nodes[node].weight = weight
    var at = node
    while at != .nobody {
      nodes[at].total = nodes[at].total - old + weight
      at = nodes[at].parent
    }
  }

  // MARK: Neighbours

  /// The element of a node.
  @inline(__always)
  func element(_ node: Slot<OrderNode>) -> Slot<Element> { Slot(nodes[node].element) }

  /// The first node of a tree, or `nobody`.
  func first(_ root: Slot<OrderNode>) -> Slot<OrderNode> {
    guard var at = root.real else { return .nobody }
    while let left = nodes[at].left.real { at = left }
    return at
  }

  /// The last node of a tree, or `nobody`.
  func last(_ root: Slot<OrderNode>) -> Slot<OrderNode> {
    guard var at = root.real else { return .nobody }
    while let right = nodes[at].right.real { at = right }
    return at
  }

  /// The node behind this one, or `nobody`. A way along a whole tree takes two steps for each node.
  func next(_ node: Slot<OrderNode>) -> Slot<OrderNode> {
    if nodes[node].right != .nobody { return first(nodes[node].right) }
    var at = node
    while let parent = nodes[at].parent.real {
      if nodes[parent].left == at { return parent }
      at = parent
    }
    return .nobody
  }

  /// The node before this one, or `nobody`.
  func previous(_ node: Slot<OrderNode>) -> Slot<OrderNode> {
    if nodes[node].left != .nobody { return last(nodes[node].left) }
    var at = node
    while let parent = nodes[at].parent.real {
      if nodes[parent].right == at { return parent }
      at = parent
    }
    return .nobody
  }

  /// The first node for whose element `isNotBefore` returns true, or `nobody`.
  func firstNode(_ root: Slot<OrderNode>, where isNotBefore: (Slot<Element>) -> Bool) -> Slot<OrderNode> {
    var found = Slot<OrderNode>.nobody
    var at = root
    while at != .nobody {
      if isNotBefore(element(at)) {
        found = at
        at = nodes[at].left
      } else {
        at = nodes[at].right
      }
    }
    return found
  }

  // MARK: Balance

  /// Counts what stands below a node again.
  private mutating func recount(_ node: Slot<OrderNode>) {
    let (left, right) = (nodes[node].left, nodes[node].right)
    nodes[node].count = 1 + count(below: left) + count(below: right)
    nodes[node].total = nodes[node].weight + total(below: left) + total(below: right)
  }

  /// Counts and balances each node on the way up from `node`.
  private mutating func rebalance(from node: Slot<OrderNode>, _ root: inout Slot<OrderNode>) {
    var at = node
    while at != .nobody {
      recount(at)
      let (left, right) = (nodes[at].left, nodes[at].right)
      if isTooHeavy(right, beside: left) {
        at = lighten(at, heavy: right, inner: nodes[right].left, outer: nodes[right].right, &root)
      } else if isTooHeavy(left, beside: right) {
        at = lighten(at, heavy: left, inner: nodes[left].right, outer: nodes[left].left, &root)
      }
      at = nodes[at].parent
    }
  }

  private func isTooHeavy(_ subtree: Slot<OrderNode>, beside other: Slot<OrderNode>) -> Bool {
    count(below: subtree) + 1 > 3 * (count(below: other) + 1)
  }

  /// Moves nodes from the heavy side of a node to the other, and returns the node that now stands in its place. The
  /// factors 3 and 2 are the only whole ones that keep such a tree in balance with one of these two rotations.
  private mutating func lighten(
    _ node: Slot<OrderNode>, heavy: Slot<OrderNode>, inner: Slot<OrderNode>, outer: Slot<OrderNode>,
    _ root: inout Slot<OrderNode>
  ) -> Slot<OrderNode> {
    if count(below: inner) + 1 < 2 * (count(below: outer) + 1) {
      raise(heavy, &root)
      return heavy
    }
    raise(inner, &root)
    raise(inner, &root)
    return inner
  }

  /// A rotation: a node takes the place of its parent, and the parent goes below it.
  private mutating func raise(_ node: Slot<OrderNode>, _ root: inout Slot<OrderNode>) {
    let parent = nodes[node].parent
    let middle: Slot<OrderNode>
    if nodes[parent].left == node {
      middle = nodes[node].right
      nodes[node].right = parent
      nodes[parent].left = middle
    } else {
      middle = nodes[node].left
      nodes[node].left = parent
      nodes[parent].right = middle
    }
    if middle != .nobody { nodes[middle].parent = parent }
    replaceChild(parent, of: nodes[parent].parent, by: node, &root)
    nodes[parent].parent = node
    recount(parent)
    recount(node)
  }

  /// Puts `new`, which may be `nobody`, where `old` is a child of `parent`, or at the root.
  private mutating func replaceChild(
    _ old: Slot<OrderNode>, of parent: Slot<OrderNode>, by new: Slot<OrderNode>, _ root: inout Slot<OrderNode>
  ) {
    if parent == .nobody {
      root = new
    } else if nodes[parent].left == old {
      nodes[parent].left = new
    } else {
      nodes[parent].right = new
    }
    if new != .nobody { nodes[new].parent = parent }
  }
}

extension Slot where Element == OrderNode {
  /// The slot; nil for `nobody`.
  @inline(__always)
  var real: Slot? { self == .nobody ? nil : self }
}
