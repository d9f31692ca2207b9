/// A `Content-Type` (RFC 9110, section 8.3), as far as anybody here wants to know it.
public struct ContentType: Equatable, Sendable {
  /// `type/subtype` in lower case.
  public let name: String
  /// In lower case; nil if none is named.
  public private(set) var charset: String?

  /// Nil if the field is not well formed, or if it names two charsets.
  public init?(_ field: String) {
    var rest = field.utf8[...].drop(while: isBlank)
    guard let type = ContentType.token(&rest), rest.popFirst() == UInt8(ascii: "/"),
      let subtype = ContentType.token(&rest)
    else { return nil }
    name = "\(type)/\(subtype)".lowercased()
    while true {
      rest = rest.drop(while: isBlank)
      guard let next = rest.popFirst() else { return }
      guard next == UInt8(ascii: ";") else { return nil }
      rest = rest.drop(while: isBlank)
      // Nothing may stand there, in front of another one or of the end.
      if rest.isEmpty || rest.first == UInt8(ascii: ";") { continue }
      guard let parameter = ContentType.token(&rest), rest.popFirst() == UInt8(ascii: "="),
        let value = rest.first == UInt8(ascii: "\"") ? ContentType.quoted(&rest) : ContentType.token(&rest)
      else { return nil }
      guard parameter.lowercased() == "charset" else { continue }
      if charset != nil { return nil }
      charset = value.lowercased()
    }
  }

  private static func token(_ rest: inout Substring.UTF8View) -> String? {
    let token = rest.prefix(while: isTokenByte)
    rest = rest[token.endIndex...]
    return token.isEmpty ? nil : String(Substring(token))
  }

  /// The text between quotes: all stands for itself there but `"`, and `\` in front of what does (RFC 9110, section 5.6.4).
  private static func quoted(_ rest: inout Substring.UTF8View) -> String? {
    rest.removeFirst()
    var text: [UInt8] = []
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "\"") { return String(decoding: text, as: UTF8.self) }
      guard let meant = byte == UInt8(ascii: "\\") ? rest.popFirst() : byte else { return nil }
      text.append(meant)
    }
    return nil
  }
}
