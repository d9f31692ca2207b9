/// Goes through the members of an object in a validated line as they stand, repeated ones too.
package struct ObjectMembers: Sequence, IteratorProtocol {
  private var cursor: EntryCursor

  /// The members of `value`; none where it is no object.
  package init(of value: MemberValue, in line: UnsafeRawBufferPointer) {
    cursor = EntryCursor(of: value, of: .object, in: line)
  }

  /// A name, which is a string, and its value.
  package mutating func next() -> (name: MemberValue, value: MemberValue)? {
    guard cursor.beginEntry() else { return nil }
    let name = cursor.readValue()
    cursor.skipPunctuation()
    return (name, cursor.readValue())
  }
}
