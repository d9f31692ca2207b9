/// Writes a line of the server, or a part of it, into memory that the caller reserved. The sizes that
/// callers reserve are counted by hand. In builds for debugging, and in those that keep nothing (`Spare`), each write
/// first checks that the memory is large enough, and traps if not. In other builds the owner of the memory checks it when
/// the line ends.
///
/// The check of each write would cost 3,919 instead of 3,818 instructions with a chain of one, 6,466 instead of 6,310 with
/// a chain of three, 12,707 instead of 12,566 with mixed peers (`Benchmarks/compare --instructions`).
///
/// The server writes a peer's words in one spelling: `"`, `\` and control characters are escaped, and every other
/// character is written as it is (contract, section 2). Payloads are written byte for byte as they came in.
struct LineWriter {
  private(set) var cursor: UnsafeMutableRawPointer
  /// The bytes that a line's memory must have beyond the end of the line. Short texts are written in whole words, which
  /// may go beyond their end.
  static let slack = 32

  #if DEBUG || BATON_KEEP_NOTHING
    /// The end of the bytes that may be written. Behind it are `slack` more if short texts or numbers are written.
    private let limit: UnsafeMutableRawPointer
  #endif

  /// Begins at `memory`, which has room for `room` bytes, and for `slack` more if short texts or numbers are written.
  init(at memory: UnsafeMutableRawPointer, room: Int) {
    cursor = memory
    #if DEBUG || BATON_KEEP_NOTHING
      limit = memory + room
    #endif
  }

  /// Moves the cursor behind `count` bytes, which the caller then writes from the place that is returned on.
  @inline(__always)
  private mutating func claim(_ count: Int) -> UnsafeMutableRawPointer {
    let start = cursor
    #if DEBUG || BATON_KEEP_NOTHING
      precondition(limit - start >= count, "a line outgrew its reservation")
    #endif
    cursor = start + count
    return start
  }

  /// Writes the server's own words as they are.
  @inline(__always)
  mutating func literal(_ text: StaticString) {
    claim(text.utf8CodeUnitCount).copyMemory(from: text.utf8Start, byteCount: text.utf8CodeUnitCount)
  }

  /// Writes bytes as they are.
  @inline(__always)
  mutating func raw(_ bytes: UnsafeRawBufferPointer) {
    guard let base = bytes.baseAddress, bytes.count > 0 else { return }
    claim(bytes.count).copyMemory(from: base, byteCount: bytes.count)
  }

  /// Writes bytes as they are, usually at most 32. Memory of 32 bytes from their start on must be readable.
  ///
  /// With mixed peers: 13,503 instead of 13,589 instructions a request; chain of three: 6,228 instead of 6,326 a message
  /// (`Benchmarks/compare --instructions`).
  @inline(__always)
  mutating func padded(_ bytes: UnsafeRawBufferPointer) {
    guard let base = bytes.baseAddress, bytes.count <= LineWriter.slack else { return raw(bytes) }
    let halves = (
      base.loadUnaligned(as: SIMD16<UInt8>.self), base.loadUnaligned(fromByteOffset: 16, as: SIMD16<UInt8>.self)
    )
    let start = claim(bytes.count)
    start.storeBytes(of: halves.0, as: SIMD16<UInt8>.self)
    start.storeBytes(of: halves.1, toByteOffset: 16, as: SIMD16<UInt8>.self)
  }

  /// Writes bytes as they are, usually at most 32. None behind them is read: the last ones are written twice.
  @inline(__always)
  mutating func few(_ bytes: UnsafeRawBufferPointer) {
    let count = bytes.count
    guard let base = bytes.baseAddress, count > 3, count <= LineWriter.slack else { return raw(bytes) }
    let start = claim(count)
    switch count {
    case 16...: LineWriter.copyEnds(base, start, count, as: SIMD16<UInt8>.self)
    case 8...: LineWriter.copyEnds(base, start, count, as: UInt64.self)
    default: LineWriter.copyEnds(base, start, count, as: UInt32.self)
    }
  }

  /// The same for the server's own words, where they differ from line to line.
  @inline(__always)
  mutating func few(_ text: StaticString) {
    few(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  @inline(__always)
  private static func copyEnds<Word: BitwiseCopyable>(
    _ from: UnsafeRawPointer, _ to: UnsafeMutableRawPointer, _ count: Int, as type: Word.Type
  ) {
    let last = count &- MemoryLayout<Word>.size
    let (left, right) = (from.loadUnaligned(as: type), from.loadUnaligned(fromByteOffset: last, as: type))
    to.storeBytes(of: left, as: type)
    to.storeBytes(of: right, toByteOffset: last, as: type)
  }

  /// Writes a member if `value` is not empty. `name` is its comma, name and colon.
  @inline(__always)
  mutating func member(_ name: StaticString, _ value: UnsafeRawBufferPointer) {
    if value.isEmpty { return }
    literal(name)
    raw(value)
  }

  /// Writes text as it is.
  mutating func raw(_ text: String) {
    var text = text
    text.withUTF8 { raw(UnsafeRawBufferPointer($0)) }
  }

  @inline(__always)
  mutating func byte(_ byte: UInt8) {
    claim(1).storeBytes(of: byte, as: UInt8.self)
  }

  /// Writes 16 bytes, the first byte lowest, of which only `count` stay. The next write begins after these.
  @inline(__always)
  mutating func sixteen(_ low: UInt64, _ high: UInt64, advance count: Int) {
    let start = claim(count)
    start.storeBytes(of: low.littleEndian, as: UInt64.self)
    start.storeBytes(of: high.littleEndian, toByteOffset: 8, as: UInt64.self)
  }

  /// Writes a whole number, in at most 20 bytes.
  @inline(__always)
  mutating func integer(_ number: Int) {
    // Nearly always it is a number of hops.
    if number >= 0, number < 10 { return byte(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: number)) }
    longInteger(number)
  }

  @inline(never)
  private mutating func longInteger(_ number: Int) {
    if number < 0 { byte(UInt8(ascii: "-")) }
    digits(number.magnitude)
  }

  mutating func digits(_ number: UInt) {
    var (count, rest) = (1, number)
    while rest >= 10 { (count, rest) = (count + 1, rest / 10) }
    let start = claim(count)
    rest = number
    for place in (0..<count).reversed() {
      let digit = UInt8(truncatingIfNeeded: rest % 10) + UInt8(ascii: "0")
      start.storeBytes(of: digit, toByteOffset: place, as: UInt8.self)
      rest /= 10
    }
  }

  /// Writes a number in at most 32 bytes. A whole number is written without a fraction.
  mutating func number(_ number: Double) {
    if let whole = Int(exactly: number) { return integer(whole) }
    raw(number.description)
  }

  /// Writes decoded UTF-8 as a JSON string. It takes at most six times the bytes, and two more.
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

  /// Writes the longest beginning of decoded UTF-8 that takes at most `most` bytes between its quotes and ends at a whole
  /// character.
  mutating func text(_ decoded: UnsafeRawBufferPointer, atMost most: Int) {
    var (end, taken) = (0, 0)
    while end < decoded.count {
      let unit = decoded[end]
      let width = unit < 0x80 ? 1 : unit < 0xE0 ? 2 : unit < 0xF0 ? 3 : 4
      taken += width == 1 ? LineWriter.escapedCount(unit) : width
      if taken > most { break }
      end += width
    }
    text(decoded.part(0, min(end, decoded.count)))
  }

  /// The bytes that `text` writes for one byte of ASCII.
  private static func escapedCount(_ unit: UInt8) -> Int {
    switch unit {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), 0x0A, 0x0D, 0x09, 0x08, 0x0C: 2
    case 0..<0x20: 6
    default: 1
    }
  }

  /// Writes `text` as a JSON string.
  mutating func text(_ text: String) {
    var text = text
    text.withUTF8 { self.text(UnsafeRawBufferPointer($0)) }
  }

  /// The most bytes that `text` takes for `count` decoded bytes.
  static func bound(text count: Int) -> Int { count * 6 + 2 }

  /// The most bytes that `text` takes for `count` bytes of a topic or pattern. These have no control characters.
  static func bound(pattern count: Int) -> Int { count * 2 + 2 }

  private mutating func hexDigit(_ digit: UInt8) {
    byte(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
  }
}
