/// One step through the inside of a validated string: a byte as it is, or an escape and its meaning.
struct TextEscape {
  /// The number of bytes that the step takes in the line.
  var rawCount: Int
  /// The byte itself, or the Unicode scalar of the escape.
  private var scalar: UInt32
  private var isByte: Bool

  /// What an escape means; a byte otherwise.
  var meant: UInt32 { scalar }

  /// The step at `offset` in the bytes between a string's quotes.
  static func next(in raw: UnsafeRawBufferPointer, at offset: Int) -> TextEscape {
    let byte = checked(raw, offset)
    guard byte == UInt8(ascii: "\\") else { return TextEscape(rawCount: 1, scalar: UInt32(byte), isByte: true) }
    let letter = checked(raw, offset + 1)
    guard letter == UInt8(ascii: "u") else {
      return TextEscape(rawCount: 2, scalar: meaning(of: letter), isByte: false)
    }
    let unit = codeUnit(raw, offset)
    guard unit & 0xFC00 == 0xD800 else { return TextEscape(rawCount: 6, scalar: unit, isByte: false) }
    let low = codeUnit(raw, offset + 6)
    let scalar = 0x10000 &+ (unit & 0x3FF) &<< 10 &+ low & 0x3FF
    return TextEscape(rawCount: 12, scalar: scalar, isByte: false)
  }

  /// The number of bytes of UTF-8 that the step gives.
  var utf8Count: Int {
    if isByte || scalar < 0x80 { return 1 }
    return scalar < 0x800 ? 2 : scalar < 0x10000 ? 3 : 4
  }

  /// Gives the step's bytes of UTF-8 in order.
  @inline(__always)
  func copyUTF8(_ body: (UInt8) -> Void) {
    let count = utf8Count
    if count == 1 { return body(UInt8(truncatingIfNeeded: scalar)) }
    let mark: UInt8 = count == 2 ? 0xC0 : count == 3 ? 0xE0 : 0xF0
    body(mark | UInt8(truncatingIfNeeded: scalar >> UInt32(6 * (count - 1))))
    for place in stride(from: count - 2, through: 0, by: -1) {
      body(0x80 | UInt8(truncatingIfNeeded: scalar >> UInt32(6 * place)) & 0x3F)
    }
  }

  private static func meaning(of letter: UInt8) -> UInt32 {
    switch letter {
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "t"): 0x09
    default: UInt32(letter)
    }
  }

  private static func codeUnit(_ raw: UnsafeRawBufferPointer, _ offset: Int) -> UInt32 {
    var unit: UInt32 = 0
    for index in (offset + 2)..<(offset + 6) {
      unit = unit &<< 4 | (HexDigit.value(of: checked(raw, index)) ?? 0)
    }
    return unit
  }

  private static func checked(_ raw: UnsafeRawBufferPointer, _ offset: Int) -> UInt8 {
    precondition(offset >= 0 && offset < raw.count)
    return raw[offset]
  }
}
