/// The sender of a stored message, as it is stored: its name as a JSON string, a `t` behind it if it wants a trace, and the
/// number of messages that led to this one if it is not 0.
enum DurableFrom {
  static func write(_ from: UnsafeRawBufferPointer, isTraced: Bool, within: Int, to text: inout [UInt8]) {
    text += from
    if isTraced { text.append(wish) }
    if within > 0 { text += "\(within)".utf8 }
  }

  private static let wish = UInt8(ascii: "t")

  static func isTraced(_ from: UnsafeRawBufferPointer) -> Bool { behindName(of: from).first == wish }

  /// The number of messages that led to this one.
  static func within(_ from: UnsafeRawBufferPointer) -> Int {
    var number = 0
    for digit in behindName(of: from) where digit != wish { number = number &* 10 &+ Int(digit &- UInt8(ascii: "0")) }
    return number
  }

  /// The name, as a JSON string.
  static func name(_ from: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer { from.part(0, nameEnd(of: from)) }

  /// Whether bytes of a store can be a sender.
  static func isSound(_ from: UnsafeRawBufferPointer) -> Bool {
    var digits = behindName(of: from)[...]
    if digits.first == wish { digits = digits.dropFirst() }
    let isNumber = digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    return digits.count <= 4 && isNumber && StoredText.isText(name(from))
  }

  private static func nameEnd(of from: UnsafeRawBufferPointer) -> Int {
    var end = from.count
    while end > 0, from[end - 1] != UInt8(ascii: "\"") { end -= 1 }
    return end
  }

  private static func behindName(of from: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    from.part(nameEnd(of: from), from.count)
  }

  /// The identity of the sender: all before the first dot, where peers have identities.
  static func identity(_ from: UnsafeRawBufferPointer) -> String {
    let name = from.dropFirst().dropLast()
    return String(decoding: name.prefix { $0 != UInt8(ascii: ".") }, as: UTF8.self)
  }
}
