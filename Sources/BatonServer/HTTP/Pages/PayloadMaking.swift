internal import BatonCore

/// Adds a body to a line as a payload, in steps: others have their turns between the steps of a long one.
struct PayloadMaking {
  private enum Stage {
    case begin
    /// It may be JSON.
    case json(JSONCheck)
    /// It is text, and becomes a string.
    case text
    /// The string has to be UTF-8.
    case string(ValueReading)
  }

  private let body: HTTPBody
  /// The most bytes that the payload may take.
  private let most: Int
  private let rules: HTTPRules
  private var stage = Stage.begin
  /// Where the payload begins in the line.
  private var begun = 0

  init(_ body: HTTPBody, atMost most: Int, _ rules: HTTPRules) {
    self.body = body
    self.most = most
    self.rules = rules
  }

  /// The next step. An empty body is the caller's business.
  ///
  /// - Parameters:
  ///   - bytes: all of the body, each time.
  ///   - line: what the payload is added to. Nobody changes it between the steps.
  /// - Returns: whether the payload is whole. The line is of no use if it throws.
  mutating func goOn(_ bytes: UnsafeRawBufferPointer, _ line: inout [UInt8]) throws(HTTPRefusal) -> Bool {
    switch stage {
    case .begin: try begin(bytes, &line)
    case .json(let check): return try read(check, &line)
    case .text:
      line.appendQuoted(bytes, atMost: most)
      try checkSize(of: line)
      stage = .string(ValueReading(in: &line, from: begun, maxDepth: 2))
    case .string(let reading): return try read(reading, of: bytes, &line)
    }
    return false
  }

  private mutating func begin(_ bytes: UnsafeRawBufferPointer, _ line: inout [UInt8]) throws(HTTPRefusal) {
    try body.admit()
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      throw HTTPRefusal(.badRequest, "the body begins with a byte order mark; leave out its first three bytes")
    }
    begun = line.count
    stage = body.kind == .text ? .text : .json(JSONCheck(bytes, to: &line, maxDepth: rules.maxDepth))
  }

  private mutating func read(_ check: JSONCheck, _ line: inout [UInt8]) throws(HTTPRefusal) -> Bool {
    do throws(JSONCheck.Fault) {
      if try check.goOn(&line) == nil { return false }
    } catch {
      // What is too deep is JSON, or would be: nobody is helped by a text of it.
      if body.kind == .json || error.code == .tooDeep { throw HTTPRefusal(error.code, "the body \(error.message)") }
      stage = .text
      return false
    }
    try checkSize(of: line)
    return true
  }

  private func read(
    _ reading: ValueReading, of bytes: UnsafeRawBufferPointer, _ line: inout [UInt8]
  ) throws(HTTPRefusal) -> Bool {
    do throws(ScanFault) {
      return try reading.goOn(in: &line) != nil
    } catch {
      // Everything is escaped that has to be: so a character is wrong.
      let at = PayloadMaking.offset(of: error.offset, in: bytes)
      throw HTTPRefusal(
        .badRequest, "the body is not UTF-8, at byte \(at); send text in UTF-8, or other bytes as a string of base64")
    }
  }

  private func checkSize(of line: [UInt8]) throws(HTTPRefusal) {
    if line.count - begun > most { throw HTTPBody.tooLong(rules) }
  }

  /// The offset in the text of what stands at an offset in its string.
  private static func offset(of quoted: Int, in text: UnsafeRawBufferPointer) -> Int {
    var (at, written) = (0, 1)
    while at < text.count, written < quoted {
      written += [UInt8].quotedCount(of: text[at])
      at += 1
    }
    return at
  }
}
