/// Finds values by numbers, each of which stands for one: a hash table whose buckets are lists. It grows by one bucket at a
/// time (linear hashing), so no call moves more than one list. Nobody knows the secret, so nobody can choose numbers that
/// fall into one bucket; nothing ever goes through it in its order.
struct NumberIndex {
  /// 16 bytes; a whole word would make it 24.
  private struct Node: BitwiseCopyable {
    private var words: (UInt32, UInt32)
    var value: UInt32
    var next: UInt32

    init(_ number: UInt64, _ value: UInt32, next: UInt32) {
      words = (UInt32(truncatingIfNeeded: number >> 32), UInt32(truncatingIfNeeded: number))
      (self.value, self.next) = (value, next)
    }

    var number: UInt64 { UInt64(words.0) << 32 | UInt64(words.1) }
  }

  private var nodes = Pool<Node>()
  /// The first node of each bucket.
  private var heads = Pool<UInt32>()
  /// A power of two minus one: buckets of that many could be told apart, or will be, when the table has grown.
  private var mask: UInt64 = 0
  private let secret: UInt64

  init(secret: UInt64) { self.secret = secret }

  private func bucket(_ number: UInt64) -> UInt32 {
    var word = (number ^ secret) &* 0x9E37_79B9_7F4A_7C15
    word = (word ^ (word >> 32)) &* 0xBF58_476D_1CE4_E5B9
    word ^= word >> 29
    let place = word & mask
    return UInt32(truncatingIfNeeded: place < UInt64(heads.count) ? place : word & (mask >> 1))
  }

  /// What stands under the number.
  func find(_ number: UInt64) -> UInt32? {
    guard heads.count > 0 else { return nil }
    var at = heads[bucket(number)]
    while at != .none, nodes[at].number != number { at = nodes[at].next }
    return at == .none ? nil : nodes[at].value
  }

  /// Adds the number, which is not there yet.
  mutating func insert(_ number: UInt64, _ value: UInt32) {
    if heads.count <= nodes.count { grow() }
    let bucket = bucket(number)
    heads[bucket] = nodes.add(Node(number, value, next: heads[bucket]))
  }

  /// Takes the number away; what stood under it.
  @discardableResult
  mutating func remove(_ number: UInt64) -> UInt32? {
    guard heads.count > 0 else { return nil }
    let bucket = bucket(number)
    var (previous, at): (UInt32, UInt32) = (.none, heads[bucket])
    while at != .none, nodes[at].number != number { (previous, at) = (at, nodes[at].next) }
    guard at != .none else { return nil }
    let node = nodes[at]
    if previous == .none { heads[bucket] = node.next } else { nodes[previous].next = node.next }
    nodes.remove(at, blank: node)
    return node.value
  }

  /// One bucket more: it takes its share of the one that had both until now.
  private mutating func grow() {
    let new = heads.add(.none)
    if UInt64(new) > mask { mask = mask << 1 | 1 }
    guard new > 0 else { return }
    let old = new & UInt32(truncatingIfNeeded: mask >> 1)
    var at = heads[old]
    heads[old] = .none
    while at != .none {
      let (bucket, next) = (bucket(nodes[at].number), nodes[at].next)
      nodes[at].next = heads[bucket]
      heads[bucket] = at
      at = next
    }
  }
}
