/// Finds by topic whoever has a pattern that matches it, without looking at patterns that cannot match.
///
/// Trees of tokens: patterns that begin alike share their nodes. Each chain has a root for what its links accept, and
/// the subscriptions have one; what stands behind a pattern is a number that the owner knows.
struct SubjectIndex: ~Copyable {
  /// Names one pattern of one owner, for taking it out again.
  struct Entry {
    fileprivate var value: UInt32
    fileprivate var node: UInt32
    fileprivate var position: UInt32
    fileprivate var isTail: Bool
  }

  /// One token of the patterns that begin alike.
  struct Node: ~Copyable {
    var token: OwnedBytes
    var tokenHash: UInt32
    var parent: UInt32
    var star = UInt32.nobody
    var children = 0
    /// Entries whose pattern ends here, and those that end in `>` behind here.
    var exact: [UInt32] = []
    var tails: [UInt32] = []
  }

  private static let star = UInt8(ascii: "*")
  private let seed: UInt64
  private var nodes = Table<Node>()
  private var entries = Table<Entry>()
  private var edges = ByteIndex()

  init(seed: UInt64) { self.seed = seed }

  /// Patterns in the index, under all roots.
  var count: Int { entries.count }

  /// A new tree.
  mutating func makeRoot() -> UInt32 { nodes.insert(Node(token: OwnedBytes(), tokenHash: 0, parent: .nobody)) }

  /// Ends a tree that holds no patterns any more.
  mutating func removeRoot(_ root: UInt32) {
    precondition(nodes[root].children == 0 && nodes[root].tails.isEmpty)
    nodes.remove(root)
  }

  /// Puts a valid pattern in for `value`.
  mutating func insert(_ pattern: UnsafeRawBufferPointer, value: UInt32, under root: UInt32) -> Ref<Entry> {
    var node = root
    var isTail = false
    var start = 0
    while start <= pattern.count {
      let end = SubjectIndex.tokenEnd(pattern, from: start)
      let token = pattern.part(start, end)
      if token.count == 1, token[0] == UInt8(ascii: ">") {
        isTail = true
      } else {
        node = child(of: node, token)
      }
      start = end + 1
    }
    let position = isTail ? nodes[node].tails.count : nodes[node].exact.count
    let entry = entries.insert(Entry(value: value, node: node, position: UInt32(position), isTail: isTail))
    if isTail { nodes[node].tails.append(entry) } else { nodes[node].exact.append(entry) }
    return entries.ref(entry)
  }

  /// Takes a pattern out.
  mutating func remove(_ ref: Ref<Entry>) {
    guard entries.contains(ref) else { return }
    let node = entries[ref.index].node
    let position = Int(entries[ref.index].position)
    let last: UInt32?
    if entries[ref.index].isTail {
      last = nodes[node].tails.popLast()
      if let last, last != ref.index { nodes[node].tails[position] = last }
    } else {
      last = nodes[node].exact.popLast()
      if let last, last != ref.index { nodes[node].exact[position] = last }
    }
    if let last { entries[last].position = UInt32(position) }
    entries.remove(ref.index)
    prune(from: node)
  }

  /// Adds to `found` the value of every entry whose pattern matches the topic; a value with several matching patterns
  /// comes several times.
  func match(_ topic: UnsafeRawBufferPointer, under root: UInt32, into found: inout [UInt32]) {
    match(topic, from: 0, at: root, into: &found)
  }

  /// Whether the topic matches the pattern, without an index.
  static func matches(_ topic: UnsafeRawBufferPointer, pattern: UnsafeRawBufferPointer) -> Bool {
    var (at, from) = (0, 0)
    while at <= pattern.count {
      let patternEnd = tokenEnd(pattern, from: at)
      let isTail = patternEnd - at == 1 && pattern[at] == UInt8(ascii: ">")
      let isStar = patternEnd - at == 1 && pattern[at] == star
      guard from <= topic.count else { return false }
      if from == 0, isTail || isStar, Words.isServers(topic) { return false }
      if isTail { return true }
      let topicEnd = tokenEnd(topic, from: from)
      if !isStar, !pattern.part(at, patternEnd).equals(topic.part(from, topicEnd)) { return false }
      at = patternEnd + 1
      from = topicEnd + 1
    }
    return from > topic.count
  }

  // MARK: The tree

  private func match(_ topic: UnsafeRawBufferPointer, from start: Int, at node: UInt32, into found: inout [UInt32]) {
    if start > topic.count {
      for entry in nodes[node].exact { found.append(entries[entry].value) }
      return
    }
    let isServers = start == 0 && Words.isServers(topic)
    if !isServers {
      for entry in nodes[node].tails { found.append(entries[entry].value) }
    }
    if nodes[node].children == 0 { return }
    let end = SubjectIndex.tokenEnd(topic, from: start)
    let token = topic.part(start, end)
    if let next = find(token, hash: hash(token, under: node), under: node) {
      match(topic, from: end + 1, at: next, into: &found)
    }
    if nodes[node].star != .nobody, !isServers {
      match(topic, from: end + 1, at: nodes[node].star, into: &found)
    }
  }

  private static func tokenEnd(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    var end = start
    while end < bytes.count, bytes[end] != UInt8(ascii: ".") { end += 1 }
    return end
  }

  private func hash(_ token: UnsafeRawBufferPointer, under node: UInt32) -> UInt32 {
    ByteIndex.hash(token, seed: seed &+ UInt64(node) &* 0x9E37_79B9_7F4A_7C15)
  }

  private func find(_ token: UnsafeRawBufferPointer, hash: UInt32, under node: UInt32) -> UInt32? {
    edges.find(hash) { nodes[$0].parent == node && nodes[$0].token.bytes.equals(token) }
  }

  private mutating func child(of node: UInt32, _ token: UnsafeRawBufferPointer) -> UInt32 {
    let isStar = token.count == 1 && token[0] == Self.star
    if isStar {
      if nodes[node].star != .nobody { return nodes[node].star }
    } else if let found = find(token, hash: hash(token, under: node), under: node) {
      return found
    }
    let hash = hash(token, under: node)
    let new = nodes.insert(Node(token: OwnedBytes(copying: token), tokenHash: hash, parent: node))
    nodes[node].children += 1
    if isStar { nodes[node].star = new } else { edges.insert(hash, new) }
    return new
  }

  private mutating func prune(from leaf: UInt32) {
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
