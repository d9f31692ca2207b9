/// The text of strings in a validated line, with escapes resolved. Each read is checked. A value of another line traps
/// or gives a wrong text, but nothing outside of the line is read.
extension MemberValue {
  /// The bytes between a string's quotes, with escapes as they are. Empty for values of other kinds.
  @inline(__always)
  package func rawText(in line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    guard kind.isText else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    let bytes = bytes(in: line)
    precondition(bytes.count >= 2)
    return UnsafeRawBufferPointer(rebasing: bytes[1..<(bytes.count - 1)])
  }

  /// The number of bytes of UTF-8 in a string, with escapes resolved. 0 for values of other kinds.
  package func textCount(in line: UnsafeRawBufferPointer) -> Int {
    let raw = rawText(in: line)
    guard kind == .escapedText else { return raw.count }
    var count = 0
    var offset = 0
    while offset < raw.count {
      let unit = TextEscape.next(in: raw, at: offset)
      offset += unit.rawCount
      count += unit.utf8Count
    }
    return count
  }

  /// Copies a string's UTF-8, with escapes resolved, to the beginning of `target`. `target` must have room for
  /// `textCount` bytes; otherwise this traps.
  ///
  /// - Returns: the number of bytes copied.
  @discardableResult
  package func copyText(in line: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) -> Int {
    let raw = rawText(in: line)
    guard kind == .escapedText else {
      precondition(raw.count <= target.count)
      target.copyMemory(from: raw)
      return raw.count
    }
    var count = 0
    var offset = 0
    while offset < raw.count {
      let unit = TextEscape.next(in: raw, at: offset)
      offset += unit.rawCount
      precondition(count + unit.utf8Count <= target.count)
      unit.copyUTF8 { byte in
        target[count] = byte
        count += 1
      }
    }
    return count
  }

  /// Whether this is a string whose text is `text`, in any spelling.
  package func isText(_ text: StaticString, in line: UnsafeRawBufferPointer) -> Bool {
    let expected = UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    let raw = rawText(in: line)
    switch kind {
    case .text: return raw.equals(expected)
    case .escapedText:
      guard textCount(in: line) == expected.count else { return false }
      return withUnsafeTemporaryAllocation(byteCount: expected.count, alignment: 1) { bytes in
        copyText(in: line, into: bytes)
        return UnsafeRawBufferPointer(bytes).equals(expected)
      }
    default: return false
    }
  }
}
