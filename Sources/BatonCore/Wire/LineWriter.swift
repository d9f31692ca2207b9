/// Writes one of the server's lines, or a part of it, into memory that was reserved for it.
///
/// Peers' words go out in one canonical spelling: `"`, `\` and control characters are escaped, everything else stands
/// for itself (contract, section 2). Payloads go out byte for byte as they came in.
struct LineWriter {
  private(set) var cursor: UnsafeMutableRawPointer
  /// Bytes behind its end that a line's memory must have, as short things are written in whole words.
  static let slack = 32

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
    guard let base = bytes.baseAddress, bytes.count > 0 else { return }
    cursor.copyMemory(from: base, byteCount: bytes.count)
    cursor += bytes.count
  }

  /// Bytes as they are, most likely not more than 32, behind which as many more may be looked at.
  ///
  /// With mixed peers: 13,503 instead of 13,589 instructions a request; chain of three: 6,228 instead of 6,326 a message
  /// (`Benchmarks/compare --instructions`).
  @inline(__always)
  mutating func padded(_ bytes: UnsafeRawBufferPointer) {
    guard let base = bytes.baseAddress, bytes.count <= LineWriter.slack else { return raw(bytes) }
    let halves = (
      base.loadUnaligned(as: SIMD16<UInt8>.self), base.loadUnaligned(fromByteOffset: 16, as: SIMD16<UInt8>.self)
    )
    cursor.storeBytes(of: halves.0, as: SIMD16<UInt8>.self)
    cursor.storeBytes(of: halves.1, toByteOffset: 16, as: SIMD16<UInt8>.self)
    cursor += bytes.count
  }

  /// A member, with its comma and name as `name` spells them; nothing where there is no value.
  @inline(__always)
  mutating func member(_ name: StaticString, _ value: UnsafeRawBufferPointer) {
    if value.isEmpty { return }
    literal(name)
    raw(value)
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

  /// Sixteen bytes, the first one lowest, of which `count` count: what is written next begins there.
  @inline(__always)
  mutating func sixteen(_ low: UInt64, _ high: UInt64, advance count: Int) {
    cursor.storeBytes(of: low.littleEndian, as: UInt64.self)
    cursor.storeBytes(of: high.littleEndian, toByteOffset: 8, as: UInt64.self)
    cursor += count
  }

  /// A whole number, at most 20 bytes. Those of every message are `SpelledNumber`s: this need not be fast.
  mutating func integer(_ number: Int) {
    if number < 0 { byte(UInt8(ascii: "-")) }
    digits(number.magnitude)
  }

  private mutating func digits(_ number: UInt) {
    if number >= 10 { digits(number / 10) }
    byte(UInt8(truncatingIfNeeded: number % 10) + UInt8(ascii: "0"))
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
