/// Reads what `RowWriter` has written. Damaged bytes give nil, and no more memory than they take themselves.
struct RowReader {
  private let bytes: UnsafeRawBufferPointer
  private var place = 8

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// Whether the checksum is right, and there can be such a row.
  static func isSound(_ bytes: UnsafeRawBufferPointer, _ kind: UInt8, row: UInt64) -> Bool {
    guard bytes.count >= 8, RowBounds.rows.contains(row) else { return false }
    var sum = Checksum(kind, row: row)
    sum.add(UnsafeRawBufferPointer(rebasing: bytes[8...]))
    return UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self)) == sum.value
  }

  /// Whether all is read.
  var isAtEnd: Bool { place >= bytes.count }

  mutating func byte() -> UInt8? {
    guard place < bytes.count else { return nil }
    place += 1
    return bytes[place - 1]
  }

  private mutating func number() -> UInt64? {
    var number: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 70, by: 7) {
      guard let byte = byte() else { return nil }
      number |= UInt64(byte & 0x7f) << shift
      if byte < 0x80 { return number }
    }
    return nil
  }

  mutating func small() -> UInt32? { number().flatMap { UInt32(exactly: $0) } }

  /// A number of a row, or 0 for none.
  mutating func count() -> UInt64? { number().flatMap { $0 <= RowBounds.rows.upperBound ? $0 : nil } }

  mutating func tryCount() -> UInt32? { small().flatMap { RowBounds.tries.contains($0) ? $0 : nil } }

  /// Milliseconds since 1970.
  mutating func time() -> Int64? {
    number().map { Int64(bitPattern: $0) }.flatMap { RowBounds.times.contains($0) ? $0 : nil }
  }

  mutating func fixed() -> UInt64? {
    guard place + 8 <= bytes.count else { return nil }
    place += 8
    return UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place - 8, as: UInt64.self))
  }

  mutating func text() -> [UInt8]? {
    guard let count = number(), count <= UInt64(bytes.count - place) else { return nil }
    place += Int(count)
    return [UInt8](bytes[place - Int(count)..<place])
  }
}
