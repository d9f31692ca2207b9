/// Lines that ask for nothing: lines of only JSON white space, and comments (contract, section 2).
enum BlankLine {
  /// Whether the server ignores the line. `line` is without its LF.
  static func isBlank(_ line: UnsafeRawBufferPointer) -> Bool {
    guard let first = line.first else { return true }
    if first == UInt8(ascii: "{") { return false }
    return first == UInt8(ascii: "#") || line.allSatisfy(isSpace)
  }

  static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }
}
