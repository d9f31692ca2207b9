internal import BatonConfig
internal import BatonCore

/// Goes through the tree of a file of expectations and finds out what it says. It goes on after a mistake, so that all
/// are told at once.
///
/// What a case has is read in `ExpectationReader+….swift`.
struct ExpectationReader: NodeReading {
  let path: String
  var mistakes: MistakeList
  /// What names can mean; known before the first case is read.
  var terrain: Terrain?

  static let keys = ["config", "expect"]
  static let caseKeys = [
    "name", "as", "send", "broadcast", "handlers", "result", "error", "asked", "told", "heard", "within_ms",
  ]

  init(path: String, mistakes: MistakeList) {
    self.path = path
    self.mistakes = mistakes
  }

  mutating func wrong(_ place: FilePlace, _ message: String) {
    mistakes.add(ConfigMistake(.file(path, place), message))
  }

  /// Ends the reading, with all that is wrong.
  private var failure: ConfigMistakes {
    do throws(ConfigMistakes) {
      try mistakes.tell()
    } catch {
      return error
    }
    return ConfigMistakes(all: [ConfigMistake(.whole(path), "the file says nothing")], untold: 0)
  }

  // MARK: The whole file

  mutating func readFile(
    _ root: Node?, config: String?
  ) throws(ConfigMistakes) -> (Configuration, [Expectation]) {
    guard let root else {
      if mistakes.isEmpty { wrong(FilePlace(line: 1, column: 1), "the file is empty") }
      throw failure
    }
    let members = members(of: root, "the file", keys: ExpectationReader.keys)
    // Without the configuration nobody knows what names mean.
    let configuration = try readConfiguration(members.first { $0.key == "config" }?.value, root, named: config)
    terrain = Terrain(configuration)
    var cases: [Expectation] = []
    if let list = members.first(where: { $0.key == "expect" })?.value {
      cases = readCases(list)
    } else if case .map(let all) = root.content, all.count == members.count {
      wrong(root.place, "the file expects nothing; write expect: and the cases below, each with \"- name:\"")
    }
    try mistakes.tell()
    return (configuration, cases)
  }

  private mutating func readConfiguration(
    _ node: Node?, _ root: Node, named path: String?
  ) throws(ConfigMistakes) -> Configuration {
    if let path { return try ExpectationReader.configuration(ConfigurationFile.read(at: path)) }
    guard let node else {
      wrong(root.place, "the file does not say what it tries; write config: and the configuration file")
      throw failure
    }
    if case .map = node.content {
      return try ExpectationReader.configuration(ConfigurationFile.read(node, path: self.path))
    }
    guard let name = text(node, "config") else { throw failure }
    return try ExpectationReader.configuration(ConfigurationFile.read(at: resolved(name)))
  }

  /// Where the server would listen, and whom it lets in there, does not matter here.
  private static func configuration(_ file: ConfigurationFile) throws(ConfigMistakes) -> Configuration {
    var (file, flags) = (file, Configuration.Flags())
    flags.isOpen = file.peersOrigin == nil
    if flags.isOpen { file.open = nil }
    return try Configuration(file: file, flags: flags)
  }

  /// A path in the file is relative to the file.
  private func resolved(_ other: String) -> String {
    guard !other.hasPrefix("/"), let slash = path.lastIndex(of: "/") else { return other }
    return path[...slash] + other
  }

  // MARK: Cases

  private mutating func readCases(_ list: Node) -> [Expectation] {
    guard let nodes = elements(of: list, "expect") else { return [] }
    if nodes.isEmpty { wrong(list.place, "expect is empty; write a case below, which begins with \"- name:\"") }
    var names: [String: FilePlace] = [:]
    return nodes.compactMap { node in
      guard let read = readCase(node) else { return nil }
      if let first = names[read.name] {
        wrong(read.place, "line \(first.line) has a case of that name already; give this one another name")
      }
      names[read.name] = read.place
      return read
    }
  }

  private mutating func readCase(_ node: Node) -> Expectation? {
    let members = members(of: node, "a case", keys: ExpectationReader.caseKeys)
    guard case .map = node.content else { return nil }
    var read = Expectation(name: "", place: node.place, message: SentMessage(kind: .send))
    if let name = members.first(where: { $0.key == "name" }) {
      read.place = name.place
      read.name = text(name.value, "name") ?? ""
    } else {
      wrong(node.place, "the case has no name; write name: and what it proves")
    }
    guard let message = readMessage(members, at: node.place) else { return nil }
    read.message = message
    for member in members { take(member, into: &read) }
    checkWhole(read, members)
    return read
  }

  private mutating func take(_ member: Node.Member, into read: inout Expectation) {
    switch member.key {
    case "as": read.sender = readSender(member.value) ?? .everything
    case "handlers": read.handlers = readHandlers(member.value, of: read.message)
    case "result": read.result = readResult(member.value)
    case "error": read.error = readError(member.value)
    case "asked": read.asked = readLinks(member.value, "asked", of: read)
    case "told": read.told = readLinks(member.value, "told", of: read)
    case "heard": read.heard = readHeard(member.value, of: read.message)
    case "within_ms":
      if let time = number(member.value, "within_ms") {
        read.withinMilliseconds = time
        if time < 0 { wrong(member.value.place, "within_ms is a time in milliseconds, from 0") }
      }
    default: break
    }
  }

  private mutating func checkWhole(_ read: Expectation, _ members: [Node.Member]) {
    let expected = members.filter { ["result", "error", "asked", "told", "heard", "within_ms"].contains($0.key) }
    if expected.isEmpty {
      wrong(read.place, "the case expects nothing; say what comes of it: result, error, asked, heard or within_ms")
    }
    if let error = members.first(where: { $0.key == "error" }), members.contains(where: { $0.key == "result" }) {
      wrong(error.place, "what is refused with an error has no result; leave one of them out")
    }
  }

  private mutating func readSender(_ node: Node) -> Sender? {
    guard let name = text(node, "as") else { return nil }
    guard let peers = terrain?.peers else {
      wrong(node.place, "the configuration file has no peers, so everybody may do everything; leave as out")
      return nil
    }
    let hasAnonymous = peers.contains(PeerEntry.anonymous)
    switch name {
    case "stranger" where hasAnonymous:
      wrong(node.place, "nobody is a stranger, for peers has an entry anonymous; write as: anonymous")
    case PeerEntry.anonymous where !hasAnonymous:
      wrong(node.place, "peers has no entry anonymous; who is not known is a stranger: write as: stranger")
    case "stranger": return .stranger
    case PeerEntry.anonymous: return .anonymous
    default:
      if peers.contains(name) { return .identity(name) }
      let nearest = nearestName(to: name, among: peers + [hasAnonymous ? PeerEntry.anonymous : "stranger"])
      let hint = nearest.map { "did you mean \"\($0)\"?" } ?? "its entries are: \(peers.joined(separator: ", "))"
      wrong(node.place, "peers has no entry \(quoted(name)); \(hint)")
    }
    return nil
  }

  private mutating func readError(_ node: Node) -> Sourced<String>? {
    guard let code = text(node, "error") else { return nil }
    guard ErrorCode(rawValue: code) != nil else {
      let nearest = nearestName(to: code, among: ErrorCode.allCases.map(\.rawValue))
      wrong(
        node.place,
        "there is no error \(quoted(code)); \(nearest.map { "did you mean \"\($0)\"?" } ?? "section 9 has them all")")
      return nil
    }
    return Sourced(code, from: .file(path, node.place))
  }
}
