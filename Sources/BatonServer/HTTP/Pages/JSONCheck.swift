internal import BatonCore

/// Adds JSON that a peer has written to a line of the router, if it is exactly one value and stays one there.
enum JSONCheck {
  /// What is wrong with a peer's JSON.
  struct Fault: Error {
    var code: HTTPCode
    /// What is wrong, and at which byte of what the peer has sent.
    var message: String
  }

  /// Adds the value in `text`, without the white space around it. Line breaks between its tokens become spaces, and
  /// nothing else is changed.
  ///
  /// - Parameter maxDepth: the levels that the line may be nested (`max_depth`), of which the value has one less.
  /// - Returns: where the value stands within itself: `0..<count`, with its kind. `line` is as it was if this throws.
  @discardableResult
  static func append(
    _ text: UnsafeRawBufferPointer, to line: inout [UInt8], maxDepth: Int
  ) throws(Fault) -> MemberValue {
    let (from, to) = extent(of: text)
    let begun = line.count
    appendInOneLine(UnsafeRawBufferPointer(rebasing: text[from..<to]), to: &line)
    line.append(UInt8(ascii: "\n"))
    let found = line.withUnsafeBytes { bytes in
      LoneValue.read(UnsafeRawBufferPointer(rebasing: bytes[begun..<(bytes.count - 1)]), maximumDepth: maxDepth)
    }
    switch found {
    case .success(let value):
      line.removeLast()
      return value
    case .failure(let fault):
      line.removeLast(line.count - begun)
      throw describe(fault, at: from + fault.offset, maxDepth: maxDepth)
    }
  }

  /// The same for bytes in an array.
  static func append(_ text: [UInt8], to line: inout [UInt8], maxDepth: Int) throws(Fault) -> MemberValue {
    let result = text.withUnsafeBytes { bytes in
      Result { () throws(Fault) in try append(bytes, to: &line, maxDepth: maxDepth) }
    }
    return try result.get()
  }

  private static func describe(_ fault: ScanFault, at offset: Int, maxDepth: Int) -> Fault {
    switch fault.kind {
    case .tooDeep:
      Fault(
        code: .tooDeep,
        message: "is nested more than \(maxDepth - 1) deep, at byte \(offset); flatten it, or send it as a string")
    case .badJSON(.unfinished):
      Fault(code: .badJSON, message: "is no JSON value: it ends before it is complete, at byte \(offset)")
    case .badJSON(.behindObject):
      Fault(
        code: .badJSON,
        message: "is more than one JSON value: there is something behind the end of the first one, at byte \(offset)")
    case .badJSON, .notAnObject: Fault(code: .badJSON, message: "is no JSON value: \(fault.text), at byte \(offset)")
    }
  }

  /// The offsets between which there is more than white space.
  private static func extent(of text: UnsafeRawBufferPointer) -> (from: Int, to: Int) {
    var (from, to) = (0, text.count)
    while from < to, isSpace(text[from]) { from += 1 }
    while to > from, isSpace(text[to - 1]) { to -= 1 }
    return (from, to)
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") || byte == UInt8(ascii: "\t")
  }

  /// Adds the text with spaces for line breaks outside of strings. Within strings they stay, so that they are refused.
  private static func appendInOneLine(_ text: UnsafeRawBufferPointer, to line: inout [UInt8]) {
    let begun = line.count
    line.append(contentsOf: text)
    guard text.contains(where: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) else { return }
    line.withUnsafeMutableBytes { bytes in
      var isInString = false
      var at = begun
      while at < bytes.count {
        switch bytes[at] {
        case UInt8(ascii: "\""): isInString.toggle()
        case UInt8(ascii: "\\") where isInString: at += 1
        case UInt8(ascii: "\n") where !isInString, UInt8(ascii: "\r") where !isInString:
          // The line break is not left out, because "1" and "2" on two lines are not 12.
          bytes[at] = UInt8(ascii: " ")
        default: break
        }
        at += 1
      }
    }
  }
}
