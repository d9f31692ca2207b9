/// The sender of a stored message, as it is stored: its name as a JSON string, and a `t` behind it if it wants a trace.
enum KeptFrom {
  static func text(_ from: UnsafeRawBufferPointer, isTraced: Bool) -> [UInt8] {
    Array(from) + (isTraced ? [UInt8(ascii: "t")] : [])
  }

  static func isTraced(_ from: [UInt8]) -> Bool { from.last == UInt8(ascii: "t") }

  /// The name, as a JSON string.
  static func name(_ from: [UInt8]) -> ArraySlice<UInt8> { isTraced(from) ? from.dropLast() : from[...] }

  /// The identity of the sender: all before the first dot, where peers have identities.
  static func identity(_ from: UnsafeRawBufferPointer) -> String {
    let name = from.dropFirst().dropLast()
    return String(decoding: name.prefix { $0 != UInt8(ascii: ".") }, as: UTF8.self)
  }
}
