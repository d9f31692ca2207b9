/// Finds the members that a condition names, in one pass over a value. What is not named is skipped, and what a list holds is
/// not looked at. It needs no recursion: it goes as deep as names do.
struct MemberFinder: ~Copyable {
  /// The objects that are open, from the outermost on.
  private var open: [(cursor: EntryCursor, spot: Int)] = []
  private var name = NameFolding()

  init() { open.reserveCapacity(ConditionReader.mostDepth) }

  /// Writes what stands at the spots below `spot`, where `value` stands, into `places`.
  mutating func find(
    _ condition: Condition, below spot: Int, in value: MemberValue, of part: UnsafeRawBufferPointer,
    _ places: UnsafeMutablePointer<SeenPlace>
  ) {
    for below in spot + 1..<Int(condition.spots[spot].end) { places[below] = .nothing }
    guard value.kind == .object, !condition.spots[spot].children.isEmpty else { return }
    open.append((EntryCursor(of: value, of: .object, in: part), spot))
    while let last = open.indices.last {
      guard let member = open[last].cursor.nextMember() else {
        open.removeLast()
        continue
      }
      let spot = condition.spots[open[last].spot]
      guard mayBeNamed(member.name, spot, part), name.read(member.name.rawText(in: part)) else { continue }
      note(member.value, condition, spot, part, places)
    }
  }

  /// Whether the name begins as one of those below the spot: most names do not, and are not read.
  @inline(__always)
  private func mayBeNamed(_ name: MemberValue, _ spot: Condition.Spot, _ part: UnsafeRawBufferPointer) -> Bool {
    let raw = name.rawText(in: part)
    guard let first = raw.first else { return spot.mayBegin(with: 0) }
    return first >= 0x80 || first == UInt8(ascii: "\\") || spot.mayBegin(with: NameFolding.small(first))
  }

  /// A member of the name that was read last.
  private mutating func note(
    _ value: MemberValue, _ condition: Condition, _ spot: Condition.Spot, _ part: UnsafeRawBufferPointer,
    _ places: UnsafeMutablePointer<SeenPlace>
  ) {
    condition.texts.withUnsafeBytes { texts in
      var at = condition.firstChild(of: spot, named: name.folded, texts)
      while at < spot.children.upperBound {
        let child = Int(condition.children[Int(at)])
        guard texts.part(condition.spots[child].folded.range).equals(name.folded) else { return }
        at += 1
        if places[child] != .nothing || !name.isExactly(texts.part(condition.spots[child].name.range)) {
          places[child].isDoubtful = true
          continue
        }
        places[child] = SeenPlace(value)
        if value.kind == .object, !condition.spots[child].children.isEmpty {
          open.append((EntryCursor(of: value, of: .object, in: part), child))
        }
      }
    }
  }
}

extension Condition {
  /// The first of a spot's children whose folded name is not before `name`.
  fileprivate func firstChild(
    of spot: Spot, named name: UnsafeRawBufferPointer, _ texts: UnsafeRawBufferPointer
  ) -> UInt16 {
    var (low, high) = (spot.children.lowerBound, spot.children.upperBound)
    while low < high {
      let middle = (low + high) / 2
      let folded = texts.part(spots[Int(children[Int(middle)])].folded.range)
      if folded.precedes(name) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
