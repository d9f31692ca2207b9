internal import CConsole

/// A file of the console, which is a part of the program.
struct ConsoleFile: Sendable {
  let path: String
  let type: String
  let bytes: [UInt8]
  /// Changes whenever the bytes do.
  let tag: String

  /// Whether it is a page, to which links of other pages may lead.
  var isPage: Bool { type.hasPrefix("text/html") }

  /// The file of a path; nil if there is none.
  static func find(_ path: String) -> ConsoleFile? { all.first { $0.path == path } }

  /// All files, read once.
  static let all: [ConsoleFile] = (0..<cconsole_file_count()).map { place in
    let file = cconsole_file_at(place).pointee
    let bytes = [UInt8](UnsafeBufferPointer(start: file.bytes, count: file.count))
    return ConsoleFile(
      path: String(cString: file.path), type: String(cString: file.type), bytes: bytes, tag: "\"\(hash(bytes))\"")
  }

  /// The answer that brings the file. `ifNoneMatch` is what the browser has already.
  func answer(ifNoneMatch: [String], cors: [(name: String, value: String)]) -> HTTPAnswer {
    let headers = [(name: "ETag", value: tag), ("Cache-Control", "no-cache")] + ConsoleFile.headers + cors
    if ifNoneMatch.contains(where: { isNamed(in: $0) }) { return HTTPAnswer(304, headers: headers) }
    return HTTPAnswer(200, headers: [("Content-Type", type)] + headers, body: bytes)
  }

  /// Whether a list of `If-None-Match` has the file's tag, perhaps as a weak one (RFC 9110, section 13.1.2).
  private func isNamed(in list: String) -> Bool {
    list.split(separator: ",").contains { entry in
      var entry = entry.drop { $0 == " " || $0 == "\t" }
      while entry.last == " " || entry.last == "\t" { entry.removeLast() }
      if entry.hasPrefix("W/") { entry = entry.dropFirst(2) }
      return entry == tag || entry == "*"
    }
  }

  /// What keeps the page to itself: nothing from elsewhere gets in, nothing of it gets out, nobody shows it in a frame.
  private static let headers: [(name: String, value: String)] = [
    (
      "Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"
    ),
    ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Opener-Policy", "same-origin"), ("Cross-Origin-Resource-Policy", "same-origin"),
  ]

  /// The FNV-1a hash of 64 bits, in hexadecimal digits. It tells versions of a file apart; nobody has to be kept from
  /// finding two files of one hash.
  private static func hash(_ bytes: [UInt8]) -> String {
    var state: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return String(state, radix: 16)
  }
}
