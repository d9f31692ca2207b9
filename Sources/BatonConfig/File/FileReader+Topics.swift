internal import BatonCore

/// Reads `topics`: of which topics events are kept.
extension FileReader {
  static let topicKeys = ["pattern", "keep", "keep_ms"]
  /// What people write for keys, beside typing errors.
  private static let topicSynonyms = [
    "topic": "pattern", "topics": "pattern", "name": "pattern", "count": "keep", "events": "keep", "max": "keep",
    "last": "keep", "age": "keep_ms", "ttl": "keep_ms", "ttl_ms": "keep_ms", "max_age_ms": "keep_ms",
  ]

  mutating func readTopics(_ node: Node) {
    var places: [String: FilePlace] = [:]
    for node in elements(of: node, "topics") ?? [] {
      guard file.topics.count < KeptTopics.most else {
        wrong(node.place, "topics has more than \(KeptTopics.most) entries; write fewer, with wider patterns")
        return
      }
      guard let (pattern, entry) = topics(node) else { continue }
      if let first = places[pattern] {
        wrong(node.place, "line \(first.line) has the pattern \(quoted(pattern)) already; the first entry counts")
        continue
      }
      places[pattern] = node.place
      file.topics.append(Sourced(entry, from: origin(node.place)))
    }
  }

  /// One entry; nil if it has no pattern or no number. What else is wrong with it is told all the same.
  private mutating func topics(_ node: Node) -> (pattern: String, entry: KeptTopics)? {
    let members = members(
      of: node, "an entry of topics", keys: FileReader.topicKeys, synonyms: FileReader.topicSynonyms)
    guard case .map(let all) = node.content else { return nil }
    var pattern: String?
    var (keep, keepMilliseconds): (Int?, Int?)
    for member in members {
      switch member.key {
      case "pattern": pattern = topicPattern(member.value)
      case "keep": keep = topicNumber(member, in: KeptTopics.keepRange)
      default: keepMilliseconds = topicNumber(member, in: KeptTopics.keepMillisecondsRange)
      }
    }
    if all.count == members.count {
      for key in ["pattern", "keep"] where !members.contains(where: { $0.key == key }) {
        wrong(node.place, "an entry of topics needs \(key), as in { pattern: chat.>, keep: 1000 }")
      }
    }
    guard let pattern, let keep else { return nil }
    return (pattern, KeptTopics(pattern: Array(pattern.utf8), keep: keep, keepMilliseconds: keepMilliseconds))
  }

  private mutating func topicPattern(_ node: Node) -> String? {
    guard let text = text(node, "pattern") else { return nil }
    if let complaint = BatonCore.complaint(pattern: text) {
      wrong(node.place, "the pattern \(quoted(text)) \(complaint)")
      return nil
    }
    guard !text.hasPrefix("$") else {
      wrong(node.place, "the pattern \(quoted(text)) is for the server's own topics, which are never kept")
      return nil
    }
    return text
  }

  private mutating func topicNumber(_ member: Node.Member, in range: ClosedRange<Int>) -> Int? {
    guard let number = number(member.value, member.key) else { return nil }
    if range.contains(number) { return number }
    wrong(member.value.place, "\(member.key) must be from \(range.lowerBound) to \(range.upperBound), not \(number)")
    return nil
  }
}
