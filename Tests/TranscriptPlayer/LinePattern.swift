import Foundation

/// What a line is compared with: the line itself, member by member in the written order, with these exceptions.
///
/// Outside strings, `*` stands for any JSON value, and `*name` for a value that is the same wherever the name stands.
/// `~200` stands for a remaining time of 200, which a running clock may have shortened. `≥200` stands for a measured
/// time, which it may have lengthened. `…` stands for any text; inside a string it ends before the string does.
package struct LinePattern: Sendable {
  /// The pattern as the transcript writes it.
  package let text: String
  private let parts: [Part]

  private enum Part: Sendable {
    case bytes([UInt8])
    case value(name: String)
    case timeLeft(Int)
    case timeMeasured(Int)
    case text(insideString: Bool)
  }

  /// Reads a pattern. Every text is a pattern.
  init(_ text: String) {
    self.text = text
    var parts: [Part] = []
    var literal: [UInt8] = []
    var insideString = false
    var rest = Expansion.bytes(of: text)[...]
    let (ellipsis, atLeast) = (Array("…".utf8), Array("≥".utf8))
    func flush() {
      if !literal.isEmpty { parts.append(.bytes(literal)) }
      literal = []
    }
    while let byte = rest.first {
      if byte == ellipsis[0], rest.starts(with: ellipsis) {
        flush()
        parts.append(.text(insideString: insideString))
        rest = rest.dropFirst(ellipsis.count)
      } else if !insideString && byte == UInt8(ascii: "*") {
        flush()
        let name = rest.dropFirst().prefix { (0x61...0x7A).contains($0) }
        parts.append(.value(name: String(decoding: name, as: UTF8.self)))
        rest = rest.dropFirst(1 + name.count)
      } else if !insideString && byte == UInt8(ascii: "~") {
        flush()
        rest = rest.dropFirst()
        parts.append(.timeLeft(Self.number(takenFrom: &rest)))
      } else if !insideString && byte == atLeast[0] && rest.starts(with: atLeast) {
        flush()
        rest = rest.dropFirst(atLeast.count)
        parts.append(.timeMeasured(Self.number(takenFrom: &rest)))
      } else {
        let escape = insideString && byte == UInt8(ascii: "\\")
        if byte == UInt8(ascii: "\"") { insideString.toggle() }
        literal += rest.prefix(escape ? 2 : 1)
        rest = rest.dropFirst(escape ? 2 : 1)
      }
    }
    flush()
    self.parts = parts
  }

  private static func number(takenFrom rest: inout ArraySlice<UInt8>) -> Int {
    let digits = rest.prefix { (0x30...0x39).contains($0) }
    rest = rest.dropFirst(digits.count)
    return Int(String(decoding: digits, as: UTF8.self)) ?? 0
  }

  /// True if `line` is what the pattern says. `names` holds the values of named stars so far, and takes in those that
  /// the line gives. If `clockRuns`, a remaining time may be shorter than written but not longer. A measured time may
  /// be longer but not shorter.
  func matches(_ line: [UInt8], names: inout [String: [UInt8]], clockRuns: Bool) -> Bool {
    match(parts[...], line[...], &names, clockRuns)
  }

  private func match(
    _ parts: ArraySlice<Part>, _ line: ArraySlice<UInt8>, _ names: inout [String: [UInt8]], _ clockRuns: Bool
  ) -> Bool {
    guard let part = parts.first else { return line.isEmpty }
    let rest = parts.dropFirst()
    switch part {
    case .bytes(let bytes):
      return Self.begins(line, with: bytes) && match(rest, line.dropFirst(bytes.count), &names, clockRuns)
    case .value(let name):
      let value = JSONText.value(at: line)
      if value.isEmpty { return false }
      if let known = names[name], known != Array(value) { return false }
      if !name.isEmpty { names[name] = Array(value) }
      return match(rest, line.dropFirst(value.count), &names, clockRuns)
    case .timeLeft(let written):
      return matchTime(rest, line, &names, clockRuns) { clockRuns ? (1...max(written, 1)).contains($0) : $0 == written }
    case .timeMeasured(let written):
      return matchTime(rest, line, &names, clockRuns) { clockRuns ? $0 >= written : $0 == written }
    case .text(let insideString):
      var skipped = line
      while true {
        var tried = names
        if match(rest, skipped, &tried, clockRuns) {
          names = tried
          return true
        }
        guard let byte = skipped.first, !(insideString && byte == UInt8(ascii: "\"")) else { return false }
        skipped = skipped.dropFirst(byte == UInt8(ascii: "\\") ? 2 : 1)
      }
    }
  }

  private static func begins(_ line: ArraySlice<UInt8>, with bytes: [UInt8]) -> Bool {
    line.withUnsafeBytes { line in
      bytes.withUnsafeBytes { bytes in
        guard let one = line.baseAddress, let other = bytes.baseAddress else { return bytes.isEmpty }
        return line.count >= bytes.count && memcmp(one, other, bytes.count) == 0
      }
    }
  }

  private func matchTime(
    _ rest: ArraySlice<Part>, _ line: ArraySlice<UInt8>, _ names: inout [String: [UInt8]], _ clockRuns: Bool,
    isRight: (Int) -> Bool
  ) -> Bool {
    let digits = line.prefix { (0x30...0x39).contains($0) }
    guard let time = Int(String(decoding: digits, as: UTF8.self)), isRight(time) else { return false }
    return match(rest, line.dropFirst(digits.count), &names, clockRuns)
  }
}

/// As much of JSON as is needed to find the end of a value.
enum JSONText {
  /// The value with which `text` begins; empty if it begins with none.
  static func value(at text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var depth = 0
    var insideString = false
    var escaped = false
    for index in text.indices {
      let byte = text[index]
      if insideString {
        if !escaped && byte == UInt8(ascii: "\"") {
          insideString = false
          if depth == 0 { return text[...index] }
        }
        escaped = !escaped && byte == UInt8(ascii: "\\")
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): insideString = true
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth == 0 { return text[..<index] }
        depth -= 1
        if depth == 0 { return text[...index] }
      case UInt8(ascii: ",") where depth == 0: return text[..<index]
      default: break
      }
    }
    return text
  }
}
