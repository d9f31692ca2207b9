/// Counts and positions, of all nodes and of those that have a weight.
extension OrderTree where Element: ~Copyable {
  /// The number of nodes of a tree.
  func count(_ root: Slot<OrderNode>) -> Int { Int(count(below: root)) }

  /// The number of nodes before this one.
  func position(_ node: Slot<OrderNode>) -> Int {
    var before = count(below: nodes[node].left)
    var at = node
    while let parent = nodes[at].parent.real {
      if nodes[parent].right == at { before += 1 + count(below: nodes[parent].left) }
      at = parent
    }
    return Int(before)
  }

  /// The weight of a node: 0 or 1.
  func weight(_ node: Slot<OrderNode>) -> Int { Int(nodes[node].weight) }

  /// The sum of the weights of a tree.
  func totalWeight(_ root: Slot<OrderNode>) -> Int { Int(total(below: root)) }

  /// The number of weighted nodes before this one.
  func weightBefore(_ node: Slot<OrderNode>) -> Int {
    var before = total(below: nodes[node].left)
    var at = node
    while let parent = nodes[at].parent.real {
      if nodes[parent].right == at { before += nodes[parent].weight + total(below: nodes[parent].left) }
      at = parent
    }
    return Int(before)
  }

  /// The weighted node that has `before` weighted nodes before it, or `nobody`.
  func weightedNode(_ root: Slot<OrderNode>, at before: Int) -> Slot<OrderNode> {
    guard before >= 0, before < totalWeight(root) else { return .nobody }
    var left = UInt32(before)
    var at = root
    while at != .nobody {
      let below = total(below: nodes[at].left)
      if left < below {
        at = nodes[at].left
      } else if left == below, nodes[at].weight == 1 {
        return at
      } else {
        left -= below + nodes[at].weight
        at = nodes[at].right
      }
    }
    return .nobody
  }

  /// The next weighted node behind this one, or `nobody`. Any number of nodes without weight may stand between them.
  func nextWeighted(_ node: Slot<OrderNode>, in root: Slot<OrderNode>) -> Slot<OrderNode> {
    let near = next(node)
    if near == .nobody || nodes[near].weight == 1 { return near }
    return weightedNode(root, at: weightBefore(near))
  }

  /// The last weighted node before this one, or `nobody`.
  func previousWeighted(_ node: Slot<OrderNode>, in root: Slot<OrderNode>) -> Slot<OrderNode> {
    let near = previous(node)
    if near == .nobody || nodes[near].weight == 1 { return near }
    return weightedNode(root, at: weightBefore(near) - 1)
  }

  @inline(__always)
  func count(below root: Slot<OrderNode>) -> UInt32 { root == .nobody ? 0 : nodes[root].count }

  @inline(__always)
  func total(below root: Slot<OrderNode>) -> UInt32 { root == .nobody ? 0 : nodes[root].total }
}
