/// Writes the small parts of a row one after the other: numbers in as few bytes as they need, seven bits in each; texts with
/// their lengths. One value per row, instead of twenty columns, is bound and read at once.
struct RowWriter {
  private(set) var bytes: [UInt8] = []

  /// Begins a row; its checksum takes the first eight bytes.
  mutating func begin() {
    bytes.removeAll(keepingCapacity: true)
    put(fixed: 0)
  }

  @inline(__always)
  mutating func put(_ byte: UInt8) { bytes.append(byte) }

  @inline(__always)
  mutating func put(_ number: UInt64) {
    // As most are.
    if number < 0x80 { bytes.append(UInt8(truncatingIfNeeded: number)) } else { putLong(number) }
  }

  private mutating func putLong(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  mutating func put(_ number: UInt32) { put(UInt64(number)) }

  mutating func put(_ number: Int64) { put(UInt64(bitPattern: number)) }

  mutating func put(fixed number: UInt64) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func put(_ text: [UInt8]) {
    put(UInt64(text.count))
    append(text)
  }

  /// Bytes that nothing follows.
  mutating func append(_ rest: [UInt8]) { bytes.append(contentsOf: rest) }

  /// Writes the checksum of all that follows it.
  mutating func end(_ kind: UInt8, row: UInt64) {
    bytes.withUnsafeMutableBytes { bytes in
      var sum = Checksum(kind, row: row)
      sum.add(UnsafeRawBufferPointer(rebasing: bytes[8...]))
      bytes.storeBytes(of: sum.value.littleEndian, as: UInt64.self)
    }
  }
}
