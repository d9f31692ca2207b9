/// The names of members that the conditions of one chain have: they are found together. Each is there as long as a condition
/// names it. The numbers of the first ones are low, so that where they stand in a message can be kept.
package final class ChainNames: MemberNames {
  /// The most places that are kept of a message: those of names with lower numbers.
  static var mostKept: Int { 64 }
  /// The names of the parts in which members are looked for.
  static var payload: Int { 0 }
  static var meta: Int { 1 }

  /// A member, and the way to it.
  struct Name: ~Copyable {
    let above: Slot<Name>
    let exact: OwnedBytes
    let folded: OwnedBytes
    /// How often conditions name it, and how many names are below it.
    var uses = 0
    var below = 0
    /// The bytes with which the names below begin, or began when there last was none.
    var firstBytes = FirstBytes()
    /// The next one below the same member that has the same letters, in another case.
    var alike = Slot<Name>.nobody
  }

  // All calls come from one thread, and none while another one writes.
  @exclusivity(unchecked)
  private var table = Table<Name>()
  @exclusivity(unchecked)
  private var byName = ByteIndex<Name>()
  private let seed: UInt64
  /// It goes up with each name that comes.
  private(set) var revision = 0

  package init(seed: UInt64) { self.seed = seed }

  /// How many places are kept.
  var kept: Int { min(Int(highest), ChainNames.mostKept) }
  private var highest: UInt32 = 0

  // MARK: Looking

  private func name(_ number: Int) -> Slot<Name> { Slot(UInt32(number)) }

  func firstBytes(below above: Int) -> FirstBytes { table[name(above)].firstBytes }

  func hasNames(below above: Int) -> Bool { table[name(above)].below > 0 }

  func first(below above: Int, _ name: borrowing NameFolding) -> Int? {
    let found = find(name.folded, below: self.name(above))
    return found == .nobody ? nil : Int(found.index)
  }

  func next(behind number: Int, below above: Int, _ name: borrowing NameFolding) -> Int? {
    let next = table[self.name(number)].alike
    return next == .nobody ? nil : Int(next.index)
  }

  func isExactly(_ number: Int, _ name: borrowing NameFolding) -> Bool {
    name.isExactly(table[self.name(number)].exact.bytes)
  }

  private func find(_ folded: UnsafeRawBufferPointer, below above: Slot<Name>) -> Slot<Name> {
    byName.find(folded.hash(seed: seed, beside: above.index)) {
      table[$0].above == above && table[$0].folded.bytes.equals(folded)
    } ?? .nobody
  }

  // MARK: Changing

  /// Takes in the names of a condition. The numbers are those of its spots; those of the whole and of texts have none.
  package func insert(_ condition: Condition) -> [UInt32] {
    if table.count == 0 { for _ in 0...1 { addPart() } }
    var numbers = [UInt32](repeating: .max, count: condition.spots.count)
    for (number, spot) in condition.spots.enumerated().dropFirst() where !spot.part.isText {
      if spot.parent == 0 {
        numbers[number] = UInt32(spot.part == .payload ? ChainNames.payload : ChainNames.meta)
      } else {
        numbers[number] = insert(condition, spot, below: Slot(numbers[Int(spot.parent)])).index
      }
    }
    return numbers
  }

  private func addPart() {
    let part = table.insert(Name(above: .nobody, exact: OwnedBytes(), folded: OwnedBytes()))
    highest = max(highest, part.index + 1)
  }

  private func insert(_ condition: Condition, _ spot: Condition.Spot, below above: Slot<Name>) -> Slot<Name> {
    let exact = OwnedBytes(copying: Array(condition.texts[spot.name.range]))
    let folded = OwnedBytes(copying: Array(condition.texts[spot.folded.range]))
    let first = find(folded.bytes, below: above)
    var same = first
    while same != .nobody, !table[same].exact.bytes.equals(exact.bytes) { same = table[same].alike }
    if same != .nobody {
      table[same].uses += 1
      return same
    }
    if table[above].below == 0 { table[above].firstBytes = FirstBytes() }
    table[above].below += 1
    table[above].firstBytes.note(folded.bytes)
    let hash = folded.bytes.hash(seed: seed, beside: above.index)
    let new = table.insert(Name(above: above, exact: exact, folded: folded))
    table[new].uses = 1
    if first == .nobody {
      byName.insert(hash, new)
    } else {
      table[new].alike = table[first].alike
      table[first].alike = new
    }
    highest = max(highest, new.index + 1)
    revision += 1
    return new
  }

  /// Forgets the names of a condition that it got these numbers for.
  package func remove(_ condition: Condition, _ numbers: [UInt32]) {
    // Those below come after those above them.
    for (number, spot) in condition.spots.enumerated().reversed() where spot.parent != 0 && numbers[number] != .max {
      let name = Slot<Name>(numbers[number])
      table[name].uses -= 1
      if table[name].uses == 0 { remove(name) }
    }
  }

  private func remove(_ name: Slot<Name>) {
    let (above, next) = (table[name].above, table[name].alike)
    let hash = table[name].folded.bytes.hash(seed: seed, beside: above.index)
    let first = find(table[name].folded.bytes, below: above)
    if first == name {
      byName.remove(hash, name)
      if next != .nobody { byName.insert(hash, next) }
    } else {
      var before = first
      while table[before].alike != name { before = table[before].alike }
      table[before].alike = next
    }
    table[above].below -= 1
    table.remove(name)
  }
}
