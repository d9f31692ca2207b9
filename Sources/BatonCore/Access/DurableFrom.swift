/// The sender of a stored message, as it is stored: its name as a JSON string, and a `t` behind it if it wants a trace.
enum DurableFrom {
  static func write(_ from: UnsafeRawBufferPointer, isTraced: Bool, to text: inout [UInt8]) {
    text += from
    if isTraced { text.append(UInt8(ascii: "t")) }
  }

  static func isTraced(_ from: UnsafeRawBufferPointer) -> Bool { from.last == UInt8(ascii: "t") }

  /// The name, as a JSON string.
  static func name(_ from: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    isTraced(from) ? from.part(0, from.count - 1) : from
  }

  /// The identity of the sender: all before the first dot, where peers have identities.
  static func identity(_ from: UnsafeRawBufferPointer) -> String {
    let name = from.dropFirst().dropLast()
    return String(decoding: name.prefix { $0 != UInt8(ascii: ".") }, as: UTF8.self)
  }
}
