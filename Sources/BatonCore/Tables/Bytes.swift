internal import CScan

extension UnsafeRawBufferPointer {
  /// No bytes: the value of a member that a line does not have.
  static var empty: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }

  /// The bytes from offset `start` up to, but not including, offset `end`. Traps if the range is not within the bytes.
  @inline(__always)
  func part(_ start: Int, _ end: Int) -> UnsafeRawBufferPointer {
    // As an unsigned number, a negative offset is too large, so these two checks find it as well.
    precondition(UInt(bitPattern: start) <= UInt(bitPattern: end))
    precondition(UInt(bitPattern: end) <= UInt(bitPattern: count))
    return UnsafeRawBufferPointer(start: baseAddress.map { $0 + start }, count: end &- start)
  }

  /// The same for a range that was found in these bytes, so that it is within them. Builds for debugging check it.
  @inline(__always)
  func found(_ start: Int, _ end: Int) -> UnsafeRawBufferPointer {
    assert(0 <= start && start <= end && end <= count)
    return UnsafeRawBufferPointer(start: baseAddress.unsafelyUnwrapped + start, count: end &- start)
  }

  /// The offset of the first LF; nil if there is none.
  var lineFeed: Int? {
    guard let base = baseAddress else { return nil }
    let found = cscan_line_feed(base.assumingMemoryBound(to: UInt8.self), count)
    return found < count ? found : nil
  }

  /// Whether both have the same bytes.
  @inline(__always)
  func equals(_ other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count else { return false }
    guard count > 0, let left = baseAddress, let right = other.baseAddress else { return true }
    return cscan_equal(left, right, count)
  }

  /// Whether these bytes come before the others, compared byte by byte from the first.
  func precedes(_ other: UnsafeRawBufferPointer) -> Bool {
    for at in 0..<Swift.min(count, other.count) where self[at] != other[at] { return self[at] < other[at] }
    return count < other.count
  }

  /// The text, for messages to people and for tables of names. Bytes that are not UTF-8 are replaced.
  var string: String { String(decoding: self, as: UTF8.self) }

  /// The bytes of a range of offsets. Traps if the range is not within the bytes.
  func part(_ range: Range<Int>) -> UnsafeRawBufferPointer { part(range.lowerBound, range.upperBound) }
}
