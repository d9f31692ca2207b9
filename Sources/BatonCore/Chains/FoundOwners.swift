/// The owners of patterns that `PatternIndex.match` found. The memory is used again.
///
/// An array would check with each owner whether it shares its memory: with 100 subscribers that is 12 of 117 instructions
/// for each event that is delivered (`Benchmarks/compare --instructions`).
struct FoundOwners<Owner: ~Copyable>: ~Copyable {
  private var owners = UnsafeMutablePointer<Slot<Owner>>.allocate(capacity: 0)
  private var capacity = 0
  private(set) var count = 0
  /// The nodes that the search has looked at.
  var looked = 0

  /// More memory than this is given back before the next search: 256 KiB.
  private static var mostKept: Int { Spare.most(1 << 16) }

  deinit { owners.deallocate() }

  @inline(__always)
  var isEmpty: Bool { count == 0 }

  subscript(index: Int) -> Slot<Owner> {
    @inline(__always) get {
      precondition(index >= 0 && index < count)
      return owners[index]
    }
  }

  @inline(__always)
  mutating func append(_ owner: Slot<Owner>) {
    if count == capacity { grow() }
    owners[count] = owner
    count &+= 1
  }

  /// Forgets all owners.
  @inline(__always)
  mutating func removeAll() {
    count = 0
    looked = 0
    if capacity > Self.mostKept { giveBack() }
  }

  @inline(never)
  private mutating func giveBack() {
    owners.deallocate()
    owners = .allocate(capacity: 0)
    capacity = 0
  }

  @inline(never)
  private mutating func grow() {
    capacity = max(16, capacity * 2)
    let larger = UnsafeMutablePointer<Slot<Owner>>.allocate(capacity: capacity)
    larger.initialize(from: owners, count: count)
    owners.deallocate()
    owners = larger
  }
}
