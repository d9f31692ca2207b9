internal import CScan

/// How long topics and patterns may be (contract, section 3).
struct WordLimits {
  /// The words that each of them may have.
  var words = Int.max
  /// The words of a pattern that may be `*`.
  var stars = Int.max

  /// What is too much of a valid topic or pattern; nil if nothing is.
  func complaint(_ bytes: UnsafeRawBufferPointer) -> String? {
    let count = Words.count(bytes)
    if count > words { return "has \(count) words; at most \(words) are allowed (max_topic_words)" }
    let starCount = Words.stars(bytes)
    if starCount > stars {
      return "has \(starCount) words *; at most \(stars) are allowed (max_pattern_stars)"
    }
    return nil
  }
}

/// The rules for topics, patterns and names (contract, section 3), over decoded UTF-8.
enum Words {
  /// What is wrong with a topic; nil if nothing is. A topic has 1 to 255 bytes: non-empty words joined by `.`, without
  /// U+0000–0020, U+007F–009F, `*` and `>`.
  static func complaint(topic bytes: UnsafeRawBufferPointer) -> String? {
    complaint(bytes, wildcards: false)
  }

  /// Whether the topic has only ASCII letters, digits, `-`, `_` and well-placed dots; then nothing is wrong with it. At
  /// least `readable` bytes from the topic's first byte on may be read.
  @inline(__always)
  static func isPlain(topic bytes: UnsafeRawBufferPointer, readable: Int) -> Bool {
    guard let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count > 0 else { return false }
    guard bytes.count <= 255 else { return false }
    // The last block of 16 bytes may reach beyond the topic.
    if (bytes.count &+ 15) & ~15 <= readable { return cscan_plain_topic(base, bytes.count) }
    return cscan_plain_topic_bytewise(base, bytes.count)
  }

  /// What is wrong with a pattern; nil if nothing is. A pattern is a topic in which any whole word may be `*`, and the
  /// last word may be `>`.
  static func complaint(pattern bytes: UnsafeRawBufferPointer) -> String? {
    complaint(bytes, wildcards: true)
  }

  private static func complaint(_ bytes: UnsafeRawBufferPointer, wildcards: Bool) -> String? {
    if bytes.isEmpty { return "is empty" }
    if bytes.count > 255 { return "takes \(bytes.count) bytes; at most 255 are allowed" }
    var tokenStart = 0
    var wildcardAt = -1
    var at = 0
    while at < bytes.count {
      let byte = bytes[at]
      switch byte {
      case UInt8(ascii: "."):
        if at == tokenStart { return "has an empty word at byte \(at); words are joined by single dots" }
        if wildcardAt >= 0, bytes[wildcardAt] == UInt8(ascii: ">") {
          return "has > before its end, at byte \(wildcardAt); > must be the last word"
        }
        tokenStart = at + 1
        wildcardAt = -1
      case UInt8(ascii: "*"), UInt8(ascii: ">"):
        let sign = byte == UInt8(ascii: "*") ? "*" : ">"
        guard wildcards else { return "contains \(sign) at byte \(at); wildcards are allowed only in patterns" }
        guard at == tokenStart else {
          return "contains \(sign) inside a word, at byte \(at); a wildcard must be a whole word"
        }
        wildcardAt = at
      case 0...0x20, 0x7F:
        return "contains a space or control character at byte \(at)"
      default:
        if byte == 0xC2, at + 1 < bytes.count, bytes[at + 1] <= 0x9F {
          return "contains a control character at byte \(at)"
        }
        if wildcardAt >= 0 {
          let sign = bytes[wildcardAt] == UInt8(ascii: "*") ? "*" : ">"
          return "contains \(sign) inside a word, at byte \(wildcardAt); a wildcard must be a whole word"
        }
      }
      at += 1
    }
    return tokenStart == bytes.count ? "ends in a dot; words are joined by single dots" : nil
  }

  /// The number of words of a topic or pattern.
  @inline(__always)
  static func count(_ bytes: UnsafeRawBufferPointer) -> Int {
    var count = 1
    for byte in bytes where byte == UInt8(ascii: ".") { count &+= 1 }
    return count
  }

  /// The number of words `*` of a valid pattern.
  static func stars(_ pattern: UnsafeRawBufferPointer) -> Int { pattern.count { $0 == Pattern.star } }

  /// Whether only the server may use the topic or pattern.
  static func isServers(_ topic: UnsafeRawBufferPointer) -> Bool { topic.first == UInt8(ascii: "$") }

  /// Whether this can be the name of a stored message (contract, section 15): 16 letters and digits, a dash, a count.
  static func isStored(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard 18...37 ~= bytes.count, bytes[16] == UInt8(ascii: "-"),
      bytes.count == 18 || bytes[17] != UInt8(ascii: "0")
    else { return false }
    return bytes.enumerated().allSatisfy { at, byte in
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): true
      case UInt8(ascii: "a")...UInt8(ascii: "z"): at < 16
      default: at == 16
      }
    }
  }

  /// What is wrong with the name of a chain, a handler or a peer; nil if nothing is. A name has 1 to 64 of the
  /// characters `A-Z a-z 0-9 _ . -`.
  static func complaint(name bytes: UnsafeRawBufferPointer) -> String? {
    if bytes.isEmpty { return "is empty" }
    if bytes.count > 64 { return "takes \(bytes.count) bytes; at most 64 are allowed" }
    for (at, byte) in bytes.enumerated() {
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "-"):
        continue
      default: return "contains a character at byte \(at) that is not one of A-Z a-z 0-9 _ . -"
      }
    }
    return nil
  }
}
