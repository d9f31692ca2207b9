internal import BatonCore
internal import HTTP

/// Who a request says that it is: the line `hello` that goes before its op.
enum HTTPGreeting {
  /// The most bytes of a token (contract, section 11).
  private static let longestToken = 256

  /// The line, with its LF; nil if the request says neither a token nor a name.
  ///
  /// - Parameter name: what `name=` says; nil if it is missing.
  static func line(_ head: RequestHead, name: [UInt8]?) throws(HTTPRefusal) -> [UInt8]? {
    let token = try token(head)
    if token == nil, name == nil { return nil }
    var line: [UInt8] = []
    line.append("{\"op\":\"hello\"")
    if let token {
      line.append(",\"token\":")
      line.appendQuoted(token)
    }
    if let name {
      line.append(",\"name\":")
      line.appendQuoted(name)
    }
    line.append("}\n")
    return line
  }

  /// The token of `Authorization: Bearer TOKEN`; nil if there is none.
  private static func token(_ head: RequestHead) throws(HTTPRefusal) -> String? {
    guard let field = try head.soleField("authorization", shown: "Authorization", closes: true) else { return nil }
    let parts = field.utf8.split(separator: UInt8(ascii: " "), maxSplits: 1)
    guard parts.count == 2, String(Substring(parts[0])).lowercased() == "bearer" else {
      throw HTTPRefusal(.authFailed, "Authorization must be \"Bearer TOKEN\"; no other scheme is known here")
    }
    let token = parts[1].drop { $0 == UInt8(ascii: " ") }
    // Nothing of a token is repeated in an error.
    guard (1...longestToken).contains(token.count), token.allSatisfy({ 0x21...0x7E ~= $0 }) else {
      throw HTTPRefusal(
        .authFailed, "the token is none of this server's: it has at most \(longestToken) visible characters of ASCII")
    }
    return String(Substring(token))
  }
}
