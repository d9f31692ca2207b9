internal import CScan

/// A hash table that finds the slots of a `Table` by bytes. It keeps only hashes and slots. The owner of the `Table`
/// keeps the bytes and compares them.
///
/// It is used for topics, keys, names of chains and of links, and the tokens of the pattern index. The owner seeds the
/// hashes with `Settings.hashSeed`, so that no peer can choose words that collide.
///
/// It grows and shrinks in steps: each insert and each remove prepares or empties at most `step` places. First the next
/// array is prepared beside the present one. Then it becomes the present one, and the entries move from the old array.
/// `find` looks in both meanwhile. An index that never had an entry owns no memory.
///
/// Invariants: the number of places is a power of two, and at least half of them are empty. So each search ends. An
/// entry is in one of the two arrays. In the old array a place that an entry has left is `left`, not empty, so that
/// searches go on behind it.
struct ByteIndex<Element: ~Copyable>: ~Copyable {
  /// The most places that one insert or remove prepares or empties.
  static var step: Int { 64 }
  /// An index with at most this many places does not shrink: 8 KiB.
  private static var kept: Int { 1024 }

  private var places: UnsafeMutablePointer<HashPlace>
  /// The number of places minus one; -1 without memory.
  private var mask = -1
  private(set) var count = 0
  /// With so many entries, or with fewer than `least`, the array has to be replaced, or it is replaced now.
  private var most = 0
  private var least = 0
  /// The array that is prepared, or the old one, or none.
  private var other: UnsafeMutablePointer<HashPlace>?
  /// The number of places of `other` minus one.
  private var otherMask = 0
  /// Whether `other` is the old array. If so, its first `progress` places are done. If not, its first `progress` places
  /// are prepared.
  private var isMoving = false
  private(set) var progress = 0

  init() { places = .allocate(capacity: 0) }

  deinit {
    places.deallocate()
    other?.deallocate()
  }

  /// The number of places in all arrays.
  var room: Int { mask + 1 + (other == nil ? 0 : otherMask + 1) }

  /// The slot under `hash` for which `matches` returns true; nil if there is none.
  @inline(__always)
  func find(_ hash: UInt32, where matches: (Slot<Element>) -> Bool) -> Slot<Element>? {
    guard count > 0 else { return nil }
    var at = Int(hash) & mask
    while places[at].value != HashPlace.empty {
      if places[at].hash == hash, matches(Slot(places[at].value)) { return Slot(places[at].value) }
      at = (at + 1) & mask
    }
    guard isMoving, let old = other else { return nil }
    at = Int(hash) & otherMask
    while old[at].value != HashPlace.empty {
      if old[at].hash == hash, old[at].value != HashPlace.left, matches(Slot(old[at].value)) {
        return Slot(old[at].value)
      }
      at = (at + 1) & otherMask
    }
    return nil
  }

  /// Adds `slot` under `hash`. It must not be there already.
  mutating func insert(_ hash: UInt32, _ slot: Slot<Element>) {
    if count >= most { grow() }
    place(hash, slot.index)
    count += 1
  }

  /// Removes `slot`, which must be there under `hash`. The entries after it move up, so that no deleted entries remain.
  mutating func remove(_ hash: UInt32, _ slot: Slot<Element>) {
    if !removeFromPlaces(hash, slot.index) { removeFromOld(hash, slot.index) }
    count -= 1
    if count < least { shrink() }
  }

  private mutating func removeFromPlaces(_ hash: UInt32, _ value: UInt32) -> Bool {
    var at = Int(hash) & mask
    while places[at].value != value {
      if places[at].value == HashPlace.empty { return false }
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
    return true
  }

  private mutating func removeFromOld(_ hash: UInt32, _ value: UInt32) {
    guard isMoving, let old = other else { preconditionFailure("there is no such entry") }
    var at = Int(hash) & otherMask
    while old[at].value != value {
      precondition(old[at].value != HashPlace.empty, "there is no such entry")
      at = (at + 1) & otherMask
    }
    old[at].value = HashPlace.left
  }

  private mutating func place(_ hash: UInt32, _ value: UInt32) {
    var at = Int(hash) & mask
    while places[at].value != HashPlace.empty { at = (at + 1) & mask }
    places[at] = HashPlace(hash: hash, value: value)
  }

  // MARK: Growing and shrinking

  /// Makes the first array, or begins a larger one, or takes the next step to it. The larger array is ready long before
  /// half of the places are taken: it is begun at three eighths, and one eighth more inserts prepare and move four times
  /// as many places as there are.
  @inline(never)
  private mutating func grow() {
    if mask < 0 {
      places.deallocate()
      places = .allocate(capacity: 8)
      places.initialize(repeating: HashPlace(hash: 0, value: HashPlace.empty), count: 8)
      return use(8)
    }
    if other == nil { begin((mask + 1) * 2) }
    advance()
    precondition(count * 2 < mask + 1, "the index has not grown in time")
  }

  /// Begins a smaller array, or takes the next step to it. Gives all memory back when nothing is left.
  @inline(never)
  private mutating func shrink() {
    if count == 0 {
      // Nothing has to move.
      places.deallocate()
      places = .allocate(capacity: 0)
      other?.deallocate()
      other = nil
      (mask, most, least, isMoving, progress) = (-1, 0, 0, false, 0)
      return
    }
    if other == nil { begin((mask + 1) / 4) }
    advance()
  }

  /// All entries are in `places`, which has `number` places.
  private mutating func use(_ number: Int) {
    mask = number - 1
    most = number * 3 / 8
    least = number > ByteIndex.kept ? number / 16 : 0
  }

  /// Begins to prepare the next array.
  private mutating func begin(_ count: Int) {
    other = .allocate(capacity: count)
    otherMask = count - 1
    isMoving = false
    progress = 0
    (most, least) = (0, .max)
  }

  /// One step on the way to the next array.
  private mutating func advance() {
    guard let other else { return }
    let from = progress
    progress = min(from + ByteIndex.step, otherMask + 1)
    if isMoving {
      for at in from..<progress where other[at].value < HashPlace.left {
        place(other[at].hash, other[at].value)
        other[at].value = HashPlace.left
      }
      guard progress > otherMask else { return }
      other.deallocate()
      self.other = nil
      isMoving = false
      use(mask + 1)
    } else {
      (other + from).initialize(repeating: HashPlace(hash: 0, value: HashPlace.empty), count: progress - from)
      guard progress > otherMask else { return }
      (places, self.other) = (other, places)
      (mask, otherMask) = (otherMask, mask)
      isMoving = true
      progress = 0
    }
  }
}

/// One place of a `ByteIndex`: a hash and the number of a slot, or `empty`, or `left`.
struct HashPlace {
  static let empty = UInt32.max
  static let left = UInt32.max - 1
  var hash: UInt32
  var value: UInt32
}

extension UnsafeRawBufferPointer {
  /// The hash of these bytes with this seed.
  @inline(__always)
  func hash(seed: UInt64) -> UInt32 {
    // Of no bytes none is read: it is the same hash wherever they are not.
    cscan_hash(baseAddress ?? UnsafeRawPointer(bitPattern: 1).unsafelyUnwrapped, count, seed)
  }

  /// The same for bytes that have a meaning only within one owner, such as the names of a chain's links or the tokens
  /// of a node.
  @inline(__always)
  func hash(seed: UInt64, beside owner: UInt32) -> UInt32 { hash(seed: seed &+ UInt64(owner) &* 0x9E37_79B9_7F4A_7C15) }
}
