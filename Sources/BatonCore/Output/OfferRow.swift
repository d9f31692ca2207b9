/// The offers that one connection has not answered, in the order of their ids. Offers that timed out are included.
///
/// An offer is found by its id: the low bits of the id say in which bucket of `buckets` it is. The newest offer of a
/// bucket is its first; `Offer.below` names the next one. Nearly always a bucket has one offer, because ids are
/// consecutive. A peer that wants many offers in one bucket has to leave each of them open while as many others pass as
/// there are buckets.
///
/// The buckets become more and fewer in steps: each append and each remove moves at most `step` buckets to the next
/// array. Until all have moved, an offer is in the next array if its bucket in the smaller array has moved, and in the
/// present one if not. A row that never had an offer owns no memory.
struct OfferRow: ~Copyable {
  /// The most buckets of the smaller array that one append or remove moves.
  static let step = 64
  /// A row with at most this many buckets does not shrink: 16 KiB. With 1,024, a handler that answers a thousand offers at
  /// a time had its buckets moved with each thousand, 100 instructions for each offer.
  private static let kept = 4096

  private(set) var lastID = 0
  private(set) var first = Slot<Offer>.nobody
  private(set) var last = Slot<Offer>.nobody
  private(set) var count = 0
  /// The latest id that was written, with its digits.
  var spelledID = SpelledNumber()
  /// The first offer of each bucket. There are `mask` + 1 buckets, which is a power of two.
  private var buckets: UnsafeMutablePointer<Slot<Offer>>?
  private var mask: UInt32 = 0
  /// With more offers than `most`, or fewer than `least`, the array has to be replaced, or it is replaced now.
  private var most: Int32 = 0
  private var least: Int32 = 0
  /// The array that replaces the present one; nil at most times.
  private var move: UnsafeMutablePointer<OfferMove>?

  deinit {
    buckets?.deallocate()
    OfferRow.end(move)
  }

  /// The id that the next offer gets.
  var nextID: Int { lastID + 1 }

  /// Adds an offer with `nextID` at the end.
  @inline(__always)
  mutating func append(_ offer: Slot<Offer>, in offers: inout Table<Offer>) {
    lastID += 1
    count += 1
    if count <= most, let buckets {
      let at = lastID & Int(mask)
      offers[offer].below = buckets[at]
      buckets[at] = offer
    } else {
      resizeAndPlace(offer, in: &offers)
    }
    offers[offer].previous = last
    if last != .nobody { offers[last].next = offer } else { first = offer }
    last = offer
  }

  /// The unanswered offer with this id. It changes nothing. It is `mutating`, and the table `inout`, because both would be
  /// copied for `findBelow` otherwise: 26 instructions for each verdict.
  @inline(__always)
  mutating func find(_ id: Int, in offers: inout Table<Offer>) -> Slot<Offer>? {
    guard id > 0, id <= lastID, count > 0, let buckets else { return nil }
    let offer = buckets[id & Int(mask)]
    if offer != .nobody, offers[offer].id == id { return offer }
    return findBelow(id, in: &offers)
  }

  /// Removes an offer from the row. The offer itself stays in the table.
  @inline(__always)
  mutating func remove(_ offer: Slot<Offer>, in offers: inout Table<Offer>) {
    let (id, previous, next) = (offers[offer].id, offers[offer].previous, offers[offer].next)
    if previous != .nobody { offers[previous].next = next } else { first = next }
    if next != .nobody { offers[next].previous = previous } else { last = previous }
    if let buckets, buckets[id & Int(mask)] == offer {
      buckets[id & Int(mask)] = offers[offer].below
    } else {
      removeBelow(offer, id: id, in: &offers)
    }
    count -= 1
    if count < least { resize(&offers) }
  }

  // MARK: Buckets

  /// The bucket of an id.
  private func bucket(of id: Int) -> UnsafeMutablePointer<Slot<Offer>> {
    guard let buckets else { preconditionFailure("a row without offers has no buckets") }
    if let move, id & (move.pointee.period - 1) < move.pointee.done {
      return move.pointee.buckets + (id & Int(move.pointee.mask))
    }
    return buckets + (id & Int(mask))
  }

  @inline(never)
  private mutating func findBelow(_ id: Int, in offers: inout Table<Offer>) -> Slot<Offer>? {
    var offer = bucket(of: id).pointee
    while offer != .nobody, offers[offer].id != id { offer = offers[offer].below }
    return offer == .nobody ? nil : offer
  }

  @inline(never)
  private mutating func removeBelow(_ offer: Slot<Offer>, id: Int, in offers: inout Table<Offer>) {
    let bucket = bucket(of: id)
    var above = bucket.pointee
    if above == offer {
      bucket.pointee = offers[offer].below
      return
    }
    while offers[above].below != offer { above = offers[above].below }
    offers[above].below = offers[offer].below
  }

  @inline(never)
  private mutating func resizeAndPlace(_ offer: Slot<Offer>, in offers: inout Table<Offer>) {
    resize(&offers)
    let bucket = bucket(of: lastID)
    offers[offer].below = bucket.pointee
    bucket.pointee = offer
  }

  /// Begins to replace the array, or goes on with it. `count` is the number of offers after this append or remove.
  @inline(never)
  private mutating func resize(_ offers: inout Table<Offer>) {
    let number = Int(mask) + 1
    if count == 0, number > OfferRow.kept {
      // Nothing has to be moved.
      buckets?.deallocate()
      buckets = nil
      OfferRow.end(move)
      move = nil
      (mask, most, least) = (0, 0, 0)
    } else if buckets == nil {
      let new = UnsafeMutablePointer<Slot<Offer>>.allocate(capacity: 8)
      new.initialize(repeating: .nobody, count: 8)
      use(new, mask: 7)
    } else {
      if move == nil {
        beginMove(to: count > most ? number * 2 : number / 4)
        (most, least) = (-1, .max)
      }
      moveBuckets(&offers)
    }
  }

  private mutating func use(_ buckets: UnsafeMutablePointer<Slot<Offer>>, mask: UInt32) {
    self.buckets = buckets
    self.mask = mask
    let number = Int32(mask) + 1
    most = number / 2
    least = Int(number) > OfferRow.kept ? number / 16 : 0
  }

  private mutating func beginMove(to number: Int) {
    let new = UnsafeMutablePointer<OfferMove>.allocate(capacity: 1)
    new.initialize(
      to: OfferMove(
        buckets: .allocate(capacity: number), mask: UInt32(number - 1), period: min(number, Int(mask) + 1)))
    move = new
  }

  /// Moves the next buckets. All buckets whose numbers end alike are moved together.
  private mutating func moveBuckets(_ offers: inout Table<Offer>) {
    guard let move, let old = buckets else { return }
    let (new, newMask, period) = (move.pointee.buckets, move.pointee.mask, move.pointee.period)
    let end = min(move.pointee.done + OfferRow.step, period)
    for low in move.pointee.done..<end {
      for at in stride(from: low, through: Int(newMask), by: period) { (new + at).initialize(to: .nobody) }
      for at in stride(from: low, through: Int(mask), by: period) {
        var offer = old[at]
        old[at] = .nobody
        while offer != .nobody {
          let below = offers[offer].below
          let place = new + (offers[offer].id & Int(newMask))
          offers[offer].below = place.pointee
          place.pointee = offer
          offer = below
        }
      }
    }
    move.pointee.done = end
    guard end == period else { return }
    old.deallocate()
    use(new, mask: newMask)
    move.deallocate()
    self.move = nil
  }

  private static func end(_ move: UnsafeMutablePointer<OfferMove>?) {
    move?.pointee.buckets.deallocate()
    move?.deallocate()
  }

  /// The number of buckets in both arrays, and how many of the smaller array have moved, for tests.
  var progress: (room: Int, done: Int) {
    let there = buckets == nil ? 0 : Int(mask) + 1
    guard let move else { return (there, 0) }
    return (there + Int(move.pointee.mask) + 1, move.pointee.done)
  }
}

/// The next buckets of an `OfferRow` while its offers move there.
struct OfferMove {
  let buckets: UnsafeMutablePointer<Slot<Offer>>
  let mask: UInt32
  /// The number of buckets of the smaller array.
  let period: Int
  /// The buckets of the smaller array whose offers have moved. The new buckets before them are initialised.
  var done = 0
}
