/// Finds places by numbers: a hash table whose buckets are lists. It grows by one bucket at a time (linear hashing), so no
/// call moves more than one list. Nobody knows the secret, so nobody can choose numbers that fall into one bucket; and
/// nobody can go through it, so nothing depends on its order.
///
/// With trees instead, a start with a million messages that have names took 4.8 s of the processor instead of 3.2 s, and each
/// of them 294 bytes instead of 279.
struct NumberIndex<Element>: ~Copyable {
  /// 16 bytes; a whole word would make it 24.
  struct Node: BitwiseCopyable {
    private var words: (UInt32, UInt32)
    var value: Place<Element>
    var next: Place<Node>

    init(_ number: UInt64, _ value: Place<Element>, next: Place<Node>) {
      words = (UInt32(truncatingIfNeeded: number >> 32), UInt32(truncatingIfNeeded: number))
      (self.value, self.next) = (value, next)
    }

    var number: UInt64 { UInt64(words.0) << 32 | UInt64(words.1) }
  }

  private var nodes = Pool<Node>()
  /// The first node of each bucket.
  private var heads = Pool<Place<Node>>()
  /// A power of two minus one: buckets of that many could be told apart, or will be, when the table has grown.
  private var mask: UInt64 = 0
  private let secret: UInt64

  init(secret: UInt64) { self.secret = secret }

  /// Numbers that follow each other stand side by side, sixteen of them, because they come and go together.
  private func bucket(_ number: UInt64) -> Place<Place<Node>> {
    var word = (number >> 4 ^ secret) &* 0x9E37_79B9_7F4A_7C15
    word = (word ^ (word >> 32)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ word >> 29) << 4 | number & 15
    let place = word & mask
    return Place(UInt32(truncatingIfNeeded: place < UInt64(heads.count) ? place : word & (mask >> 1)))
  }

  /// A value that stands under the number, and that is the right one.
  func find(_ number: UInt64, where isRight: (Place<Element>) -> Bool = { _ in true }) -> Place<Element>? {
    guard heads.count > 0 else { return nil }
    var at = heads[bucket(number)]
    while at != .none {
      let node = nodes[at]
      if node.number == number, isRight(node.value) { return node.value }
      at = node.next
    }
    return nil
  }

  /// Adds the value, which is not there yet.
  mutating func insert(_ number: UInt64, _ value: Place<Element>) {
    if heads.count <= nodes.count { grow() }
    let bucket = bucket(number)
    heads[bucket] = nodes.add(Node(number, value, next: heads[bucket]))
  }

  /// Takes the value away, which stands under the number.
  mutating func remove(_ number: UInt64, _ value: Place<Element>) {
    let bucket = bucket(number)
    var (previous, at) = (Place<Node>.none, heads[bucket])
    while nodes[at].value != value || nodes[at].number != number { (previous, at) = (at, nodes[at].next) }
    let node = nodes[at]
    if previous == .none { heads[bucket] = node.next } else { nodes[previous].next = node.next }
    nodes.remove(at, blank: node)
  }

  /// One bucket more: it takes its share of the one that had both until now.
  private mutating func grow() {
    let new = heads.add(.none)
    if UInt64(new.index) > mask { mask = mask << 1 | 1 }
    guard new.index > 0 else { return }
    let old = Place<Place<Node>>(new.index & UInt32(truncatingIfNeeded: mask >> 1))
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
