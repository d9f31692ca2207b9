/// Finds members that are named, in one pass over a value. What is not named is skipped, and what a list holds is not looked
/// at. It needs no recursion: it goes as deep as names do.
struct MemberFinder: ~Copyable {
  /// The objects that are open, from the outermost on.
  private var open: [(cursor: EntryCursor, above: Int, first: FirstBytes)] = []
  private var name = NameFolding()

  init() { open.reserveCapacity(ConditionReader.mostDepth) }

  /// Writes what stands at the names below `above`, where `value` stands, into `places`, which hold nothing yet. Those with
  /// higher numbers than there are places are left out.
  mutating func find<Names: MemberNames & ~Copyable>(
    _ names: borrowing Names, below above: Int, in value: MemberValue, of part: UnsafeRawBufferPointer,
    _ places: UnsafeMutableBufferPointer<SeenPlace>
  ) {
    enter(value, names, above, part)
    while let last = open.indices.last {
      // Most names begin otherwise, and are not read.
      guard let member = open[last].cursor.nextMember(beginning: open[last].first) else {
        open.removeLast()
        continue
      }
      guard name.read(member.name.rawText(in: part)) else { continue }
      note(member.value, names, open[last].above, part, places)
    }
  }

  /// An object is next, if names below `above` are looked for.
  private mutating func enter<Names: MemberNames & ~Copyable>(
    _ value: MemberValue, _ names: borrowing Names, _ above: Int, _ part: UnsafeRawBufferPointer
  ) {
    guard value.kind == .object, names.hasNames(below: above) else { return }
    open.append((EntryCursor(of: value, of: .object, in: part), above, names.firstBytes(below: above)))
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
      enter(value, names, number, part)
    }
  }
}
