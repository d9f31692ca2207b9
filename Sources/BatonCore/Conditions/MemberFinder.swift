/// Finds members that are named, in one pass over a value. What is not named is skipped, and what a list holds is not looked
/// at. It needs no recursion: it goes as deep as names do.
struct MemberFinder: ~Copyable {
  /// The objects that are open, from the outermost on.
  private var open: [(cursor: EntryCursor, above: Int)] = []
  private var name = NameFolding()

  init() { open.reserveCapacity(ConditionReader.mostDepth) }

  /// Writes what stands at the names below `above`, where `value` stands, into `places`, which hold nothing yet. Those with
  /// higher numbers than there are places are left out.
  mutating func find<Names: MemberNames & ~Copyable>(
    _ names: borrowing Names, below above: Int, in value: MemberValue, of part: UnsafeRawBufferPointer,
    _ places: UnsafeMutableBufferPointer<SeenPlace>
  ) {
    guard value.kind == .object, names.hasNames(below: above) else { return }
    open.append((EntryCursor(of: value, of: .object, in: part), above))
    while let last = open.indices.last {
      guard let member = open[last].cursor.nextMember() else {
        open.removeLast()
        continue
      }
      let above = open[last].above
      guard mayBeNamed(member.name, names, above, part), name.read(member.name.rawText(in: part)) else { continue }
      note(member.value, names, above, part, places)
    }
  }

  /// Whether the name begins as one of those below: most names do not, and are not read.
  @inline(__always)
  private func mayBeNamed<Names: MemberNames & ~Copyable>(
    _ name: MemberValue, _ names: borrowing Names, _ above: Int, _ part: UnsafeRawBufferPointer
  ) -> Bool {
    let raw = name.rawText(in: part)
    guard let first = raw.first else { return names.mayBegin(above, with: 0) }
    return first >= 0x80 || first == UInt8(ascii: "\\") || names.mayBegin(above, with: NameFolding.small(first))
  }

  /// A member of the name that was read last.
  private mutating func note<Names: MemberNames & ~Copyable>(
    _ value: MemberValue, _ names: borrowing Names, _ above: Int, _ part: UnsafeRawBufferPointer,
    _ places: UnsafeMutableBufferPointer<SeenPlace>
  ) {
    var next = names.first(below: above, name)
    while let number = next {
      next = names.next(behind: number, below: above, name)
      let isKept = number < places.count
      let isExact = names.isExactly(number, name)
      if !isExact || isKept && places[number] != .nothing {
        if isKept { places[number].isDoubtful = true }
        continue
      }
      if isKept { places[number] = SeenPlace(value) }
      if value.kind == .object, names.hasNames(below: number) {
        open.append((EntryCursor(of: value, of: .object, in: part), number))
      }
    }
  }
}
