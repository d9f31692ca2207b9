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
    try? read(Array(text)).get()
  }

  /// Why `text` is not one JSON value, and at which of its bytes; nil if it is one. For texts that people have written.
  package static func fault(_ text: some Collection<UInt8>) -> (why: String, offset: Int)? {
    guard case .failure(let fault) = read(Array(text)) else { return nil }
    let count = text.count
    let behind = "there is something behind the end of the value"
    if fault.kind == .badJSON(.behindObject) {
      // A brace too many ends the line's own object.
      let spaces: [UInt8] = [0x20, 0x09, 0x0A, 0x0D]
      let before = text.prefix(fault.offset).enumerated().filter { !spaces.contains($0.element) }.last
      return (behind, before?.element == UInt8(ascii: "}") ? before?.offset ?? 0 : fault.offset)
    }
    // A value that is complete is followed by something: what the scanner expects there is not what a person has meant.
    if fault.offset < count, value(text.prefix(fault.offset)) != nil { return (behind, fault.offset) }
    return fault.offset < count && fault.kind != .badJSON(.unfinished)
      ? ("\(fault.text)", fault.offset) : ("it ends before it is complete", count)
  }

  /// The value, or the first fault with its offset in the text. It takes an array, and not any sequence: other modules
  /// would pay for each byte.
  private static func read(_ text: [UInt8]) -> Result<[UInt8], ScanFault> {
    var line = Array("{\"payload\":".utf8)
    let start = line.count
    line.reserveCapacity(start + text.count + 2)
    if text.contains(where: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) {
      appendInOneLine(text, to: &line)
    } else {
      line += text
    }
    return read(line, from: start)
  }

  /// The text with spaces for line breaks between its tokens.
  private static func appendInOneLine(_ text: [UInt8], to line: inout [UInt8]) {
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
  }

  /// The value of the member that has begun at `start`, or the first fault.
  private static func read(_ begun: consuming [UInt8], from start: Int) -> Result<[UInt8], ScanFault> {
    var line = begun
    line += "}\n".utf8
    var scanner = LineScanner(maximumDepth: 1000)
    return line.withUnsafeBytes { bytes in
      if let fault = scanner.scan(UnsafeRawBufferPointer(rebasing: bytes.dropLast())) {
        return .failure(ScanFault(kind: fault.kind, offset: max(fault.offset - start, 0)))
      }
      let value = scanner[.payload].range
      // More members of the line, which the text had no right to begin.
      guard !scanner.hasUnknown, scanner.present == Member.payload.mask, scanner.repeated == 0 else {
        return .failure(ScanFault(kind: .badJSON(.missingComma), offset: value.upperBound - start))
      }
      return .success(Array(bytes[value]))
    }
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

/// What is wrong with the topic of a message; nil if nothing is (contract, section 3).
package func complaint(topic: String) -> String? {
  let topic = OwnedBytes(topic)
  defer { extendLifetime(topic) }
  let mistake = Words.complaint(topic: topic.bytes)
  return mistake ?? (Words.isServers(topic.bytes) ? "begins with $, which only the server may use" : nil)
}

/// What is wrong with a key; nil if nothing is (contract, section 4).
package func complaint(key: String) -> String? {
  let count = key.utf8.count
  if !(1...255).contains(count) { return "must take 1 to 255 bytes; it takes \(count)" }
  let isControl = { (scalar: Unicode.Scalar) in scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) }
  return key.unicodeScalars.contains(where: isControl) ? "contains a control character" : nil
}
