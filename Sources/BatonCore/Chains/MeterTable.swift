/// The meters of all names. The first ones have neither chain nor handler: they take what is kept nowhere else, and
/// stay.
///
/// Meters without links are kept: at most `most` with a handler's name, and as many of chains. Beyond that a chain's
/// own meters take what was counted, and then the first ones. It knows no links and no settings: the caller says how
/// many are kept.
struct MeterTable: ~Copyable {
  /// The meters without chain and handler.
  static let rest = Slot<Meters>(0)

  private let seed: UInt64
  private var table = Table<Meters>()
  private var names = ByteIndex<Meters>()
  /// The number of kept meters without links: those of handlers, and those of chains.
  private(set) var kept = (handlers: 0, chains: 0)
  /// Goes up with each name that a link or meters get. So a report leaves out what came while it was written.
  private var number = 0

  init(seed: UInt64) {
    self.seed = seed
    let first = table.insert(Meters(chain: .empty, handler: .empty, birth: 0))
    precondition(first == MeterTable.rest)
  }

  var extent: UInt32 { table.extent }
  /// The number of names, without that of the first meters.
  var count: Int { names.count }
  /// The latest number.
  var latest: Int { number }

  /// The next number.
  mutating func takeNumber() -> Int {
    number += 1
    return number
  }

  func isTaken(_ slot: Slot<Meters>) -> Bool { table.isTaken(slot) }

  subscript(slot: Slot<Meters>) -> Meters {
    @inline(__always) _read { yield table[slot] }
    @inline(__always) _modify { yield &table[slot] }
  }

  /// A link begins to count under this name. `handler` is empty for the later links of a chain.
  mutating func hold(_ chain: UnsafeRawBufferPointer, _ handler: UnsafeRawBufferPointer) -> Slot<Meters> {
    let slot = find(chain, handler) ?? make(chain, handler)
    if table[slot].links == 0 { countKept(slot, by: -1) }
    table[slot].links += 1
    return slot
  }

  /// A link counts there no more. What it counted stays: under its name if there is room for `most`.
  mutating func release(_ slot: Slot<Meters>, most: Int) {
    guard slot != MeterTable.rest else { return }
    table[slot].links -= 1
    guard table[slot].links == 0 else { return }
    countKept(slot, by: 1)
    if table[slot].isEmpty { return forget(slot) }
    let isChain = table[slot].handler.isEmpty
    guard (isChain ? kept.chains : kept.handlers) > most else { return }
    let heir = isChain ? MeterTable.rest : chainMeters(beside: slot, most: most)
    move(slot, to: heir)
  }

  /// The meters that take what a handler's had counted: those of its chain, if they are there or may be made.
  private mutating func chainMeters(beside slot: Slot<Meters>, most: Int) -> Slot<Meters> {
    let chain = OwnedBytes(copying: table[slot].chain.bytes)
    defer { extendLifetime(chain) }
    if let found = find(chain.bytes, .empty) { return found }
    return kept.chains < most ? make(chain.bytes, .empty) : MeterTable.rest
  }

  private mutating func move(_ slot: Slot<Meters>, to heir: Slot<Meters>) {
    let all = table[slot].all
    table[heir].add(all)
    forget(slot)
  }

  private mutating func make(_ chain: UnsafeRawBufferPointer, _ handler: UnsafeRawBufferPointer) -> Slot<Meters> {
    let slot = table.insert(Meters(chain: chain, handler: handler, birth: takeNumber()))
    names.insert(hash(chain, handler), slot)
    countKept(slot, by: 1)
    return slot
  }

  private mutating func forget(_ slot: Slot<Meters>) {
    countKept(slot, by: -1)
    names.remove(hash(table[slot].chain.bytes, table[slot].handler.bytes), slot)
    table.remove(slot)
  }

  private mutating func countKept(_ slot: Slot<Meters>, by more: Int) {
    if table[slot].handler.isEmpty { kept.chains += more } else { kept.handlers += more }
  }

  private func find(_ chain: UnsafeRawBufferPointer, _ handler: UnsafeRawBufferPointer) -> Slot<Meters>? {
    names.find(hash(chain, handler)) { table[$0].chain.bytes.equals(chain) && table[$0].handler.bytes.equals(handler) }
  }

  private func hash(_ chain: UnsafeRawBufferPointer, _ handler: UnsafeRawBufferPointer) -> UInt32 {
    handler.hash(seed: seed, beside: chain.hash(seed: seed))
  }

  // MARK: For tests

  /// How often an outcome was counted in all of them.
  func sum(of outcome: Tally) -> UInt64 {
    table.slots.reduce(0) { table.isTaken($1) ? $0 + table[$1].count(of: outcome) : $0 }
  }

  /// How many times were counted in all of them.
  var sumOfTimes: UInt64 {
    table.slots.reduce(0) { sum, slot in
      guard table.isTaken(slot) else { return sum }
      return (0..<Meters.buckets).reduce(sum) { $0 + table[slot].times(inBucket: $1) }
    }
  }
}
