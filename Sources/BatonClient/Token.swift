internal import UV

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// By what the server knows this program, if not by its certificate or its user. It shows itself to nobody but the
/// server.
struct Token: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The text, for the line that tells it to the server.
  let text: String

  var description: String { "a token" }
  var debugDescription: String { description }
  var customMirror: Mirror { Mirror(self, children: []) }

  /// The bytes that a token may have.
  private static let mostBytes = 256

  /// Where a program's token comes from, and whether it may go over plain TCP to other machines.
  struct Source: Sendable {
    var given: Token?
    var path: String?
    var mayBePlain = false

    /// The token; nil without one. Throws `badToken` where it cannot be used, or would be read on its way.
    func read(for endpoints: [Endpoint]) throws(BatonError) -> Token? {
      guard let token = try find() else { return nil }
      if !mayBePlain, let place = endpoints.first(where: { !$0.isPrivate })?.text {
        throw .badToken(
          "a token does not go over plain TCP to \(place), where others can read it: connect to tls:\(place), or say "
            + "plainToken (plain_token, --plain-token) if something else encrypts the way")
      }
      return token
    }

    private func find() throws(BatonError) -> Token? {
      if let given { return try Token(checking: given.text, "that the program gives") }
      if let text = getenv("BATON_TOKEN") { return try Token(checking: String(cString: text), "in BATON_TOKEN") }
      guard let path = path ?? getenv("BATON_TOKEN_FILE").map({ String(cString: $0) }) else { return nil }
      if path.isEmpty {
        throw .badToken("the name of the token's file (BATON_TOKEN_FILE) is empty; name a file, or unset it")
      }
      guard let file = fopen(path, "rb") else {
        throw .badToken("the file of the token, \(path), cannot be read: \(String(cString: strerror(errno)))")
      }
      defer { fclose(file) }
      var bytes = [UInt8](repeating: 0, count: Token.mostBytes + 1024)
      bytes.removeLast(bytes.count - fread(&bytes, 1, bytes.count, file))
      if ferror(file) != 0 {
        throw .badToken("the file of the token, \(path), cannot be read: \(String(cString: strerror(errno)))")
      }
      while bytes.last == UInt8(ascii: "\n") || bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
      return try Token(checking: String(decoding: bytes, as: UTF8.self), "in \(path)")
    }
  }

  /// What the program says; it is checked when it is used.
  init(said text: String) { self.text = text }

  private init(checking text: String, _ place: String) throws(BatonError) {
    if text.isEmpty { throw .badToken("the token \(place) is empty; baton token NAME makes one") }
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw .badToken("the token \(place) has white space, or characters that are not ASCII; take them out")
    }
    guard text.utf8.count <= Token.mostBytes else {
      throw .badToken(
        "the token \(place) has more than \(Token.mostBytes) bytes; baton token NAME makes a right one")
    }
    self.text = text
  }
}

extension BatonError {
  /// The error that a client ends with because of this one: the server would not take it the next time either. Nil where
  /// it would.
  func ending(with token: Token?) -> BatonError? {
    guard case .refused(let code, let message) = self else { return nil }
    if code == "auth_failed" { return self }
    guard code == "auth_required", token == nil else { return nil }
    let how = "give a token: the variable BATON_TOKEN, a file (BATON_TOKEN_FILE, --token-file), or token in the program"
    return .refused(code: code, message: "\(message); \(how)")
  }
}
