import BatonConfig

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The file with the servers that have names: `baton/contexts.yaml` in the folder of this user's settings. Only `baton
/// context` writes it, and people.
///
/// Who could write it would say where this user's tokens go: so it is not read where others could.
struct ContextFile: Equatable {
  let path: String
  var contexts: [Context] = []
  /// The name of the context that counts where nobody names a server.
  var used: String?

  subscript(name: String) -> Context? { contexts.first { $0.name == name } }

  /// The path of the file; nil where the user has no folder. A folder that is named by a relative path does not count
  /// (XDG Base Directory).
  static var usualPath: String? {
    let settings = Environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    return (settings ?? Environment["HOME"].map { "\($0)/.config" }).map { "\($0)/baton/contexts.yaml" }
  }

  /// Reads the file; without one there are no contexts.
  static func read() throws(ContextTrouble) -> ContextFile {
    guard let path = usualPath else { return ContextFile(path: "") }
    return try read(at: path)
  }

  static func read(at path: String) throws(ContextTrouble) -> ContextFile {
    var facts = stat()
    guard stat(path, &facts) == 0 else {
      if errno == ENOENT || errno == ENOTDIR { return ContextFile(path: path) }
      throw ContextTrouble("\(path): the file cannot be read: \(String(cString: strerror(errno)))")
    }
    guard facts.st_mode & S_IFMT == S_IFREG else { throw ContextTrouble("\(path): this is no file of contexts") }
    for place in [folder(of: path), path] { try expectOwn(place) }
    return try ContextReader.file(Tree(at: path), path: path)
  }

  /// Throws where another user could write there.
  private static func expectOwn(_ path: String) throws(ContextTrouble) {
    var facts = stat()
    guard stat(path, &facts) == 0 else {
      throw ContextTrouble("\(path) cannot be read: \(String(cString: strerror(errno)))")
    }
    let user = geteuid()
    // Who is root by sudo may have the settings of another user.
    guard [user, 0].contains(facts.st_uid) else {
      throw ContextTrouble("\(path) belongs to another user, who could say where your tokens go; make one of your own")
    }
    guard facts.st_mode & 0o022 == 0 else {
      throw ContextTrouble("\(path) can be written by others, who could say where your tokens go: chmod go-w \(path)")
    }
  }

  static func folder(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
  }
}

/// What a file of contexts says, and what is wrong with it.
private struct ContextReader: NodeReading {
  let path: String
  var mistakes: MistakeList
  private var file: ContextFile

  private static let keys = [
    "server", "token_file", "tls_ca", "tls_certificate", "tls_key", "tls_pin", "plain_token",
  ]
  private static let synonyms = [
    "url": "server", "place": "server", "host": "server", "address": "server", "ca": "tls_ca",
    "cert": "tls_certificate", "certificate": "tls_certificate", "key": "tls_key", "pin": "tls_pin", "pins": "tls_pin",
  ]

  private init(_ path: String, _ mistakes: MistakeList) {
    (self.path, self.mistakes) = (path, mistakes)
    file = ContextFile(path: path)
  }

  static func file(_ tree: Tree, path: String) throws(ContextTrouble) -> ContextFile {
    var reader = ContextReader(path, tree.mistakes)
    if let root = tree.root { reader.read(root) }
    do throws(ConfigMistakes) { try reader.mistakes.tell() } catch { throw ContextTrouble(lines: error.lines) }
    return reader.file
  }

  mutating func wrong(_ place: FilePlace, _ message: String) {
    mistakes.add(ConfigMistake(.file(path, place), message))
  }

  private mutating func read(_ root: Node) {
    var use: Node?
    for member in members(of: root, "the file", keys: ["use", "contexts"], synonyms: ["current": "use"]) {
      if member.key == "use" { use = member.value } else { readContexts(member.value) }
    }
    guard let use, let name = text(use, "use") else { return }
    file.used = name
    if mistakes.isEmpty, file[name] == nil { wrong(use.place, "there is no context \(quoted(name))") }
  }

  private mutating func readContexts(_ node: Node) {
    for member in members(of: node, "contexts") {
      if let complaint = Context.complaint(name: member.key) {
        wrong(member.place, "the name of a context \(quoted(member.key)) \(complaint)")
      } else {
        readContext(member)
      }
    }
  }

  private mutating func readContext(_ named: Node.Member) {
    var context = Context(name: named.key, server: "")
    // Who writes it here means to be let in by it.
    if case .map(let all) = named.value.content, let token = all.first(where: { $0.key == "token" }) {
      return wrong(
        token.place,
        "a token does not stand here; write it into a file of its own (baton token NAME --out FILE), and name that: "
          + "token_file: FILE")
    }
    let what = "contexts.\(named.key)"
    for member in members(of: named.value, what, keys: Self.keys, synonyms: Self.synonyms) {
      switch member.key {
      case "server": context.server = text(member.value, "server").map { Context.wholePlaces($0, whole) } ?? ""
      case "token_file": context.tokenFile = path(member)
      case "tls_ca": context.ca = path(member)
      case "tls_certificate": context.certificate = path(member)
      case "tls_key": context.key = path(member)
      case "tls_pin": context.pins = oneOrMore(member.value).compactMap { text($0, "tls_pin") }
      default: context.plainToken = flag(member.value, "plain_token") ?? false
      }
    }
    if context.server.isEmpty, mistakes.isEmpty {
      wrong(named.place, "\(what) has no server; write server: HOST:PORT, tls:HOST:PORT or unix:PATH")
    }
    file.contexts.append(context)
  }

  private mutating func path(_ member: Node.Member) -> String? { text(member.value, member.key).map(whole) }

  /// A path of the file counts from the folder of the file.
  private func whole(_ name: String) -> String {
    name.hasPrefix("/") ? name : "\(ContextFile.folder(of: path))/\(name)"
  }
}
