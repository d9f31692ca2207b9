/// Finds the owners of the patterns that match a topic, without looking at patterns that cannot match. It knows nothing
/// of its owners but their slots.
///
/// It holds trees of tokens: patterns that begin alike share their nodes. There is one index for the patterns that
/// links accept, with a root for each chain, and one for the patterns that connections have subscribed to.
struct PatternIndex<Owner: ~Copyable>: ~Copyable {
  private let seed: UInt64
  private var nodes = Table<PatternNode>()
  private var entries = Table<PatternEntry>()
  /// Nodes by parent and token. A node for `*` is not in here: its parent's `star` names it.
  private var edges = ByteIndex<PatternNode>()

  init(seed: UInt64) { self.seed = seed }

  /// The number of patterns in the index, under all roots.
  var count: Int { entries.count }

  /// Makes a new tree.
  mutating func makeRoot() -> Slot<PatternNode> {
    nodes.insert(PatternNode(token: OwnedBytes(), tokenHash: 0, parent: .nobody))
  }

  /// Removes a tree. It must hold no patterns.
  mutating func removeRoot(_ root: Slot<PatternNode>) {
    precondition(nodes[root].children == 0 && nodes[root].tails.isEmpty)
    nodes.remove(root)
  }

  /// Inserts a valid pattern for `owner`.
  mutating func insert(
    _ pattern: UnsafeRawBufferPointer, for owner: Slot<Owner>, under root: Slot<PatternNode>
  ) -> Ref<PatternEntry> {
    var node = root
    var isTail = false
    var start = 0
    while start <= pattern.count {
      let end = Pattern.tokenEnd(pattern, from: start)
      let token = pattern.part(start, end)
      if token.count == 1, token[0] == UInt8(ascii: ">") {
        isTail = true
      } else {
        node = child(of: node, token)
      }
      start = end + 1
    }
    let position = isTail ? nodes[node].tails.count : nodes[node].exact.count
    let entry = entries.insert(
      PatternEntry(owner: owner.index, node: node, position: UInt32(position), isTail: isTail))
    if isTail { nodes[node].tails.append(entry) } else { nodes[node].exact.append(entry) }
    return entries.ref(entry)
  }

  /// Removes a pattern.
  mutating func remove(_ ref: Ref<PatternEntry>) {
    guard entries.contains(ref) else { return }
    let node = entries[ref.slot].node
    let position = Int(entries[ref.slot].position)
    let last: Slot<PatternEntry>?
    if entries[ref.slot].isTail {
      last = nodes[node].tails.popLast()
      if let last, last != ref.slot { nodes[node].tails[position] = last }
    } else {
      last = nodes[node].exact.popLast()
      if let last, last != ref.slot { nodes[node].exact[position] = last }
    }
    if let last { entries[last].position = UInt32(position) }
    entries.remove(ref.slot)
    prune(from: node)
  }

  /// Adds the owner of every matching pattern to `found`. An owner with several matching patterns is added several
  /// times. Once `found` has more than `most` owners, the search ends.
  func match(
    _ topic: UnsafeRawBufferPointer, under root: Slot<PatternNode>, atMost most: Int = .max,
    into found: inout FoundOwners<Owner>
  ) {
    match(topic, from: 0, at: root, atMost: most, into: &found)
  }

  // MARK: The tree

  private func match(
    _ topic: UnsafeRawBufferPointer, from start: Int, at node: Slot<PatternNode>, atMost most: Int,
    into found: inout FoundOwners<Owner>
  ) {
    if found.count > most { return }
    found.looked &+= 1
    if start > topic.count {
      for entry in nodes[node].exact {
        found.append(Slot(entries[entry].owner))
        if found.count > most { return }
      }
      return
    }
    let isServers = start == 0 && Words.isServers(topic)
    if !isServers {
      for entry in nodes[node].tails {
        found.append(Slot(entries[entry].owner))
        if found.count > most { return }
      }
    }
    if nodes[node].children == 0 { return }
    let end = Pattern.tokenEnd(topic, from: start)
    let token = topic.part(start, end)
    if let next = find(token, hash: hash(token, under: node), under: node) {
      match(topic, from: end + 1, at: next, atMost: most, into: &found)
    }
    if nodes[node].star != .nobody, !isServers {
      match(topic, from: end + 1, at: nodes[node].star, atMost: most, into: &found)
    }
  }

  private func hash(_ token: UnsafeRawBufferPointer, under node: Slot<PatternNode>) -> UInt32 {
    token.hash(seed: seed, beside: node.index)
  }

  private func find(_ token: UnsafeRawBufferPointer, hash: UInt32, under node: Slot<PatternNode>) -> Slot<PatternNode>?
  {
    edges.find(hash) { nodes[$0].parent == node && nodes[$0].token.bytes.equals(token) }
  }

  private mutating func child(of node: Slot<PatternNode>, _ token: UnsafeRawBufferPointer) -> Slot<PatternNode> {
    let isStar = token.count == 1 && token[0] == Pattern.star
    if isStar {
      if nodes[node].star != .nobody { return nodes[node].star }
    } else if let found = find(token, hash: hash(token, under: node), under: node) {
      return found
    }
    let hash = hash(token, under: node)
    let new = nodes.insert(PatternNode(token: OwnedBytes(copying: token), tokenHash: hash, parent: node))
    nodes[node].children += 1
    if isStar { nodes[node].star = new } else { edges.insert(hash, new) }
    return new
  }

  /// Removes the nodes that hold nothing any more, from a leaf up.
  private mutating func prune(from leaf: Slot<PatternNode>) {
    var node = leaf
    while nodes[node].parent != .nobody, nodes[node].children == 0, nodes[node].exact.isEmpty,
      nodes[node].tails.isEmpty
    {
      let parent = nodes[node].parent
      if nodes[parent].star == node {
        nodes[parent].star = .nobody
      } else {
        edges.remove(nodes[node].tokenHash, node)
      }
      nodes[parent].children -= 1
      nodes.remove(node)
      node = parent
    }
  }
}

/// One token, shared by all patterns that begin with the same tokens up to here.
struct PatternNode: ~Copyable {
  let token: OwnedBytes
  let tokenHash: UInt32
  let parent: Slot<PatternNode>
  /// The child for the token `*`, or `nobody`.
  var star = Slot<PatternNode>.nobody
  /// The number of children, `star` included.
  var children = 0
  /// The patterns that end here.
  var exact: [Slot<PatternEntry>] = []
  /// The patterns that continue here with a last `>`.
  var tails: [Slot<PatternEntry>] = []
}

/// One pattern of one owner.
struct PatternEntry {
  /// The index of the owner's slot. It is a bare number, so that entries and nodes need no generic parameter.
  let owner: UInt32
  let node: Slot<PatternNode>
  /// Its position in its node's `exact` or `tails`.
  var position: UInt32
  let isTail: Bool
}
