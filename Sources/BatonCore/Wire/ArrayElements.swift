/// Goes through the elements of an array in a validated line.
package struct ArrayElements: Sequence, IteratorProtocol {
  private var walk: EntryWalk

  /// The elements of `value`; none where it is no array.
  package init(of value: MemberValue, in line: UnsafeRawBufferPointer) {
    walk = EntryWalk(of: value, of: .array, in: line)
  }

  package mutating func next() -> MemberValue? {
    walk.beginEntry() ? walk.readValue() : nil
  }
}
