internal import BatonCore

/// The bytes of a file, and where its lines begin.
///
/// A line ends in LF or CR LF here, as in every editor. YAML knows more ends of lines; a file that has them is refused,
/// so that all count lines alike.
struct SourceText {
  let bytes: [UInt8]
  private var starts = [0]

  /// The most bytes that a file may have.
  static let mostBytes = MemberRange.fileBytes

  init(_ bytes: [UInt8]) {
    // A mark of the byte order says nothing in UTF-8.
    self.bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
    for (at, byte) in self.bytes.enumerated() where byte == UInt8(ascii: "\n") { starts.append(at + 1) }
  }

  /// Where a byte is.
  func place(ofByte offset: Int) -> FilePlace {
    var (low, high) = (0, starts.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= offset { low = middle } else { high = middle }
    }
    let before = String(decoding: bytes[starts[low]..<min(offset, bytes.count)], as: UTF8.self)
    return FilePlace(line: low + 1, column: before.unicodeScalars.count + 1)
  }

  /// A line without its end, from 1; empty if there is none of that number.
  func line(_ number: Int) -> String {
    guard starts.indices.contains(number - 1) else { return "" }
    let rest = bytes[starts[number - 1]...]
    let line = rest.prefix { $0 != UInt8(ascii: "\n") }
    return String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
  }

  /// The character at a place; nil at the end of a line.
  func character(at place: FilePlace) -> Unicode.Scalar? {
    let scalars = line(place.line).unicodeScalars
    return scalars.dropFirst(place.column - 1).first
  }

  /// The first byte that no file may have, and why; nil if there is none.
  var complaint: (place: FilePlace, message: String)? {
    var at = 0
    while at < bytes.count {
      let byte = bytes[at]
      if byte >= 0x20, byte < 0x7F {
        at += 1
        continue
      }
      let length = Self.length(ofCharacterAt: at, in: bytes)
      guard length > 0 else {
        return (place(ofByte: at), "this is not UTF-8; save the file as UTF-8")
      }
      if let message = Self.complaint(aboutCharacterAt: at, of: length, in: bytes) {
        return (place(ofByte: at), message)
      }
      at += length
    }
    return nil
  }

  private static func complaint(aboutCharacterAt at: Int, of length: Int, in bytes: [UInt8]) -> String? {
    let character = String(decoding: bytes[at..<at + length], as: UTF8.self).unicodeScalars.first?.value ?? 0
    switch character {
    case 0x09, 0x0A: return nil
    case 0x0D:
      let isLineEnd = at + 1 < bytes.count && bytes[at + 1] == UInt8(ascii: "\n")
      return isLineEnd ? nil : "a carriage return stands alone here; end lines with a line feed"
    case 0x85, 0x2028, 0x2029: return "a character that looks like the end of a line stands here; take it out"
    case 0..<0x20, 0x7F..<0xA0, 0xFEFF, 0xFFFE, 0xFFFF: return "a control character stands here; take it out"
    default: return nil
    }
  }

  /// The bytes of the character that begins at `at`; 0 if these bytes are not UTF-8.
  private static func length(ofCharacterAt at: Int, in bytes: [UInt8]) -> Int {
    let first = bytes[at]
    let length: Int
    switch first {
    case 0..<0x80: return 1
    case 0xC2...0xDF: length = 2
    case 0xE0...0xEF: length = 3
    case 0xF0...0xF4: length = 4
    default: return 0
    }
    guard at + length <= bytes.count, bytes[at + 1..<at + length].allSatisfy({ $0 & 0xC0 == 0x80 }) else { return 0 }
    switch (first, bytes[at + 1]) {
    // Longer than needed, surrogates, and beyond the last character.
    case (0xE0, ..<0xA0), (0xED, 0xA0...), (0xF0, ..<0x90), (0xF4, 0x90...): return 0
    default: return length
    }
  }
}
