internal import CScan

extension UnsafeRawBufferPointer {
  /// No bytes: what a member is that is not there.
  static var empty: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }

  /// The bytes from `start` up to `end`.
  @inline(__always)
  func part(_ start: Int, _ end: Int) -> UnsafeRawBufferPointer {
    // As numbers without a sign, what is below 0 is too much, too.
    precondition(UInt(bitPattern: start) <= UInt(bitPattern: end))
    precondition(UInt(bitPattern: end) <= UInt(bitPattern: count))
    return UnsafeRawBufferPointer(start: baseAddress.map { $0 + start }, count: end &- start)
  }

  /// Whether both hold the same bytes.
  @inline(__always)
  func equals(_ other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count else { return false }
    guard count > 0, let left = baseAddress, let right = other.baseAddress else { return true }
    return cscan_equal(left, right, count)
  }

  /// The text, for messages to people and for tables of names.
  var string: String { String(decoding: self, as: UTF8.self) }

  /// The bytes of a range of offsets.
  func part(_ range: Range<Int>) -> UnsafeRawBufferPointer { part(range.lowerBound, range.upperBound) }
}
