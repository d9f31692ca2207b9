/// Members in the order in which they came, and how many each address has. It knows nothing else of them. Adding and
/// removing take a bounded number of steps.
struct Arrivals<Member: AnyObject> {
  private struct Entry {
    var member: Member?
    var address: UInt64
    var previous = -1
    /// Of a free entry: the next free one.
    var next = -1
  }

  private var entries: [Entry] = []
  /// Looked into only.
  private var counts: [UInt64: Int] = [:]
  private var first = -1
  private var last = -1
  private var free = -1
  private(set) var count = 0

  /// The one that came first.
  var oldest: Member? { first < 0 ? nil : entries[first].member }

  /// Adds a member. Returns its place, which `remove` wants.
  mutating func append(_ member: Member, from address: UInt64 = 0) -> Int {
    var place = free
    if place < 0 {
      place = entries.count
      entries.append(Entry(member: member, address: address))
    } else {
      free = entries[place].next
      entries[place] = Entry(member: member, address: address)
    }
    entries[place].previous = last
    if last >= 0 { entries[last].next = place } else { first = place }
    last = place
    counts[address, default: 0] += 1
    count += 1
    return place
  }

  mutating func remove(at place: Int) {
    let (address, previous, next) = (entries[place].address, entries[place].previous, entries[place].next)
    if previous >= 0 { entries[previous].next = next } else { first = next }
    if next >= 0 { entries[next].previous = previous } else { last = previous }
    entries[place] = Entry(member: nil, address: 0, next: free)
    free = place
    let left = (counts[address] ?? 1) - 1
    counts[address] = left > 0 ? left : nil
    count -= 1
  }

  /// The newest of the address that has the most; of several such addresses, the one with the newest member. It looks at
  /// all of them.
  func newestOfMost() -> Member? {
    var (best, most, place) = (-1, 0, last)
    while place >= 0 {
      let number = counts[entries[place].address] ?? 0
      if number > most { (best, most) = (place, number) }
      place = entries[place].previous
    }
    return best < 0 ? nil : entries[best].member
  }
}
