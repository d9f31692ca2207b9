/// Text of peers that others read: in a log, an event, an error.
extension String {
  /// The text without tokens: who has put one in a wrong place reads of its error, perhaps with others (Docs/security.md).
  package var tokenSafe: String {
    let (begin, length) = (Array("baton_".utf8), 55)
    let bytes = Array(utf8)
    guard bytes.count >= length else { return self }
    var safe: [UInt8] = []
    var place = 0
    while place < bytes.count {
      let word = bytes[place...].prefix(length)
      if word.count == length, word.starts(with: begin), word.allSatisfy(\.isOfToken) {
        safe += Array("baton_…".utf8)
        place += length
      } else {
        safe.append(bytes[place])
        place += 1
      }
    }
    return safe.count == bytes.count ? self : String(decoding: safe, as: UTF8.self)
  }
}

extension UInt8 {
  /// `A-Z a-z 0-9 _ -`.
  fileprivate var isOfToken: Bool {
    switch self {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
    default: false
    }
  }
}
