/// The connections of which the server does not know yet who they are, in the order in which they came, and how many
/// each address has (contract, section 11). It knows nothing else of a connection.
struct Strangers: ~Copyable {
  /// An address that strangers have come from.
  struct Address: ~Copyable {
    let key: UInt64
    var strangers = 0
  }

  /// One stranger.
  struct Stranger: ~Copyable {
    let connection: Slot<Connection>
    let address: Slot<Address>
    fileprivate(set) var previous = Slot<Stranger>.nobody
    fileprivate(set) var next = Slot<Stranger>.nobody
  }

  private var table = Table<Stranger>()
  private var addresses = Table<Address>()
  /// Looked into only.
  private var byKey: [UInt64: Slot<Address>] = [:]
  private var first = Slot<Stranger>.nobody
  private var last = Slot<Stranger>.nobody
  private(set) var count = 0

  mutating func append(_ connection: Slot<Connection>, from key: UInt64) -> Slot<Stranger> {
    let address = byKey[key] ?? addresses.insert(Address(key: key))
    byKey[key] = address
    addresses[address].strangers += 1
    let stranger = table.insert(Stranger(connection: connection, address: address))
    table[stranger].previous = last
    if last != .nobody { table[last].next = stranger } else { first = stranger }
    last = stranger
    count += 1
    return stranger
  }

  mutating func remove(_ stranger: Slot<Stranger>) {
    let (previous, next) = (table[stranger].previous, table[stranger].next)
    if previous != .nobody { table[previous].next = next } else { first = next }
    if next != .nobody { table[next].previous = previous } else { last = previous }
    let address = table[stranger].address
    addresses[address].strangers -= 1
    if addresses[address].strangers == 0 {
      byKey[addresses[address].key] = nil
      addresses.remove(address)
    }
    table.remove(stranger)
    count -= 1
  }

  /// The newest of the address that has the most; of several such addresses, the one with the newest stranger. It looks
  /// at all strangers, of which there are at most `max_strangers`.
  func newestOfMost() -> Slot<Connection> {
    var (best, most, stranger) = (Slot<Connection>.nobody, 0, last)
    while stranger != .nobody {
      choose(stranger, &best, &most)
      stranger = table[stranger].previous
    }
    return best
  }

  /// The oldest of the address that has the most; of several such addresses, the one with the oldest stranger. It looks at
  /// all of them, too.
  func oldestOfMost() -> Slot<Connection> {
    var (best, most, stranger) = (Slot<Connection>.nobody, 0, first)
    while stranger != .nobody {
      choose(stranger, &best, &most)
      stranger = table[stranger].next
    }
    return best
  }

  private func choose(_ stranger: Slot<Stranger>, _ best: inout Slot<Connection>, _ most: inout Int) {
    let number = addresses[table[stranger].address].strangers
    if number > most { (best, most) = (table[stranger].connection, number) }
  }
}
