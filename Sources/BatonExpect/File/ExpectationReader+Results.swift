internal import BatonConfig
internal import BatonCore

/// Reads what is to come of a message: `result`, `asked`, `told`, `heard`.
extension ExpectationReader {
  private static let statuses = ["handled", "unhandled", "rejected", "failed", "timeout", "published"]
  private static let causes = Cause.allCases.map { "\($0.spelling)" }
  static let resultKeys = [
    "status", "by", "cause", "message", "code", "payload", "payload_json", "hops", "delivered", "again", "failures",
    "more_failures", "results", "truncated", "hidden",
  ]
  private static let failureKeys = ["by", "chain", "cause", "message"]
  private static let answerKeys = ["by", "payload", "payload_json"]
  private static let eventKeys = ["payload", "payload_json", "meta", "meta_json", "from"]

  mutating func readResult(_ node: Node) -> [ExpectedMember] {
    readExpected(node, "result", keys: ExpectationReader.resultKeys)
  }

  private mutating func readExpected(_ node: Node, _ what: String, keys: [String]) -> [ExpectedMember] {
    let parts = members(of: node, what, keys: keys)
    if parts.isEmpty, case .map(let all) = node.content, all.isEmpty {
      wrong(node.place, "\(what) is empty; name the members that count")
    }
    return parts.compactMap { part in
      readExpectedValue(part).map { ExpectedMember(name: part.key, value: $0) }
    }
  }

  private mutating func readExpectedValue(_ part: Node.Member) -> ExpectedMember.Value? {
    switch part.key {
    case "status": choice(part.value, part.key, of: ExpectationReader.statuses).map { .json(.text($0)) }
    case "cause": choice(part.value, part.key, of: ExpectationReader.causes).map { .json(.text($0)) }
    case "by", "message", "chain", "from": text(part.value, part.key).map { .json(.text($0)) }
    case "hops", "delivered": number(part.value, part.key).map { .json(.number("\($0)")) }
    case "again", "more_failures", "truncated", "hidden": flag(part.value, part.key).map { .json(.flag($0)) }
    case "payload_json", "meta_json": spelledJSON(part).map { .bytes($0) }
    case "failures": readList(part, keys: ExpectationReader.failureKeys)
    case "results": readList(part, keys: ExpectationReader.answerKeys)
    default: json(part.value).map { .json($0) }
    }
  }

  private mutating func readList(_ part: Node.Member, keys: [String]) -> ExpectedMember.Value? {
    elements(of: part.value, part.key).map { nodes in
      .list(nodes.map { readExpected($0, "an element of \(part.key)", keys: keys) })
    }
  }

  // MARK: Who is asked

  mutating func readLinks(_ node: Node, _ what: String, of read: Expectation) -> [ExpectedLink]? {
    guard let nodes = elements(of: node, what) else { return nil }
    return nodes.compactMap { node in
      guard let name = text(node, what) else { return nil }
      switch terrain?.find(name, from: read.message.chain) {
      case .link(let link):
        return ExpectedLink(chain: name.contains("/") ? link.chain : nil, name: link.name)
      case .nothing(let why): wrong(node.place, why)
      case nil: break
      }
      return nil
    }
  }

  // MARK: Who hears it

  mutating func readHeard(_ node: Node, of message: SentMessage) -> Heard? {
    if message.kind == .send {
      wrong(node.place, "nobody hears what is sent down a chain; heard is for broadcast")
      return nil
    }
    if case .map = node.content {
      return .event(readExpected(node, "heard", keys: ExpectationReader.eventKeys))
    }
    return flag(node, "heard").map { $0 ? .event([]) : .nothing }
  }
}
