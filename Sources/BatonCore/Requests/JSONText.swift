/// JSON that the project's programs put into a line: texts, and values that people or files gave.
package enum JSONText {
  /// A JSON string of `text`, in the server's spelling.
  package static func quoted(_ text: String) -> [UInt8] {
    let decoded = OwnedBytes(text)
    let quoted = OwnedBytes(quoting: decoded.bytes)
    defer { extendLifetime(decoded) }
    return Array(quoted.bytes)
  }

  /// The JSON value in `text`, fit for one line: line breaks between its tokens become spaces. Nil if `text` is not one
  /// JSON value.
  package static func value(_ text: some Sequence<UInt8>) -> [UInt8]? {
    var line = Array("{\"payload\":".utf8)
    let start = line.count
    var isInString = false
    var isEscaped = false
    for byte in text {
      if isInString {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInString = false
        }
        line.append(byte)
      } else if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
        // The line break is not left out, because "1" and "2" on two lines are not 12.
        line.append(UInt8(ascii: " "))
      } else {
        isInString = byte == UInt8(ascii: "\"")
        line.append(byte)
      }
    }
    let end = line.count
    line += Array("}\n".utf8)
    var scanner = LineScanner(maximumDepth: 1000)
    let value: MemberValue? = line.withUnsafeBytes { bytes in
      guard scanner.scan(UnsafeRawBufferPointer(rebasing: bytes.dropLast())) == nil, !scanner.hasUnknown,
        scanner.present == Member.payload.mask, scanner.repeated == 0
      else { return nil }
      return scanner[.payload]
    }
    guard let value, end > start else { return nil }
    return Array(line[value.range])
  }
}

/// Whether a topic matches a pattern (contract, section 3).
package func matches(topic: String, pattern: String) -> Bool {
  let topic = OwnedBytes(topic)
  let pattern = OwnedBytes(pattern)
  defer {
    extendLifetime(topic)
    extendLifetime(pattern)
  }
  return Pattern.matches(topic.bytes, pattern: pattern.bytes)
}

/// What is wrong with a pattern; nil if nothing is (contract, section 3).
package func complaint(pattern: String) -> String? {
  let pattern = OwnedBytes(pattern)
  defer { extendLifetime(pattern) }
  return Words.complaint(pattern: pattern.bytes)
}

/// What is wrong with the name of a chain, a handler or a peer; nil if nothing is (contract, section 3).
package func complaint(name: String) -> String? {
  let name = OwnedBytes(name)
  defer { extendLifetime(name) }
  return Words.complaint(name: name.bytes)
}
