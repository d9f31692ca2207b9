/// Connections in the order in which they came here, and how many each owner has (contract, section 11): those of which the
/// server does not know yet who they are, or those that have been ended. It knows nothing else of a connection.
struct Crowd: ~Copyable {
  /// Whose connections they are.
  struct Owner: ~Copyable {
    let key: UInt64
    var count = 0
  }

  /// One connection.
  struct Member: ~Copyable {
    let connection: Slot<Connection>
    let owner: Slot<Owner>
    fileprivate(set) var previous = Slot<Member>.nobody
    fileprivate(set) var next = Slot<Member>.nobody
  }

  private var table = Table<Member>()
  private var owners = Table<Owner>()
  /// Looked into only.
  private var byKey: [UInt64: Slot<Owner>] = [:]
  private var first = Slot<Member>.nobody
  private var last = Slot<Member>.nobody
  private(set) var count = 0
  /// Those whose owner is an address.
  private var strangers = 0

  /// The owner of those that have said who they are.
  static func owner(_ identity: Slot<Identity>) -> UInt64 { 1 << 63 | UInt64(identity.index) }
  /// The owner of those that have not.
  static func owner(address: UInt64) -> UInt64 { address & ~(1 << 63) }

  mutating func append(_ connection: Slot<Connection>, of key: UInt64) -> Slot<Member> {
    let owner = byKey[key] ?? owners.insert(Owner(key: key))
    byKey[key] = owner
    owners[owner].count += 1
    let member = table.insert(Member(connection: connection, owner: owner))
    table[member].previous = last
    if last != .nobody { table[last].next = member } else { first = member }
    last = member
    count += 1
    if isStranger(member) { strangers += 1 }
    return member
  }

  mutating func remove(_ member: Slot<Member>) {
    if isStranger(member) { strangers -= 1 }
    let (previous, next) = (table[member].previous, table[member].next)
    if previous != .nobody { table[previous].next = next } else { first = next }
    if next != .nobody { table[next].previous = previous } else { last = previous }
    let owner = table[member].owner
    owners[owner].count -= 1
    if owners[owner].count == 0 {
      byKey[owners[owner].key] = nil
      owners.remove(owner)
    }
    table.remove(member)
    count -= 1
  }

  /// The newest of the owner that has the most; of several such owners, the one with the newest connection. It looks at all
  /// of them.
  func newestOfMost() -> Slot<Connection> {
    var (best, most, member) = (Slot<Connection>.nobody, 0, last)
    while member != .nobody {
      choose(member, &best, &most)
      member = table[member].previous
    }
    return best
  }

  /// The oldest of the owner that has the most; of several such owners, the one with the oldest connection. Addresses are as
  /// easy to have as connections: where they have half of all together, one of theirs is meant, and one of an identity
  /// otherwise. It looks at all of them, too.
  func oldestOfMost() -> Slot<Connection> {
    let wantsStranger = strangers * 2 >= count
    var (best, most, member) = (Slot<Connection>.nobody, 0, first)
    while member != .nobody {
      if isStranger(member) == wantsStranger { choose(member, &best, &most) }
      member = table[member].next
    }
    return best
  }

  private func choose(_ member: Slot<Member>, _ best: inout Slot<Connection>, _ most: inout Int) {
    let number = owners[table[member].owner].count
    if number > most { (best, most) = (table[member].connection, number) }
  }

  private func isStranger(_ member: Slot<Member>) -> Bool { owners[table[member].owner].key < 1 << 63 }
}
