/// Goes through the members of an object in a validated line as they stand, repeated ones too.
package struct ObjectMembers: Sequence, IteratorProtocol {
  private var walk: EntryWalk

  /// The members of `value`; none where it is no object.
  package init(of value: MemberValue, in line: UnsafeRawBufferPointer) {
    walk = EntryWalk(of: value, of: .object, in: line)
  }

  /// A name, which is a string, and its value.
  package mutating func next() -> (name: MemberValue, value: MemberValue)? {
    guard walk.beginEntry() else { return nil }
    let name = walk.readValue()
    walk.skipPunctuation()
    return (name, walk.readValue())
  }
}
