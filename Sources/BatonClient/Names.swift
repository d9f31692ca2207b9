/// Topics, patterns and names: what the server would refuse, found where it is written (contract, section 3). Each
/// check throws `BatonError.refused` with the code that the server would give.
enum Names {
  /// The most bytes of a topic or a pattern.
  private static let mostBytes = 255
  /// The most characters of a name.
  private static let mostOfName = 64

  /// Throws `bad_topic` where the text is no topic.
  static func check(topic: String) throws(BatonError) {
    if isPlain(topic) { return }
    try checkWords(topic, "a topic", "bad_topic")
    guard let wrong = topic.unicodeScalars.first(where: isWrong) else { return }
    let what = isWildcard(wrong) ? "a wildcard, which only patterns have" : shown(String(wrong))
    throw .refused(
      code: "bad_topic", message: "the topic \(shown(topic)) has \(what); a topic is words joined by dots: door.open")
  }

  /// Throws `bad_pattern` where one of the texts is no pattern.
  static func check(patterns: [String]) throws(BatonError) {
    for pattern in patterns { try check(pattern: pattern) }
  }

  /// Throws `bad_pattern` where the text is no pattern.
  static func check(pattern: String) throws(BatonError) {
    if isPlain(pattern) { return }
    try checkWords(pattern, "a pattern", "bad_pattern")
    let words = words(of: pattern)
    for (index, word) in words.enumerated() where word != "*" && !(word == ">" && index == words.count - 1) {
      if word == ">" {
        throw .refused(
          code: "bad_pattern",
          message: "in the pattern \(shown(pattern)) > is not the last word; * stands for one word")
      }
      guard word.unicodeScalars.contains(where: isWrong) else { continue }
      let isMixed = word.unicodeScalars.contains(where: isWildcard)
      let why = isMixed ? "a wildcard stands for whole words" : "\(shown(String(word))) is no word"
      throw .refused(
        code: "bad_pattern",
        message: "the pattern \(shown(pattern)) is wrong: \(why); patterns are like door.* and door.>")
    }
  }

  /// Throws `bad_name` where the text cannot be `what`: the name of a chain, a handler or a program.
  static func check(name: String, as what: String) throws(BatonError) {
    let isName = (1...mostOfName).contains(name.utf8.count) && name.utf8.allSatisfy(isOfName)
    guard !isName else { return }
    let how = "names have 1 to \(mostOfName) of the characters A-Z a-z 0-9 _ . -"
    throw .refused(code: "bad_name", message: "\(shown(name)) cannot be \(what): \(how)")
  }

  private static func checkWords(_ text: String, _ what: String, _ code: String) throws(BatonError) {
    guard !words(of: text).contains("") else {
      throw .refused(code: code, message: "\(what) has words between dots, and none is empty: \(shown(text)) is none")
    }
    let count = text.utf8.count
    guard count <= mostBytes else {
      throw .refused(code: code, message: "\(what) has at most \(mostBytes) bytes; \(shown(text)) has \(count)")
    }
  }

  /// The words by scalars, as the server counts: a dot before a combining mark is a dot.
  private static func words(of text: String) -> [String] {
    text.unicodeScalars.split(separator: ".", omittingEmptySubsequences: false).map { String($0) }
  }

  /// Whether it has only letters of names, with no empty word. Nearly every topic has, and each message asks.
  private static func isPlain(_ topic: String) -> Bool {
    var last = UInt8(ascii: ".")
    var count = 0
    for byte in topic.utf8 {
      guard isOfName(byte), byte != UInt8(ascii: ".") || last != byte else { return false }
      last = byte
      count += 1
    }
    return last != UInt8(ascii: ".") && count <= mostBytes
  }

  private static func isOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "-"):
      true
    default: false
    }
  }

  /// What stands in no word of a topic: spaces, control characters, wildcards.
  private static func isWrong(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value <= 0x20 || (0x7F...0x9F).contains(scalar.value) || isWildcard(scalar)
  }

  private static func isWildcard(_ scalar: Unicode.Scalar) -> Bool { scalar == "*" || scalar == ">" }

  private static func shown(_ text: String) -> String {
    (text.count <= 80 ? text : text.prefix(80) + "…").debugDescription
  }
}
