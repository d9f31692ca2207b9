internal import BatonCore

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// Adds JSON that a peer has written to a line of the router, if it is exactly one value and stays one there.
///
/// It does so in steps, none of which is long. `line` is nobody else's meanwhile.
final class JSONCheck {
  /// What is wrong with a peer's JSON.
  struct Fault: Error {
    var code: HTTPCode
    /// What is wrong, and at which byte of what the peer has sent.
    var message: String
  }

  private let reading: ValueReading
  /// The bytes of white space before the value.
  private let skipped: Int
  private let maxDepth: Int

  /// Adds the value in `text`, without the white space around it. Line breaks between its tokens become spaces, and
  /// nothing else is changed. Whether it is a value is not known yet.
  ///
  /// - Parameter maxDepth: the levels that the line may be nested (`max_depth`), of which the value has one less.
  init(_ text: UnsafeRawBufferPointer, to line: inout [UInt8], maxDepth: Int) {
    let (from, to) = JSONCheck.extent(of: text)
    let begun = line.count
    JSONCheck.appendInOneLine(UnsafeRawBufferPointer(rebasing: text[from..<to]), to: &line)
    skipped = from
    self.maxDepth = maxDepth
    reading = ValueReading(in: &line, from: begun, maxDepth: maxDepth)
  }

  /// Reads on.
  ///
  /// - Returns: where the value stands within itself: `0..<count`, with its kind; nil if it is not read to its end.
  ///   `line` is as it was at the beginning if this throws.
  func goOn(_ line: inout [UInt8]) throws(Fault) -> MemberValue? {
    do throws(ScanFault) {
      return try reading.goOn(in: &line)
    } catch {
      throw JSONCheck.describe(error, at: skipped + error.offset, maxDepth: maxDepth)
    }
  }

  /// All steps at once, for what is short.
  static func append(_ text: [UInt8], to line: inout [UInt8], maxDepth: Int) throws(Fault) -> MemberValue {
    let check = text.withUnsafeBytes { JSONCheck($0, to: &line, maxDepth: maxDepth) }
    while true { if let value = try check.goOn(&line) { return value } }
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
    guard text.has(UInt8(ascii: "\n")) || text.has(UInt8(ascii: "\r")) else { return }
    line.withUnsafeMutableBytes { bytes in
      // Without branches, so that it takes the same time whatever the bytes are: about 2 ms for a megabyte.
      var (isInString, isEscaped) = (false, false)
      for at in begun..<bytes.count {
        let byte = bytes[at]
        isInString = isInString != ((byte == UInt8(ascii: "\"")) && !isEscaped)
        isEscaped = isInString && byte == UInt8(ascii: "\\") && !isEscaped
        // The line break is not left out, because "1" and "2" on two lines are not 12.
        let isBreak = (byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")) && !isInString
        bytes[at] = isBreak ? UInt8(ascii: " ") : byte
      }
    }
  }
}

extension UnsafeRawBufferPointer {
  /// Whether a byte stands anywhere.
  fileprivate func has(_ byte: UInt8) -> Bool {
    guard let baseAddress else { return false }
    return memchr(baseAddress, Int32(byte), count) != nil
  }
}

/// Reads a value at the end of a line in steps, each of some hundred kilobytes.
final class ValueReading {
  private let begun: Int
  private var reading: LoneValue.Reading

  /// The value is all that stands at the end of `line`, from `begun` on. Until it is read, an LF stands behind it.
  init(in line: inout [UInt8], from begun: Int, maxDepth: Int) {
    self.begun = begun
    reading = LoneValue.Reading(maximumDepth: maxDepth)
    line.append(UInt8(ascii: "\n"))
  }

  /// Reads on. Returns where the value stands, from `begun` on; nil if it is not read to its end. If it throws, the value
  /// is gone from the line.
  func goOn(in line: inout [UInt8]) throws(ScanFault) -> MemberValue? {
    let step: Result<MemberValue?, ScanFault> = line.withUnsafeBytes { bytes in
      Result { () throws(ScanFault) in
        try reading.goOn(in: UnsafeRawBufferPointer(rebasing: bytes[begun..<(bytes.count - 1)]), ValueReading.most)
      }
    }
    switch step {
    case .success(nil): return nil
    case .success(let value):
      line.removeLast()
      return value
    case .failure(let fault):
      line.removeLast(line.count - begun)
      throw fault
    }
  }

  /// The bytes of one step: about a quarter of a millisecond for what is dear to read.
  private static let most = 128 << 10
}
