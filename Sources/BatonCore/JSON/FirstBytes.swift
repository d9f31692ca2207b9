/// The bytes with which the names begin that are looked for in an object: in both cases, as they are written. Names that begin
/// with an escape, or beyond ASCII, are always looked at.
struct FirstBytes {
  private(set) var low: UInt64 = 0
  private(set) var high: UInt64 = 1 << UInt64(UInt8(ascii: "\\") & 63)

  /// - Parameter name: a name in small letters. An empty one begins with the quote that ends it.
  mutating func note(_ name: some Sequence<UInt8>) {
    let first = name.first { _ in true } ?? UInt8(ascii: "\"")
    set(first)
    if first &- UInt8(ascii: "a") < 26 { set(first & ~0x20) }
  }

  private mutating func set(_ byte: UInt8) {
    if byte < 64 { low |= 1 << UInt64(byte) } else { high |= 1 << UInt64(byte & 63) }
  }
}
