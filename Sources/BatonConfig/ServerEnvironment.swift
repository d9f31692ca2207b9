public import BatonCore

/// What the environment says about the server.
public struct ServerEnvironment: Sendable {
  /// The one token that everybody must show (`BATON_TOKEN`, `BATON_TOKEN_FILE`), by its SHA-256.
  public var token: Sourced<TokenDigest>?
  /// Which node of its cluster the server is (`BATON_NODE`).
  public var node: Sourced<String>?

  /// The variable that names the configuration file.
  public static let fileVariable = "BATON_CONFIG"
  static let nodeVariable = "BATON_NODE"
  static let tokenVariable = "BATON_TOKEN"
  static let tokenFileVariable = "BATON_TOKEN_FILE"
  /// The bytes that a token may have.
  private static let mostBytes = 256

  /// An environment that says nothing.
  public init() {}

  /// Reads the environment. `variable` finds a variable's value by the name. If anything is wrong, throws all that is.
  public init(variable: (String) -> String?) throws(ConfigMistakes) {
    var mistakes = MistakeList()
    do throws(ConfigMistake) {
      token = try ServerEnvironment.token(variable, .anything)
    } catch {
      mistakes.add(error)
    }
    try mistakes.tell()
  }

  /// The token that the environment gives.
  static func token(
    _ variable: (String) -> String?, _ kind: FileBytes.Kind
  ) throws(ConfigMistake) -> Sourced<TokenDigest>? {
    let inFile = Origin.environment(tokenFileVariable)
    if let text = variable(tokenVariable) {
      guard variable(tokenFileVariable) == nil else {
        throw ConfigMistake(inFile, "BATON_TOKEN is set, too, and there is one token; unset one of them")
      }
      return try digest(of: Array(text.utf8), from: .environment(tokenVariable))
    }
    guard let path = variable(tokenFileVariable) else { return nil }
    var bytes = try FileBytes.read(path, kind, named: path, atMost: mostBytes + 2, origin: inFile)
    while bytes.last == UInt8(ascii: "\n") || bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
    return try digest(of: bytes, from: inFile)
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
