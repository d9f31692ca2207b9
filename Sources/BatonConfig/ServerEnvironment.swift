public import BatonCore

/// What the environment says about the server.
public struct ServerEnvironment: Sendable {
  /// The one token that everybody must show (`BATON_TOKEN`, `BATON_TOKEN_FILE`), by its SHA-256.
  public var token: Sourced<TokenDigest>?

  public static let fileVariable = "BATON_CONFIG"
  static let tokenVariable = "BATON_TOKEN"
  static let tokenFileVariable = "BATON_TOKEN_FILE"
  /// The bytes that a token may have.
  private static let mostBytes = 256

  /// An environment that says nothing.
  public init() {}

  /// Reads the environment. `variable` finds a variable's value by the name. If anything is wrong, throws all that is.
  public init(variable: (String) -> String?) throws(ConfigMistakes) {
    let text = variable(ServerEnvironment.tokenVariable)
    let path = variable(ServerEnvironment.tokenFileVariable)
    var mistakes = MistakeList()
    if text != nil, path != nil {
      let message = "BATON_TOKEN is set, too, and there is one token; unset one of them"
      mistakes.add(ConfigMistake(.environment(ServerEnvironment.tokenFileVariable), message))
      try mistakes.tell()
    }
    do throws(ConfigMistake) {
      if let text {
        token = try ServerEnvironment.digest(of: Array(text.utf8), from: .environment(ServerEnvironment.tokenVariable))
      } else if let path {
        let origin = Origin.environment(ServerEnvironment.tokenFileVariable)
        var bytes = try FileBytes.read(path, named: path, atMost: ServerEnvironment.mostBytes + 2, origin: origin)
        while bytes.last == UInt8(ascii: "\n") || bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        token = try ServerEnvironment.digest(of: bytes, from: origin)
      }
    } catch {
      mistakes.add(error)
    }
    try mistakes.tell()
  }

  private static func digest(of bytes: [UInt8], from origin: Origin) throws(ConfigMistake) -> Sourced<TokenDigest> {
    if bytes.isEmpty { throw ConfigMistake(origin, "the token is empty; baton token owner makes one") }
    guard bytes.count <= mostBytes else {
      throw ConfigMistake(origin, "the token has more than \(mostBytes) bytes; baton token owner makes a right one")
    }
    // White space at an end is invisible, and no client would send it.
    guard bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw ConfigMistake(origin, "the token has white space, or other signs than ASCII's; take them out")
    }
    return Sourced(bytes.withUnsafeBytes { TokenDigest(of: $0) }, from: origin)
  }
}
