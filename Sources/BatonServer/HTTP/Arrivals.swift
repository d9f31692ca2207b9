/// Who has sockets: an identity, by its number, or an address.
enum Owner: Hashable {
  case identity(UInt32)
  case address(UInt64)

  var isAddress: Bool { if case .address = self { true } else { false } }
}

/// Members in the order in which they came, and how many each owner has. It knows nothing else of them. Adding and
/// removing take a bounded number of steps.
struct Arrivals<Member: AnyObject> {
  private struct Entry {
    var member: Member?
    /// Where its owner stands.
    var owner: Int
    var previous = -1
    /// Of a free entry: the next free one.
    var next = -1
  }

  private struct Owned {
    var owner: Owner
    var count = 0
  }

  private var entries: [Entry] = []
  private var owners: [Owned] = []
  /// Places of `owners` that no member has.
  private var freeOwners: [Int] = []
  /// Looked into only: once for each member that comes or goes, because it is not cheap to look.
  private var places: [Owner: Int] = [:]
  private var first = -1
  private var last = -1
  private var free = -1
  private(set) var count = 0
  /// Those whose owner is an address.
  private var strangers = 0

  /// Adds a member. Returns its place, which `remove` wants.
  mutating func append(_ member: Member, of owner: Owner) -> Int {
    let owned = place(of: owner)
    var place = free
    if place < 0 {
      place = entries.count
      entries.append(Entry(member: member, owner: owned))
    } else {
      free = entries[place].next
      entries[place] = Entry(member: member, owner: owned)
    }
    entries[place].previous = last
    if last >= 0 { entries[last].next = place } else { first = place }
    last = place
    owners[owned].count += 1
    count += 1
    if owner.isAddress { strangers += 1 }
    return place
  }

  private mutating func place(of owner: Owner) -> Int {
    if let place = places[owner] { return place }
    let place = freeOwners.popLast() ?? owners.count
    if place == owners.count { owners.append(Owned(owner: owner)) } else { owners[place].owner = owner }
    places[owner] = place
    return place
  }

  mutating func remove(at place: Int) {
    let (owned, previous, next) = (entries[place].owner, entries[place].previous, entries[place].next)
    if previous >= 0 { entries[previous].next = next } else { first = next }
    if next >= 0 { entries[next].previous = previous } else { last = previous }
    entries[place] = Entry(member: nil, owner: -1, next: free)
    free = place
    count -= 1
    if owners[owned].owner.isAddress { strangers -= 1 }
    owners[owned].count -= 1
    guard owners[owned].count == 0 else { return }
    places[owners[owned].owner] = nil
    freeOwners.append(owned)
  }

  /// The newest of the owner that has the most; of several such owners, the one with the newest member. It looks at all of
  /// them.
  func newestOfMost() -> Member? {
    var (best, most, place) = (-1, 0, last)
    while place >= 0 {
      choose(place, &best, &most)
      place = entries[place].previous
    }
    return best < 0 ? nil : entries[best].member
  }

  /// The oldest of the owner that has the most; of several such owners, the one with the oldest member. Addresses are as easy
  /// to have as sockets: where they have half of all together, one of theirs is meant, and one of an identity otherwise. It
  /// looks at all of them, too.
  func oldestOfMost() -> Member? {
    let wantsStranger = strangers * 2 >= count
    var (best, most, place) = (-1, 0, first)
    while place >= 0 {
      if owners[entries[place].owner].owner.isAddress == wantsStranger { choose(place, &best, &most) }
      place = entries[place].next
    }
    return best < 0 ? nil : entries[best].member
  }

  private func choose(_ place: Int, _ best: inout Int, _ most: inout Int) {
    let number = owners[entries[place].owner].count
    if number > most { (best, most) = (place, number) }
  }
}
