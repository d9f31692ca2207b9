/// The names of one condition: its spots.
extension Condition: MemberNames {
  func firstBytes(below above: Int) -> FirstBytes { spots[above].firstBytes }

  func hasNames(below above: Int) -> Bool { !spots[above].children.isEmpty }

  func first(below above: Int, _ name: borrowing NameFolding) -> Int? {
    let folded = name.folded
    var (low, high) = (spots[above].children.lowerBound, spots[above].children.upperBound)
    while low < high {
      let middle = (low + high) / 2
      let before = texts[spots[Int(children[Int(middle)])].folded.range].lexicographicallyPrecedes(folded)
      if before { low = middle + 1 } else { high = middle }
    }
    return child(at: low, below: above, folded)
  }

  func next(behind number: Int, below above: Int, _ name: borrowing NameFolding) -> Int? {
    let range = spots[above].children
    var at = range.lowerBound
    while at < range.upperBound, Int(children[Int(at)]) != number { at += 1 }
    return child(at: at + 1, below: above, name.folded)
  }

  func isExactly(_ number: Int, _ name: borrowing NameFolding) -> Bool {
    texts.withUnsafeBytes { name.isExactly($0.part(spots[number].name.range)) }
  }

  private func child(at place: UInt16, below above: Int, _ folded: UnsafeRawBufferPointer) -> Int? {
    guard place < spots[above].children.upperBound else { return nil }
    let number = Int(children[Int(place)])
    return texts[spots[number].folded.range].elementsEqual(folded) ? number : nil
  }
}
