/// Members that many of the server's lines have, each with its comma. A member without a value is left out.
extension LineWriter {
  /// How many messages led to this one, if any did.
  @inline(__always)
  mutating func within(_ number: Int) {
    if number > 0 { count(",\"within\":", number) }
  }

  /// The `id` of the request.
  @inline(__always)
  mutating func id(_ id: UnsafeRawBufferPointer) { member(",\"id\":", id) }

  /// The peer or handler that did it, as a JSON string.
  mutating func by(_ by: UnsafeRawBufferPointer) { member(",\"by\":", by) }

  mutating func payload(_ payload: UnsafeRawBufferPointer) { member(LineWriter.payloadName, payload) }

  mutating func meta(_ meta: UnsafeRawBufferPointer) { member(LineWriter.metaName, meta) }

  /// The number of peers that were reached.
  mutating func delivered(_ count: Int) { self.count(",\"delivered\":", count) }

  /// A whole number as a member. `name` is its comma, name and colon.
  mutating func count(_ name: StaticString, _ count: Int) {
    literal(name)
    integer(count)
  }

  static let payloadName: StaticString = ",\"payload\":"
  static let metaName: StaticString = ",\"meta\":"
}
