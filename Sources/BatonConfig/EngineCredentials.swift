internal import BatonRecord

/// By what a node shows NATS who it is: read from a file that its user alone may read.
public enum EngineCredentials: Sendable {
  /// A user and a password.
  case user(String, password: String)
  /// A token.
  case token(String)
  /// The seed of a key, and perhaps what somebody whom NATS knows has signed of it (JWT).
  case key(seed: String, proof: String?)

  private static let mostBytes = 16_384

  /// Reads the file. Throws what is wrong with it, and nothing of what it says.
  public init(_ path: Sourced<String>) throws(ConfigMistake) {
    let bytes = try FileBytes.read(
      path.value, .anything, named: "the file \(path.value)", atMost: Self.mostBytes, origin: path.origin)
    if let complaint = SecretFile.complaint(of: path.value) { throw ConfigMistake(path.origin, complaint) }
    if let seed = Self.part("USER NKEY SEED", of: bytes), let proof = Self.part("NATS USER JWT", of: bytes) {
      self = .key(seed: seed, proof: proof)
      return
    }
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
    case ["nkey"]: self = .key(seed: texts["nkey"] ?? "", proof: nil)
    default: throw Self.wrong(path)
    }
  }

  /// What stands between two lines of a `.creds` file of NATS; nil if it has none of that name.
  private static func part(_ name: String, of bytes: [UInt8]) -> String? {
    let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).map {
      $0.filter { $0 != " " }
    }
    let mark = name.filter { $0 != " " }
    guard let begin = lines.firstIndex(where: { $0.hasPrefix("-") && $0.contains("BEGIN" + mark) }),
      lines.indices.contains(begin + 1), !lines[begin + 1].hasPrefix("-")
    else { return nil }
    return lines[begin + 1]
  }

  private static func wrong(_ path: Sourced<String>) -> ConfigMistake {
    ConfigMistake(
      path.origin,
      "\(path.value) holds two lines, user: … and password: …, or one, token: … or nkey: …, or is a .creds file")
  }
}
