/// The offers that one connection has not answered, in the order of their ids. Offers that timed out are included.
///
/// An offer is found by its id in a ring of the latest offers. An older offer whose place in the ring is needed moves
/// to `overtaken`. So one forgotten offer does not make the ring grow with all later offers.
struct OfferRow: ~Copyable {
  private(set) var lastID = 0
  private(set) var first = Slot<Offer>.nobody
  private(set) var last = Slot<Offer>.nobody
  private(set) var count = 0
  /// The latest id that was written, with its digits.
  var spelledID = SpelledNumber()
  /// The latest offers by id. The ring has `mask` + 1 places, which is a power of two. It is behind a pointer, because
  /// each offer writes to it.
  private var ring = UnsafeMutablePointer<Slot<Offer>>.allocate(capacity: 0)
  private var mask = -1
  /// Unanswered offers by id, whose places in the ring other offers have.
  private var overtaken: [Int: Slot<Offer>] = [:]

  deinit { ring.deallocate() }

  /// The id that the next offer gets.
  var nextID: Int { lastID + 1 }

  /// Adds an offer with `nextID` at the end.
  @inline(__always)
  mutating func append(_ offer: Slot<Offer>, in offers: inout Table<Offer>) {
    lastID += 1
    count += 1
    if count * 2 > mask + 1 { grow(offers) }
    let at = lastID & mask
    if ring[at] != .nobody { overtaken[offers[ring[at]].id] = ring[at] }
    ring[at] = offer
    offers[offer].previous = last
    if last != .nobody { offers[last].next = offer } else { first = offer }
    last = offer
  }

  /// The unanswered offer with this id.
  @inline(__always)
  func find(_ id: Int, in offers: borrowing Table<Offer>) -> Slot<Offer>? {
    guard id > 0, id <= lastID, count > 0 else { return nil }
    let offer = ring[id & mask]
    if offer != .nobody, offers[offer].id == id { return offer }
    return overtaken.isEmpty ? nil : overtaken[id]
  }

  /// Removes an offer from the row. The offer itself stays in the table.
  @inline(__always)
  mutating func remove(_ offer: Slot<Offer>, in offers: inout Table<Offer>) {
    let (id, previous, next) = (offers[offer].id, offers[offer].previous, offers[offer].next)
    if previous != .nobody { offers[previous].next = next } else { first = next }
    if next != .nobody { offers[next].previous = previous } else { last = previous }
    let at = id & mask
    if ring[at] == offer { ring[at] = .nobody } else { overtaken[id] = nil }
    count -= 1
  }

  private mutating func grow(_ offers: borrowing Table<Offer>) {
    mask = max(8, (mask + 1) * 2) - 1
    ring.deallocate()
    ring = .allocate(capacity: mask + 1)
    ring.initialize(repeating: .nobody, count: mask + 1)
    overtaken.removeAll()
    var offer = first
    while offer != .nobody {
      let at = offers[offer].id & mask
      if ring[at] != .nobody { overtaken[offers[ring[at]].id] = ring[at] }
      ring[at] = offer
      offer = offers[offer].next
    }
  }
}
