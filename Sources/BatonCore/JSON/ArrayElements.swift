/// Iterates over the elements of an array in a validated line.
package struct ArrayElements: Sequence, IteratorProtocol {
  private var cursor: EntryCursor

  /// The elements of `value`; none if `value` is not an array.
  package init(of value: MemberValue, in line: UnsafeRawBufferPointer) {
    cursor = EntryCursor(of: value, of: .array, in: line)
  }

  /// The next element, or nil at the end.
  package mutating func next() -> MemberValue? {
    cursor.beginEntry() ? cursor.readValue() : nil
  }
}
