/// Members in the order in which they came, and how many each address has. It knows nothing else of them. Adding and
/// removing take a bounded number of steps.
struct Arrivals<Member: AnyObject> {
  private struct Entry {
    var member: Member?
    /// Where its address stands.
    var address: Int
    var previous = -1
    /// Of a free entry: the next free one.
    var next = -1
  }

  private struct Address {
    var key: UInt64
    var count = 0
  }

  private var entries: [Entry] = []
  private var addresses: [Address] = []
  /// Places of `addresses` that no member has.
  private var freeAddresses: [Int] = []
  /// Looked into only: once for each member that comes or goes, because it is not cheap to look.
  private var byKey: [UInt64: Int] = [:]
  private var first = -1
  private var last = -1
  private var free = -1
  private(set) var count = 0

  /// Adds a member. Returns its place, which `remove` wants.
  mutating func append(_ member: Member, from key: UInt64 = 0) -> Int {
    let address = place(of: key)
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
    addresses[address].count += 1
    count += 1
    return place
  }

  private mutating func place(of key: UInt64) -> Int {
    if let place = byKey[key] { return place }
    let place = freeAddresses.popLast() ?? addresses.count
    if place == addresses.count { addresses.append(Address(key: key)) } else { addresses[place].key = key }
    byKey[key] = place
    return place
  }

  mutating func remove(at place: Int) {
    let (address, previous, next) = (entries[place].address, entries[place].previous, entries[place].next)
    if previous >= 0 { entries[previous].next = next } else { first = next }
    if next >= 0 { entries[next].previous = previous } else { last = previous }
    entries[place] = Entry(member: nil, address: -1, next: free)
    free = place
    count -= 1
    addresses[address].count -= 1
    guard addresses[address].count == 0 else { return }
    byKey[addresses[address].key] = nil
    freeAddresses.append(address)
  }

  /// The newest of the address that has the most; of several such addresses, the one with the newest member. It looks at
  /// all of them.
  func newestOfMost() -> Member? {
    var (best, most, place) = (-1, 0, last)
    while place >= 0 {
      choose(place, &best, &most)
      place = entries[place].previous
    }
    return best < 0 ? nil : entries[best].member
  }

  /// The oldest of the address that has the most; of several such addresses, the one with the oldest member. It looks at all
  /// of them, too.
  func oldestOfMost() -> Member? {
    var (best, most, place) = (-1, 0, first)
    while place >= 0 {
      choose(place, &best, &most)
      place = entries[place].next
    }
    return best < 0 ? nil : entries[best].member
  }

  private func choose(_ place: Int, _ best: inout Int, _ most: inout Int) {
    let number = addresses[entries[place].address].count
    if number > most { (best, most) = (place, number) }
  }
}
