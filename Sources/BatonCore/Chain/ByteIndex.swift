internal import CScan

/// Finds numbers by bytes: a hash table that keeps hash and number only; the owner of the numbers compares the bytes.
///
/// Used for topics, names of chains and of links, and the tokens of the subject index. The hash is seeded by
/// `Settings.hashSeed`, so that no peer can choose words that collide.
struct ByteIndex: ~Copyable {
  private struct Place {
    var hash: UInt32
    var value: UInt32
  }

  private static let empty = UInt32.max
  private var places: UnsafeMutablePointer<Place>
  private var mask: Int
  private(set) var count = 0

  init() {
    mask = 7
    places = ByteIndex.allocate(8)
  }

  deinit { places.deallocate() }

  /// The hash of `bytes`, begun from `seed`.
  @inline(__always)
  static func hash(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt32 {
    guard let base = bytes.baseAddress else { return UInt32(truncatingIfNeeded: seed) }
    return cscan_hash(base, bytes.count, seed)
  }

  /// The number under `hash` for which `matches` holds.
  @inline(__always)
  func find(_ hash: UInt32, where matches: (UInt32) -> Bool) -> UInt32? {
    var at = Int(hash) & mask
    while places[at].value != ByteIndex.empty {
      if places[at].hash == hash, matches(places[at].value) { return places[at].value }
      at = (at + 1) & mask
    }
    return nil
  }

  mutating func insert(_ hash: UInt32, _ value: UInt32) {
    if (count + 1) * 2 > mask + 1 { grow() }
    place(hash, value)
    count += 1
  }

  /// Takes out `value`, which must be there under `hash`; those behind it move up, so that no graves are left.
  mutating func remove(_ hash: UInt32, _ value: UInt32) {
    var at = Int(hash) & mask
    while places[at].value != value {
      precondition(places[at].value != ByteIndex.empty)
      at = (at + 1) & mask
    }
    var next = (at + 1) & mask
    while places[next].value != ByteIndex.empty {
      let home = Int(places[next].hash) & mask
      if (next - home) & mask >= (next - at) & mask {
        places[at] = places[next]
        at = next
      }
      next = (next + 1) & mask
    }
    places[at].value = ByteIndex.empty
    count -= 1
  }

  private mutating func place(_ hash: UInt32, _ value: UInt32) {
    var at = Int(hash) & mask
    while places[at].value != ByteIndex.empty { at = (at + 1) & mask }
    places[at] = Place(hash: hash, value: value)
  }

  private mutating func grow() {
    let old = places
    let oldCount = mask + 1
    mask = oldCount * 2 - 1
    places = ByteIndex.allocate(oldCount * 2)
    for at in 0..<oldCount where old[at].value != ByteIndex.empty { place(old[at].hash, old[at].value) }
    old.deallocate()
  }

  private static func allocate(_ count: Int) -> UnsafeMutablePointer<Place> {
    let places = UnsafeMutablePointer<Place>.allocate(capacity: count)
    places.initialize(repeating: Place(hash: 0, value: empty), count: count)
    return places
  }
}
