/// Writes one of the server's lines, or a part of it, into memory that was reserved for it.
///
/// Peers' words go out in one canonical spelling: `"`, `\` and control characters are escaped, everything else stands
/// for itself (contract, section 2). Payloads go out byte for byte as they came in.
struct LineWriter {
  private(set) var cursor: UnsafeMutableRawPointer

  init(at memory: UnsafeMutableRawPointer) { cursor = memory }

  /// The server's own words, as they stand.
  @inline(__always)
  mutating func literal(_ text: StaticString) {
    cursor.copyMemory(from: text.utf8Start, byteCount: text.utf8CodeUnitCount)
    cursor += text.utf8CodeUnitCount
  }

  /// Bytes as they are.
  @inline(__always)
  mutating func raw(_ bytes: UnsafeRawBufferPointer) {
    guard let base = bytes.baseAddress else { return }
    cursor.copyMemory(from: base, byteCount: bytes.count)
    cursor += bytes.count
  }

  /// Text as it is.
  mutating func raw(_ text: String) {
    var text = text
    text.withUTF8 { raw(UnsafeRawBufferPointer($0)) }
  }

  @inline(__always)
  mutating func byte(_ byte: UInt8) {
    cursor.storeBytes(of: byte, as: UInt8.self)
    cursor += 1
  }

  /// A whole number, at most 20 bytes.
  mutating func integer(_ number: Int) {
    if number < 0 { byte(UInt8(ascii: "-")) }
    var rest = number.magnitude
    var digits = 1
    var bound: UInt = 10
    while rest >= bound {
      digits += 1
      let (next, overflow) = bound.multipliedReportingOverflow(by: 10)
      if overflow { break }
      bound = next
    }
    var at = digits
    repeat {
      at -= 1
      cursor.storeBytes(of: UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10), toByteOffset: at, as: UInt8.self)
      rest /= 10
    } while at > 0
    cursor += digits
  }

  /// A rank: a whole number without a fraction where it is one, at most 32 bytes.
  mutating func number(_ number: Double) {
    if let whole = Int(exactly: number) { return integer(whole) }
    raw(number.description)
  }

  /// A JSON string of decoded UTF-8, at most six times its bytes and two.
  mutating func text(_ decoded: UnsafeRawBufferPointer) {
    byte(UInt8(ascii: "\""))
    for unit in decoded {
      switch unit {
      case UInt8(ascii: "\""): literal("\\\"")
      case UInt8(ascii: "\\"): literal("\\\\")
      case 0x0A: literal("\\n")
      case 0x0D: literal("\\r")
      case 0x09: literal("\\t")
      case 0x08: literal("\\b")
      case 0x0C: literal("\\f")
      case 0..<0x20:
        literal("\\u00")
        hexDigit(unit >> 4)
        hexDigit(unit & 15)
      default: byte(unit)
      }
    }
    byte(UInt8(ascii: "\""))
  }

  mutating func text(_ text: String) {
    var text = text
    text.withUTF8 { self.text(UnsafeRawBufferPointer($0)) }
  }

  /// The most bytes that `text` takes for so many decoded bytes.
  static func bound(text count: Int) -> Int { count * 6 + 2 }

  /// The most bytes that `text` takes for a topic or pattern, which hold no control characters.
  static func bound(pattern count: Int) -> Int { count * 2 + 2 }

  private mutating func hexDigit(_ digit: UInt8) {
    byte(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
  }
}
