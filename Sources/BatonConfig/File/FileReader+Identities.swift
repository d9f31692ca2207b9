internal import BatonCore

/// By what a peer is known, as far as the file was read: each belongs to one entry.
struct KnownIdentities {
  var tokens: [TokenDigest: Owner] = [:]
  var certificates: [String: Owner] = [:]
  var users: [SystemUser: Owner] = [:]

  /// Whose it is, and where that stands.
  struct Owner {
    let name: String
    let place: FilePlace
  }
}

/// Reads by what a peer is known: tokens, names of certificates, users.
extension FileReader {
  mutating func tokens(_ node: Node, of peer: String) -> [Sourced<TokenDigest>] {
    signs(node, "token") { (reader, text, node) in
      guard let digest = TokenDigest(spelling: text) else {
        reader.wrong(node.place, FileReader.complaint(token: text))
        return nil
      }
      guard reader.isFree(reader.known.tokens[digest], "this token", at: node.place) else { return nil }
      reader.known.tokens[digest] = KnownIdentities.Owner(name: peer, place: node.place)
      return digest
    }
  }

  /// What to say about a token that is none. It may be a secret, so nothing of it is told.
  private static func complaint(token text: String) -> String {
    if text.hasPrefix(Token.prefix) {
      return
        "a token itself stands here, and everybody who reads the file has it now; make a new one with baton token, "
        + "and write its sha256: line"
    }
    return "a token is sha256: and 64 digits from 0 to f, as baton token NAME prints them"
  }

  mutating func certificates(_ node: Node, of peer: String) -> [Sourced<String>] {
    signs(node, "certificate") { (reader, text, node) in
      if let complaint = FileReader.complaint(certificate: text) {
        reader.wrong(node.place, complaint)
        return nil
      }
      let name = text.lowercased()
      guard reader.isFree(reader.known.certificates[name], "this name", at: node.place) else { return nil }
      reader.known.certificates[name] = KnownIdentities.Owner(name: peer, place: node.place)
      return name
    }
  }

  private static func complaint(certificate text: String) -> String? {
    let kind = text.prefix { $0 != ":" }.lowercased()
    guard kind == "dns" || kind == "uri", text.contains(":") else {
      return "\(quoted(text)) is no name of a certificate; write dns:HOST or uri:URI, as in dns:web.example"
    }
    let name = text.utf8.dropFirst(kind.utf8.count + 1)
    if name.isEmpty { return "\(kind): needs a name after it, as in dns:web.example" }
    if !name.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) || name.count > 1024 {
      return "\(quoted(text)) has characters that no certificate has: spaces, or others than ASCII's"
    }
    return nil
  }

  mutating func users(_ node: Node, of peer: String) -> [Sourced<SystemUser>] {
    signs(node, "user") { (reader, text, node) in
      guard let user = reader.user(text, at: node.place) else { return nil }
      let key = reader.number(of: user)
      guard reader.isFree(reader.known.users[key], "this user", at: node.place) else { return nil }
      reader.known.users[key] = KnownIdentities.Owner(name: peer, place: node.place)
      return user
    }
  }

  private mutating func user(_ text: String, at place: FilePlace) -> SystemUser? {
    if text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      // The largest number means nobody.
      if let number = UInt32(text), number < .max { return .numbered(number) }
      wrong(place, "\(quoted(text)) is not the number of a user")
      return nil
    }
    guard text.utf8.count <= 255, text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F && $0 != 0x3A && $0 != 0x2F }) else {
      wrong(place, "\(quoted(text)) is not the name of a user; it has no spaces, colons or slashes")
      return nil
    }
    return .named(text)
  }

  /// The user's number, where the system knows the name: a name and a number may mean the same user.
  private func number(of user: SystemUser) -> SystemUser {
    guard case .named(let name) = user, let number = userNumber(name) else { return user }
    return .numbered(number)
  }

  // MARK: One or several

  private mutating func signs<Value>(
    _ node: Node, _ what: String, _ read: (inout FileReader, String, Node) -> Value?
  ) -> [Sourced<Value>] {
    let nodes = oneOrMore(node)
    if nodes.isEmpty { wrong(node.place, "\(what) is an empty list; leave it out, or name one") }
    var values: [Sourced<Value>] = []
    for node in nodes {
      guard let text = text(node, what), let value = read(&self, text, node) else { continue }
      values.append(Sourced(value, from: origin(node.place)))
    }
    return values
  }

  /// Whether nobody has it yet; if somebody has, it is told.
  private mutating func isFree(_ owner: KnownIdentities.Owner?, _ what: String, at place: FilePlace) -> Bool {
    guard let owner else { return true }
    wrong(place, "\(what) is \(owner.name)'s already, in line \(owner.place.line); it can name one peer only")
    return false
  }
}
