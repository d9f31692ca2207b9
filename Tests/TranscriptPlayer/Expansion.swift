import DoorKit

/// What a transcript writes in angle brackets because it is hard to write out: `<x*8000>` stands for eight thousand x,
/// `<0xC3 0x28>` for those two bytes, `<token web>` for the token of the identity `web`. Any other `<` stands for itself.
enum Expansion {
  /// The bytes that `text` stands for.
  static func bytes(of text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = text[...]
    while let open = rest.firstIndex(of: "<") {
      bytes += rest[..<open].utf8
      rest = rest[open...]
      if let close = rest.firstIndex(of: ">"), let expanded = expand(rest[rest.index(after: open)..<close]) {
        bytes += expanded
        rest = rest[rest.index(after: close)...]
      } else {
        bytes.append(UInt8(ascii: "<"))
        rest = rest.dropFirst()
      }
    }
    return bytes + rest.utf8
  }

  /// What a peer sends, with the values that lines have given to names so far: `<*e>` stands for that of `*e`.
  static func named(in bytes: [UInt8], _ names: [String: [UInt8]]) -> [UInt8] {
    guard !names.isEmpty, bytes.count < 1 << 20, bytes.contains(UInt8(ascii: "<")) else { return bytes }
    var text = String(decoding: bytes, as: UTF8.self)
    for (name, value) in names.sorted(by: { $0.key < $1.key }) {
      text = text.replacing("<*\(name)>", with: String(decoding: value, as: UTF8.self))
    }
    return text.contains("\u{FFFD}") ? bytes : Array(text.utf8)
  }

  /// The bytes for what stands between the brackets, or nil if it is no expression.
  private static func expand(_ inner: Substring) -> [UInt8]? {
    if let name = inner.dropping(prefix: "token ") { return Array(TestToken.text(of: name).utf8) }
    if inner.hasPrefix("0x") {
      let words = inner.split(separator: " ")
      let bytes = words.compactMap { word in word.dropping(prefix: "0x").flatMap { UInt8($0, radix: 16) } }
      return bytes.count == words.count ? bytes : nil
    }
    guard let star = inner.lastIndex(of: "*"), star > inner.startIndex,
      let count = Int(inner[inner.index(after: star)...]), count >= 0
    else { return nil }
    // In debug builds a loop over each byte would take longer than everything else in a transcript.
    let piece = Array(inner[..<star].utf8)
    return piece.count == 1 ? Array(repeating: piece[0], count: count) : (0..<count).flatMap { _ in piece }
  }
}
