import Lease

/// The register of all nodes: it may lose what it has, and go back.
struct Register {
  private(set) var number: UInt64
  private(set) var record: LeaseRecord?
  private var earlier: [(number: UInt64, record: LeaseRecord?)] = []
  var isAway = false
  let plant: Plant?

  init(plant: Plant?) {
    self.plant = plant
    number = plant == .numbersAgain ? 0 : 1_000_000
  }

  var look: Lease.Look { record.map { .found(number, $0) } ?? .nothing(last: number) }

  mutating func write(_ new: LeaseRecord, expecting expected: UInt64) -> Lease.Written {
    guard expected == number || plant == .writesBlindly else { return .refused }
    earlier.append((number, record))
    if earlier.count > 8 { earlier.removeFirst() }
    (number, record) = (number + 1, new)
    return .number(plant == .writesBlindly ? expected + 1 : number)
  }

  /// All is gone, and it is made anew.
  mutating func lose(at now: Int64) {
    (number, record, earlier) = (plant == .numbersAgain ? 0 : UInt64(2_000_000 + now), nil, [])
  }

  /// The latest writes are gone.
  mutating func goBack() {
    guard let last = earlier.popLast() else { return }
    (number, record) = last
  }
}
