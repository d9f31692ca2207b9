internal import BatonConfig
internal import BatonCore

/// Goes through the tree of a file of rules and finds out what it says. It goes on after a mistake, so that all are told
/// at once.
///
/// What a rule asks beyond names is read in `RulesReader+Demands.swift`.
struct RulesReader: NodeReading {
  let path: String
  var mistakes: MistakeList

  static let verdicts = ["allow", "ask", "refuse"]
  static let keys = ["agent", "server", "tool", "words", "inside", "contains", "when"] + verdicts
  /// What people write for keys, beside typing errors.
  private static let synonyms = [
    "deny": "refuse", "reject": "refuse", "block": "refuse", "permit": "allow", "approve": "ask", "agents": "agent",
    "servers": "server", "mcp": "server", "tools": "tool", "name": "tool", "command": "words", "path": "inside",
    "folder": "inside", "matches": "contains",
  ]

  init(path: String, mistakes: MistakeList) { (self.path, self.mistakes) = (path, mistakes) }

  mutating func wrong(_ place: FilePlace, _ message: String) {
    mistakes.add(ConfigMistake(.file(path, place), message))
  }

  mutating func readFile(_ root: Node?) -> [Rule] {
    guard let root else {
      if mistakes.isEmpty { wrong(FilePlace(line: 1, column: 1), "the file is empty; it begins with rules:") }
      return []
    }
    let members = members(of: root, "the file", keys: ["rules"], synonyms: ["policy": "rules", "rule": "rules"])
    guard let list = members.first?.value else {
      if case .map(let all) = root.content, all.isEmpty { wrong(root.place, "the file has no rules; write rules:") }
      return []
    }
    return (elements(of: list, "rules") ?? []).compactMap { rule($0) }
  }

  // MARK: One rule

  private mutating func rule(_ node: Node) -> Rule? {
    let members = members(of: node, "a rule", keys: RulesReader.keys, synonyms: RulesReader.synonyms)
    let before = mistakes.count
    let verdict = verdict(members, of: node)
    var demands = Rule.Demands()
    var (agents, servers, tools): ([NamePattern]?, [NamePattern]?, [NamePattern]?)
    for member in members {
      switch member.key {
      case "agent": agents = names(member)
      case "server": servers = names(member)
      case "tool": tools = names(member)
      case "words": demands.words = commands(member.value)
      case "inside": demands.inside = byArgument(member) { $0.folder($1) }
      case "contains":
        if verdict == .allow {
          wrong(
            member.place, "contains cannot allow: what it looks for can be written in another way; use words or inside")
        }
        demands.contains = byArgument(member) { $0.text($1, "contains") }
      case "when": demands.when = payloadCondition(member.value)
      default: break
      }
    }
    if tools == nil, isWhole(node, members), !members.contains(where: { $0.key == "tool" }) {
      wrong(node.place, "a rule says which tools it is about; write tool: and their names, or tool: ['*'] for all")
    }
    guard mistakes.count == before, let verdict, let tools else { return nil }
    do throws(ConditionFault) {
      let arguments = demands.names.isEmpty ? nil : try ArgumentFinder(demands.names)
      return Rule(
        place: node.place, verdict: verdict, agents: agents, servers: servers, tools: tools,
        who: try RulesReader.who(agents, servers, tools), demands: demands, arguments: arguments)
    } catch {
      wrong(node.place, "the rule asks what no condition can ask: \(error.words)")
      return nil
    }
  }

  /// What becomes of a call: it stands last, so that a file that was cut off has no rule without its end.
  private mutating func verdict(_ members: [Node.Member], of node: Node) -> Rule.Verdict? {
    let all = members.filter { RulesReader.verdicts.contains($0.key) }
    guard let member = all.first else {
      if isWhole(node, members) {
        wrong(node.place, "the rule decides nothing; end it with allow: true, ask: true or refuse: WORDS")
      }
      return nil
    }
    if all.count > 1 { wrong(all[1].place, "a rule decides once, and \(member.key) stands here already") }
    if members.last?.key != member.key, all.count == 1 {
      wrong(
        member.place,
        "\(member.key) stands last in a rule: what stands behind it would be lost in a file that was cut off")
    }
    if member.key == "refuse" {
      guard let words = text(member.value, "refuse") else { return nil }
      if ["true", "false"].contains(words) {
        wrong(member.value.place, "refuse has the words that the agent gets; write refuse: WORDS")
      }
      return .refuse(words)
    }
    guard let isOn = flag(member.value, member.key) else { return nil }
    guard isOn else {
      wrong(member.value.place, "\(member.key) is true; to say no, write refuse: WORDS, or leave the rule out")
      return nil
    }
    return member.key == "allow" ? .allow : .ask
  }

  /// Whether it is a map of which all keys are known: then nothing else stands for what is missing.
  private func isWhole(_ node: Node, _ members: [Node.Member]) -> Bool {
    if case .map(let all) = node.content { all.count == members.count } else { false }
  }

  /// Whose tools a rule is about, as a condition.
  private static func who(
    _ agents: [NamePattern]?, _ servers: [NamePattern]?, _ tools: [NamePattern]
  ) throws(ConditionFault) -> Condition {
    func list(_ names: [NamePattern]) -> String { "[\(names.map(\.json).joined(separator: ","))]" }
    // The server of a tool may not be told: then it is null.
    let server = servers.map { list($0).dropLast() + ($0.contains(.any) ? ",null]" : "]") } ?? #"[{"exists":false}]"#
    let agent = agents.map { "\"agent\":\(list($0))," } ?? ""
    let json = "{\"payload\":{\(agent)\"server\":\(server),\"tool\":\(list(tools))}}"
    return try Condition.read(json: Array(json.utf8), identity: false)
  }

  // MARK: Names

  private mutating func names(_ member: Node.Member) -> [NamePattern]? {
    let nodes = oneOrMore(member.value)
    if nodes.isEmpty { wrong(member.value.place, "\(member.key) is an empty list, which nothing fits") }
    let names = nodes.compactMap { node in
      let name = name(node, member.key)
      if let name, let complaint = RulesReader.complaint(about: name, member.key) { wrong(node.place, complaint) }
      return name
    }
    return names.isEmpty ? nil : names
  }

  /// What no question of `baton hook` has: agents in capitals, and the server of a tool in the name of the tool.
  private static func complaint(about name: NamePattern, _ key: String) -> String? {
    switch (key, name) {
    case ("agent", .text(let text)) where !agents.contains(text) && agents.contains(text.lowercased()):
      "agents are written in small letters: \(text.lowercased())"
    case ("tool", .text(let text)) where text.hasPrefix("mcp__"),
      ("tool", .prefix(let text)) where text.hasPrefix("mcp__"):
      "a tool of an MCP server has its server beside it; write server: [github], tool: [get_issue]"
    default: nil
    }
  }

  private static let agents = ["claude", "codex", "cursor", "copilot", "gemini"]

  private mutating func name(_ node: Node, _ key: String) -> NamePattern? {
    if case .map = node.content {
      let members = members(of: node, "a part of a name", keys: ["prefix", "suffix"])
      guard members.count == 1, let member = members.first else {
        if members.count > 1 { wrong(node.place, "write prefix or suffix, and not both") }
        return nil
      }
      return text(member.value, member.key).map { member.key == "prefix" ? .prefix($0) : .suffix($0) }
    }
    guard let text = text(node, key) else { return nil }
    if text == "*" { return .any }
    guard !text.contains("*") else {
      wrong(node.place, "* stands alone here, for any; for a part of a name write { prefix: … } or { suffix: … }")
      return nil
    }
    return .text(text)
  }
}
