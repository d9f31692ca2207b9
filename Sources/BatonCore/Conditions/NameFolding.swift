/// What programs may take for the name of a member: in small letters, cut at U+0000, and with some characters for what they
/// look like (contract, `when`).
struct NameFolding: ~Copyable {
  /// No name of a condition is longer.
  private static var most: Int { ConditionReader.mostTextBytes }

  private let small: UnsafeMutableRawBufferPointer
  private let exact: UnsafeMutableRawBufferPointer
  private var count = 0
  /// Whether nothing was cut off or taken for something else.
  private var isExact = true

  init() {
    small = .allocate(byteCount: NameFolding.most, alignment: 1)
    exact = .allocate(byteCount: NameFolding.most, alignment: 1)
  }

  deinit {
    small.deallocate()
    exact.deallocate()
  }

  /// The name in small letters.
  var folded: UnsafeRawBufferPointer { UnsafeRawBufferPointer(small).part(0, count) }

  /// Whether the latest name is `name`, byte for byte.
  func isExactly(_ name: UnsafeRawBufferPointer) -> Bool {
    isExact && UnsafeRawBufferPointer(exact).part(0, count).equals(name)
  }

  static func small(_ byte: UInt8) -> UInt8 { byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte }

  /// Reads the name in `raw`, the bytes between its quotes. Returns false if it can be no name of a condition. However long it
  /// is, no more of it is read than such a name can have.
  mutating func read(_ raw: UnsafeRawBufferPointer) -> Bool {
    (count, isExact) = (0, true)
    var at = 0
    while at < raw.count {
      let byte = raw[at]
      if byte < 0x80, byte != UInt8(ascii: "\\") {
        guard put(byte) else { return false }
        at += 1
        continue
      }
      let scalar = NameFolding.scalar(raw, &at)
      if scalar == 0 {
        isExact = false
        return true
      }
      if scalar < 0x80 {
        guard put(UInt8(scalar)) else { return false }
      } else {
        isExact = false
        guard let likeness = NameFolding.likeness(of: scalar) else { return false }
        for letter in likeness.utf8 where !put(letter) { return false }
      }
    }
    return true
  }

  private mutating func put(_ byte: UInt8) -> Bool {
    guard count < NameFolding.most else { return false }
    exact[count] = byte
    small[count] = NameFolding.small(byte)
    count += 1
    return true
  }

  /// The character that an escape or bytes beyond ASCII mean.
  private static func scalar(_ raw: UnsafeRawBufferPointer, _ at: inout Int) -> UInt32 {
    let step = raw[at] == UInt8(ascii: "\\") ? TextEscape.next(in: raw, at: at) : nil
    guard let step else { return UTF8Step.scalar(raw, &at) }
    at += step.rawCount
    return step.meant
  }

  /// What a character looks like in ASCII; nil if it looks like nothing there.
  private static func likeness(of scalar: UInt32) -> String? {
    switch scalar {
    case 0x017F: "s"
    case 0x212A: "k"
    case 0x0130, 0x0131: "i"
    case 0x00DF, 0x1E9E: "ss"
    case 0xFB00: "ff"
    case 0xFB01: "fi"
    case 0xFB02: "fl"
    case 0xFB03: "ffi"
    case 0xFB04: "ffl"
    case 0xFB05, 0xFB06: "st"
    case 0x037E: ";"
    case 0x1FEF: "`"
    default: nil
    }
  }
}

/// A character of valid UTF-8.
enum UTF8Step {
  /// The character at `at`, which is moved behind it.
  static func scalar(_ bytes: UnsafeRawBufferPointer, _ at: inout Int) -> UInt32 {
    let first = bytes[at]
    let count = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
    precondition(at + count <= bytes.count)
    var scalar = count == 1 ? UInt32(first) : UInt32(first) & (0x7F >> UInt32(count))
    for next in bytes.part(at + 1, at + count) { scalar = scalar << 6 | UInt32(next & 0x3F) }
    at += count
    return scalar
  }
}
