internal import BatonRecord

/// By what a node shows NATS who it is: read from a file that its user alone may read.
public enum EngineCredentials: Sendable {
  /// A user and a password.
  case user(String, password: String)
  /// A token.
  case token(String)

  private static let mostBytes = 4096

  /// Reads the file. Throws what is wrong with it, and nothing of what it says.
  public init(_ path: Sourced<String>) throws(ConfigMistake) {
    let bytes = try FileBytes.read(
      path.value, .anything, named: "the file \(path.value)", atMost: Self.mostBytes, origin: path.origin)
    if let complaint = SecretFile.complaint(of: path.value) { throw ConfigMistake(path.origin, complaint) }
    var tree = TreeReader(SourceText(bytes), path: path.value)
    guard let root = tree.read(), case .map(let members) = root.content, tree.mistakes.isEmpty else {
      throw Self.wrong(path)
    }
    var texts: [String: String] = [:]
    for member in members {
      guard case .text(let text) = member.value.content, !text.string.isEmpty else { throw Self.wrong(path) }
      texts[member.key] = text.string
    }
    switch texts.keys.sorted() {
    case ["password", "user"]: self = .user(texts["user"] ?? "", password: texts["password"] ?? "")
    case ["token"]: self = .token(texts["token"] ?? "")
    default: throw Self.wrong(path)
    }
  }

  private static func wrong(_ path: Sourced<String>) -> ConfigMistake {
    ConfigMistake(path.origin, "\(path.value) holds two lines, user: … and password: …, or one, token: …")
  }
}
