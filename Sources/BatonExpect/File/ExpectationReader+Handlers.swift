internal import BatonConfig
internal import BatonCore

/// Reads `handlers`: how those who stand behind the links answer.
extension ExpectationReader {
  mutating func readHandlers(_ node: Node, of message: SentMessage) -> [ScriptedHandler] {
    var handlers: [ScriptedHandler] = []
    var places: [LinkName: FilePlace] = [:]
    for member in members(of: node, "handlers") {
      let answers = readAnswers(member.value)
      switch terrain?.find(member.key, from: message.chain) {
      case .nothing(let why): wrong(member.place, why)
      case .link(let link):
        if let first = places[link] {
          wrong(member.place, "\(link) answers already, as line \(first.line) says")
        }
        places[link] = member.place
        handlers.append(ScriptedHandler(link: link, answers: answers))
      case nil: break
      }
    }
    return handlers
  }

  private mutating func readAnswers(_ node: Node) -> [Answer] {
    guard case .list(let nodes) = node.content else { return readAnswer(node, isLast: true).map { [$0] } ?? [] }
    if nodes.isEmpty { wrong(node.place, "the list is empty; write what the handler does, or absent") }
    return nodes.enumerated().compactMap { at, node in readAnswer(node, isLast: at == nodes.count - 1) }
  }

  private mutating func readAnswer(_ node: Node, isLast: Bool) -> Answer? {
    guard case .map = node.content else {
      guard let word = choice(node, "an answer", of: Answer.Deed.allCases.map(\.rawValue)) else { return nil }
      return Answer.Deed(rawValue: word).flatMap { checked(Answer(deed: $0), at: node.place, isLast: isLast) }
    }
    let keys = Answer.Deed.allCases.map(\.rawValue)
    let members = members(of: node, "an answer", keys: ["after_ms"] + keys)
    let deeds = members.filter { keys.contains($0.key) }
    guard let member = deeds.first, let deed = Answer.Deed(rawValue: member.key), deeds.count == 1 else {
      let found = deeds.isEmpty ? "none" : deeds.map(\.key).joined(separator: " and ")
      wrong(node.place, "an answer is one of \(keys.joined(separator: ", ")); this has \(found)")
      return nil
    }
    var answer = Answer(deed: deed)
    if let after = members.first(where: { $0.key == "after_ms" }), let time = number(after.value, "after_ms") {
      answer.afterMilliseconds = time
      if !(0...86_400_000).contains(time) {
        wrong(after.value.place, "after_ms is a time in milliseconds, from 0 to 86400000, which is a day")
      }
    }
    if !member.value.isAbsent { answer.members = readMembers(member.value, of: deed) }
    return checked(answer, at: node.place, isLast: isLast)
  }

  private mutating func readMembers(_ node: Node, of deed: Answer.Deed) -> [(name: String, json: String)] {
    let what = "\(deed.rawValue)"
    if deed.members.isEmpty {
      if case .map(let members) = node.content, members.isEmpty { return [] }
      wrong(node.place, "\(what) says nothing more; leave out what stands behind it")
      return []
    }
    let parts = members(of: node, what, keys: deed.members)
    refuseTwice(parts, "payload")
    return parts.compactMap { part in
      if part.key == "message" {
        return text(part.value, part.key).map { (part.key, JSONValue.text($0).spelling) }
      }
      return readJSON(part)
    }
  }

  /// An answer after which nothing more can come is the last one.
  private mutating func checked(_ answer: Answer, at place: FilePlace, isLast: Bool) -> Answer {
    switch answer.deed {
    case .absent where !isLast && answer.afterMilliseconds == 0:
      wrong(place, "it would be absent for ever; say for how long, as in { after_ms: 500, absent: }")
    case .absent where isLast && answer.afterMilliseconds > 0:
      wrong(place, "it comes after that time; say in a list what it does then, or leave after_ms out")
    case .hangs where answer.afterMilliseconds > 0:
      wrong(place, "hangs is no answer at any time; leave after_ms out")
    case .working where isLast:
      wrong(place, "working is no verdict yet; write in a list what follows it, or hangs")
    default: break
    }
    return answer
  }
}
