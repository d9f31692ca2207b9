internal import CScan

/// A hash table that finds the slots of a `Table` by bytes. It keeps only hashes and slots. The owner of the `Table`
/// keeps the bytes and compares them.
///
/// It is used for topics, keys, names of chains and of links, and the tokens of the pattern index. The owner seeds the
/// hashes with `Settings.hashSeed`, so that no peer can choose words that collide.
///
/// Invariants: the number of places is a power of two, and at least half of them are empty. So each search ends.
struct ByteIndex<Element: ~Copyable>: ~Copyable {
  private var places: UnsafeMutablePointer<HashPlace>
  private var mask: Int
  private(set) var count = 0

  init() {
    mask = 7
    places = ByteIndex.allocate(8)
  }

  deinit { places.deallocate() }

  /// The slot under `hash` for which `matches` returns true; nil if there is none.
  @inline(__always)
  func find(_ hash: UInt32, where matches: (Slot<Element>) -> Bool) -> Slot<Element>? {
    var at = Int(hash) & mask
    while places[at].value != HashPlace.empty {
      if places[at].hash == hash, matches(Slot(places[at].value)) { return Slot(places[at].value) }
      at = (at + 1) & mask
    }
    return nil
  }

  /// Adds `slot` under `hash`. It must not be there already.
  mutating func insert(_ hash: UInt32, _ slot: Slot<Element>) {
    if (count + 1) * 2 > mask + 1 { grow() }
    place(hash, slot.index)
    count += 1
  }

  /// Removes `slot`, which must be there under `hash`. The entries after it move up, so that no deleted entries remain.
  mutating func remove(_ hash: UInt32, _ slot: Slot<Element>) {
    var at = Int(hash) & mask
    while places[at].value != slot.index {
      precondition(places[at].value != HashPlace.empty)
      at = (at + 1) & mask
    }
    var next = (at + 1) & mask
    while places[next].value != HashPlace.empty {
      let home = Int(places[next].hash) & mask
      if (next - home) & mask >= (next - at) & mask {
        places[at] = places[next]
        at = next
      }
      next = (next + 1) & mask
    }
    places[at].value = HashPlace.empty
    count -= 1
  }

  private mutating func place(_ hash: UInt32, _ value: UInt32) {
    var at = Int(hash) & mask
    while places[at].value != HashPlace.empty { at = (at + 1) & mask }
    places[at] = HashPlace(hash: hash, value: value)
  }

  private mutating func grow() {
    let old = places
    let oldCount = mask + 1
    mask = oldCount * 2 - 1
    places = ByteIndex.allocate(oldCount * 2)
    for at in 0..<oldCount where old[at].value != HashPlace.empty { place(old[at].hash, old[at].value) }
    old.deallocate()
  }

  private static func allocate(_ count: Int) -> UnsafeMutablePointer<HashPlace> {
    let places = UnsafeMutablePointer<HashPlace>.allocate(capacity: count)
    places.initialize(repeating: HashPlace(hash: 0, value: HashPlace.empty), count: count)
    return places
  }
}

/// One place of a `ByteIndex`: a hash and the number of a slot, or `empty`.
struct HashPlace {
  static let empty = UInt32.max
  var hash: UInt32
  var value: UInt32
}

extension UnsafeRawBufferPointer {
  /// The hash of these bytes with this seed.
  @inline(__always)
  func hash(seed: UInt64) -> UInt32 {
    guard let baseAddress else { return UInt32(truncatingIfNeeded: seed) }
    return cscan_hash(baseAddress, count, seed)
  }

  /// The same for bytes that have a meaning only within one owner, such as the names of a chain's links or the tokens
  /// of a node.
  @inline(__always)
  func hash(seed: UInt64, beside owner: UInt32) -> UInt32 { hash(seed: seed &+ UInt64(owner) &* 0x9E37_79B9_7F4A_7C15) }
}
