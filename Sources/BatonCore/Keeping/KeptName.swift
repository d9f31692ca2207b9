/// The name of a stored message on its way from the keeper into lines, and back: 16 characters, a dash, a count. Most lines
/// about a message have it, and nothing looks into it; so it is a text only there.
package struct KeptName: BitwiseCopyable, Sendable {
  /// The characters as bytes, the first one highest.
  package var high: UInt64
  package var low: UInt64
  package var count: UInt64

  package init(high: UInt64, low: UInt64, count: UInt64) { (self.high, self.low, self.count) = (high, low, count) }
}

extension LineWriter {
  /// The name of a stored message.
  mutating func stored(_ name: KeptName, as member: StaticString = ",\"stored\":\"") {
    literal(member)
    sixteen(name.high.byteSwapped, name.low.byteSwapped, advance: 16)
    literal("-")
    digits(UInt(name.count))
    literal("\"")
  }

  /// The same, as it was spelled in a request.
  mutating func stored(_ name: [UInt8]) {
    literal(",\"stored\":\"")
    name.withUnsafeBytes { raw($0) }
    literal("\"")
  }
}
