internal import BatonLasting

extension LineWriter {
  /// The name of a stored message: 16 characters, a dash, a count.
  mutating func stored(_ id: StoredID, as member: StaticString = ",\"stored\":\"") {
    literal(member)
    sixteen(id.start.high.byteSwapped, id.start.low.byteSwapped, advance: 16)
    literal("-")
    digits(UInt(id.count))
    literal("\"")
  }

  /// The same, as it was spelled in a request.
  mutating func stored(_ name: [UInt8]) {
    literal(",\"stored\":\"")
    name.withUnsafeBytes { raw($0) }
    literal("\"")
  }
}
