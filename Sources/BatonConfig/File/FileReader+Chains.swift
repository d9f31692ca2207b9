internal import BatonCore

/// Reads `chains`: which links stand in which order.
extension FileReader {
  static let chainKeys = ["links", "open"]
  static let linkKeys = [
    "handler", "mount", "accepts", "timeout_ms", "window", "on_failure", "share", "hold_ms", "required", "shadow",
    "percent", "when", "together",
  ]
  private static let mountKeys = ["accepts", "percent", "when", "together"]
  /// What people write for keys, beside typing errors.
  private static let chainSynonyms = ["handlers": "links", "steps": "links", "closed": "open", "exclusive": "open"]
  private static let linkSynonyms = [
    "name": "handler", "link": "handler", "chain": "mount", "topics": "accepts", "topic": "accepts",
    "patterns": "accepts", "pattern": "accepts", "on": "accepts", "onerror": "on_failure", "onfail": "on_failure",
    "hold": "hold_ms", "wait": "hold_ms", "waitms": "hold_ms", "mandatory": "required", "guard": "required",
    "copy": "shadow", "parallel": "share", "concurrency": "window", "deadline": "timeout_ms", "weight": "percent",
    "sample": "percent", "canary": "percent", "if": "when", "condition": "when", "filter": "when", "match": "when",
    "stage": "together", "atonce": "together", "fanout": "together",
  ]
  /// The links that a chain may have, and all chains of the file together.
  static let mostLinks = 1000
  static let mostLinksOfAll = 4096

  mutating func readChains(_ member: Node.Member) {
    file.chainsOrigin = origin(member.place)
    var room = FileReader.mostLinksOfAll
    file.chains = members(of: member.value, "chains").map { readChain($0, room: &room) }
  }

  private mutating func readChain(_ member: Node.Member, room: inout Int) -> ChainEntry {
    var chain = ChainEntry(name: member.key, origin: origin(member.place))
    let what = "the chain \(quoted(member.key))"
    if let complaint = BatonCore.complaint(name: member.key) {
      wrong(member.place, "the name of \(what) \(complaint)")
    }
    if case .list = member.value.content {
      wrong(member.value.place, "\(what) is a map, and a list stands here; write links: in front of it")
      return chain
    }
    let known = members(of: member.value, what, keys: FileReader.chainKeys, synonyms: FileReader.chainSynonyms)
    for member in known {
      if member.key == "links" {
        chain.links = links(member.value, of: what, room: &room)
      } else if let flag = flag(member.value, "open") {
        chain.open = Sourced(flag, from: origin(member.value.place))
      }
    }
    if case .map(let all) = member.value.content, all.count == known.count,
      !known.contains(where: { $0.key == "links" })
    {
      wrong(member.place, "\(what) does not say its links; add links, and links: [] for none")
    }
    return chain
  }

  private mutating func links(_ node: Node, of chain: String, room: inout Int) -> [LinkEntry] {
    if case .map = node.content {
      wrong(node.place, "links is a list, for its order counts, and a map stands here; write - handler: NAME for each")
      return []
    }
    var places: [String: FilePlace] = [:]
    var links: [LinkEntry] = []
    for node in elements(of: node, "links") ?? [] {
      guard places.count < FileReader.mostLinks else {
        wrong(node.place, "\(chain) has more than \(FileReader.mostLinks) links; use a mount for a part of them")
        break
      }
      guard room > 0 else {
        wrong(node.place, "all chains together have more than \(FileReader.mostLinksOfAll) links; take some out")
        break
      }
      room -= 1
      guard let entry = link(node) else { continue }
      guard case .file(_, let place) = entry.nameOrigin else { continue }
      if let first = places[entry.link.name] {
        let name = quoted(entry.link.name)
        wrong(place, "\(chain) has a link \(name) already, in line \(first.line); a name stands once in a chain")
        continue
      }
      places[entry.link.name] = place
      links.append(entry)
    }
    return links
  }

  /// One link; nil if nobody knows its name. What else is wrong with it is told all the same.
  private mutating func link(_ node: Node) -> LinkEntry? {
    if case .text(let text) = node.content, BatonCore.complaint(name: text.string) == nil {
      wrong(node.place, "a link is a map, and a text stands here; write { handler: \(text.string) }")
      return nil
    }
    let members = members(of: node, "a link", keys: FileReader.linkKeys, synonyms: FileReader.linkSynonyms)
    guard case .map(let all) = node.content else { return nil }
    let names = members.filter { $0.key == "handler" || $0.key == "mount" }
    if names.isEmpty, all.count == members.count {
      wrong(node.place, "a link has handler or mount, with a name; this one has neither")
    } else if names.count == 2 {
      wrong(names[1].place, "a link has handler or mount, and this one has both; make two links of it")
    }
    var entry = LinkEntry(DeclaredLink(""), origin: origin(node.place))
    entry.link.isMount = names.first?.key == "mount"
    for member in members where member.key != "handler" && member.key != "mount" {
      if entry.link.isMount, names.count == 1, !FileReader.mountKeys.contains(member.key) {
        wrong(
          member.place,
          "\(member.key) is for a handler, and a mount has accepts, percent, when and together only; leave it out")
        continue
      }
      if !entry.link.isMount, names.count == 1, member.key == "together" {
        wrong(member.place, "together is for a mount: the links of that chain are asked at once; leave it out")
        continue
      }
      entry.origins[member.key] = origin(member.value.place)
      readSetting(member, of: &entry.link)
    }
    guard let first = names.first, let name = text(first.value, first.key) else { return nil }
    if let complaint = BatonCore.complaint(name: name) {
      wrong(first.value.place, "the name \(quoted(name)) \(complaint)")
      return nil
    }
    entry.link.name = name
    entry.nameOrigin = origin(first.value.place)
    return entry
  }

  private mutating func readSetting(_ member: Node.Member, of link: inout DeclaredLink) {
    let (key, node) = (member.key, member.value)
    switch key {
    case "accepts": if let patterns = patterns(node) { link.accepts = patterns }
    case "timeout_ms": link.timeoutMilliseconds = number(node, key, in: MemberRange.timeoutMilliseconds)
    case "window": link.window = number(node, key, in: MemberRange.window)
    case "hold_ms": link.holdMilliseconds = number(node, key, in: MemberRange.holdMilliseconds) ?? 0
    case "on_failure": if let policy = policy(node) { link.onFailure = policy }
    case "share": link.isShared = flag(node, key) ?? false
    case "required": link.isRequired = flag(node, key) ?? false
    case "when": link.when = condition(node)
    case "together": link.isTogether = flag(node, key) ?? false
    case "percent": link.percent = number(node, key, in: MemberRange.percent) ?? 100
    default: link.isShadow = flag(node, key) ?? false
    }
  }

  mutating func number(_ node: Node, _ key: String, in range: ClosedRange<Int64>) -> Int? {
    guard let number = number(node, key) else { return nil }
    if range.contains(Int64(number)) { return number }
    wrong(node.place, "\(key) must be from \(range.lowerBound) to \(range.upperBound), not \(number)")
    return nil
  }

  private mutating func patterns(_ node: Node) -> [String]? {
    guard let nodes = elements(of: node, "accepts") else { return nil }
    if nodes.isEmpty {
      wrong(node.place, "accepts is empty; name at least one pattern, or leave it out for every topic")
      return nil
    }
    if nodes.count > MemberRange.patterns {
      wrong(nodes[MemberRange.patterns].place, "accepts has more than \(MemberRange.patterns) patterns; take some out")
      return nil
    }
    var patterns: [String] = []
    for node in nodes {
      guard let text = text(node, "a pattern of accepts") else { continue }
      if let complaint = BatonCore.complaint(pattern: text) {
        wrong(node.place, "the pattern \(quoted(text)) \(complaint)")
      } else {
        patterns.append(text)
      }
    }
    return patterns
  }

  // MARK: on_failure

  private mutating func policy(_ node: Node) -> FailurePolicy? {
    guard case .map = node.content else { return stops(node, "on_failure").map { $0 ? .stop : .goOn } }
    var policy = FailurePolicy.goOn
    let causes = Cause.allCases.map { "\($0.spelling)" }
    for member in members(of: node, "on_failure", keys: causes) {
      for cause in Cause.allCases where "\(cause.spelling)" == member.key {
        policy[cause] = stops(member.value, member.key) ?? false
      }
    }
    return policy
  }

  /// Whether a word means that a failure ends the walk; nil if it is none, which is told.
  private mutating func stops(_ node: Node, _ key: String) -> Bool? {
    guard let text = text(node, key) else { return nil }
    if text == "stop" { return true }
    if text == "continue" { return false }
    let synonyms = [
      "fail": "stop", "failed": "stop", "reject": "stop", "abort": "stop", "block": "stop", "true": "stop",
      "skip": "continue", "ignore": "continue", "pass": "continue", "next": "continue", "false": "continue",
    ]
    let meant = meantName(text, among: ["continue", "stop"], synonyms: synonyms)
    let hint = meant.map { "did you mean \"\($0)\"?" } ?? "a map may give one of them for each cause"
    wrong(node.place, "\(key) is continue or stop, not \(quoted(text)); \(hint)")
    return nil
  }
}
