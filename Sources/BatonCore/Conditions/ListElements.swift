/// The elements of a list, and those of lists in it, in their order. A list comes before its own elements; an empty one has
/// none. It needs no recursion: what stands between the brackets of lists is skipped whole.
struct ListElements {
  private let part: UnsafeRawBufferPointer
  private var cursor: EntryCursor

  /// `list` must be a list.
  init(of list: MemberValue, in part: UnsafeRawBufferPointer) {
    self.part = part
    cursor = EntryCursor(of: list, of: .array, in: part)
  }

  /// The next element, and whether it is a list with elements, which come next; nil at the end.
  mutating func next() -> (value: MemberValue, hasElements: Bool)? {
    guard let value = cursor.nextElement() else { return nil }
    guard value.kind == .array, !value.isEmptyNest(in: part) else { return (value, false) }
    cursor.enter(value)
    return (value, true)
  }
}

extension MemberValue {
  /// Whether this is `[]` or `{}`, perhaps with white space within.
  func isEmptyNest(in part: UnsafeRawBufferPointer) -> Bool {
    let inside = bytes(in: part).dropFirst().first { $0 > UInt8(ascii: " ") }
    return inside == UInt8(ascii: "]") || inside == UInt8(ascii: "}")
  }
}
