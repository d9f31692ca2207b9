/// Iterates over the members of an object in a validated line, in their order. A name that is given twice comes twice.
package struct ObjectMembers: Sequence, IteratorProtocol {
  private var cursor: EntryCursor

  /// The members of `value`; none if `value` is not an object.
  package init(of value: MemberValue, in line: UnsafeRawBufferPointer) {
    cursor = EntryCursor(of: value, of: .object, in: line)
  }

  /// The next name, which is a string, and its value; nil at the end.
  package mutating func next() -> (name: MemberValue, value: MemberValue)? {
    cursor.nextMember()
  }
}
