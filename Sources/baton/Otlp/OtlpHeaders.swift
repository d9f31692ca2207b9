import ArgumentParser

/// Headers for a collector, which may be secrets: so they come from a file that nobody else can read.
struct OtlpHeaders {
  private(set) var all: [(name: String, value: String)] = []

  /// What a file has that is not a header of HTTP: the words of its mistakes never have a value.
  init(file: String) throws {
    try expectPrivate(file, "--header-file")
    let text = String(decoding: try contents(ofFile: file), as: UTF8.self)
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let line = line.last == "\r" ? line.dropLast() : line
      if line.allSatisfy(\.isWhitespace) { continue }
      let name = line.prefix { $0 != ":" }
      let value = line.dropFirst(name.count + 1).drop { $0 == " " }
      guard name.count < line.count, !name.isEmpty, name.utf8.allSatisfy({ Self.isOfName($0) }),
        !value.isEmpty, value.utf8.allSatisfy({ 0x20...0x7E ~= $0 })
      else {
        throw ValidationError(
          "--header-file: \(file), line \(index + 1): a header is NAME: VALUE, in printable ASCII")
      }
      all.append((String(name), String(value)))
    }
  }

  /// A character of a token (RFC 9110, section 5.6.2).
  private static func isOfName(_ byte: UInt8) -> Bool {
    0x21...0x7E ~= byte && !"\"(),/:;<=>?@[\\]{}".utf8.contains(byte)
  }
}
