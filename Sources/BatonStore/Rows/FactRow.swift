/// The bytes of a fact, with the checksum of them and of its name.
enum FactRow {
  static func written(_ value: [UInt8], name: String) -> [UInt8] { value + Facts.bytes(sum(value, name)) }

  /// Nil if they are damaged.
  static func read(_ bytes: [UInt8], name: String) -> [UInt8]? {
    let value = [UInt8](bytes.dropLast(8))
    return bytes.count >= 8 && bytes.suffix(8).elementsEqual(Facts.bytes(sum(value, name))) ? value : nil
  }

  private static func sum(_ value: [UInt8], _ name: String) -> UInt64 {
    var sum = Checksum(RowKind.fact, row: 0)
    sum.add(Array(name.utf8))
    sum.add(value)
    return sum.value
  }
}
