import BatonClient

/// A JSON value as people read it. What stands in it is spelled as it was sent: nothing is hidden or changed.
enum JSONLines {
  /// The lines, without anything that a terminal would act on.
  static func lines(of payload: Payload) -> [String] {
    text(of: payload).split(separator: "\n").map { String($0).displaySafe }
  }

  /// What is shorter, and holds no list and no object, stands on one line.
  private static let short = 48

  /// The value with each member and each element on a line of its own.
  static func text(of payload: Payload) -> String {
    var text: [UInt8] = []
    var depth = 0
    var hasOpened = false
    func breakLine() { text += [UInt8(ascii: "\n")] + Array(repeating: UInt8(ascii: " "), count: 2 * min(depth, 40)) }
    let tokens = tokens(of: payload.bytes)
    var at = 0
    while at < tokens.count {
      let token = tokens[at]
      at += 1
      let first = token.first ?? 0
      if let (line, end) = flat(tokens, from: at - 1) {
        if hasOpened { breakLine() }
        text += line
        (at, hasOpened) = (end, false)
        continue
      }
      let isClosing = first == UInt8(ascii: "}") || first == UInt8(ascii: "]")
      if isClosing { depth -= 1 }
      if hasOpened != isClosing { breakLine() }
      text += token
      hasOpened = first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
      if hasOpened { depth += 1 }
      if first == UInt8(ascii: ",") { breakLine() }
      if first == UInt8(ascii: ":") { text.append(UInt8(ascii: " ")) }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// A list or an object that begins here on one line, and where it ends; nil if it is too long, or holds another one.
  private static func flat(_ tokens: [ArraySlice<UInt8>], from start: Int) -> (line: [UInt8], end: Int)? {
    guard let first = tokens[start].first, "{[".utf8.contains(first) else { return nil }
    var line: [UInt8] = []
    for at in start..<tokens.count {
      let sign = tokens[at].first ?? 0
      if at > start, "{[".utf8.contains(sign) { return nil }
      line += tokens[at]
      if "}]".utf8.contains(sign) { return (line, at + 1) }
      if ",:".utf8.contains(sign) { line.append(UInt8(ascii: " ")) }
      if line.count > short { return nil }
    }
    return nil
  }

  /// The value without spaces between its tokens.
  static func compact(_ payload: Payload) -> Payload {
    let text = String(decoding: tokens(of: payload.bytes).joined(), as: UTF8.self)
    return (try? Payload(json: text)) ?? payload
  }

  /// The texts, numbers, words and signs of a JSON value.
  private static func tokens(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    var tokens: [ArraySlice<UInt8>] = []
    var at = 0
    while at < bytes.count {
      let start = at
      at += 1
      switch bytes[start] {
      case 0x20, 0x09, 0x0A, 0x0D: continue
      case UInt8(ascii: "\""):
        while at < bytes.count, bytes[at] != UInt8(ascii: "\"") { at += bytes[at] == UInt8(ascii: "\\") ? 2 : 1 }
        at = min(at + 1, bytes.count)
      case let byte where "{}[],:".utf8.contains(byte): break
      default: while at < bytes.count, !" \t\r\n{}[],:\"".utf8.contains(bytes[at]) { at += 1 }
      }
      tokens.append(bytes[start..<at])
    }
    return tokens
  }
}
