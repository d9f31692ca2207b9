internal import BatonConfig
internal import BatonCore

/// What a rule asks of the arguments.
extension RulesReader {
  /// `words`: a list of commands, each a list of words.
  mutating func commands(_ node: Node) -> [CommandPattern]? {
    guard let lists = elements(of: node, "words") else { return nil }
    if lists.isEmpty { wrong(node.place, "words is an empty list, which no command fits") }
    return lists.compactMap { node in
      guard case .list(let words) = node.content else {
        if !node.isBroken { wrong(node.place, "words is a list of commands, each of them a list: [[git, status]]") }
        return nil
      }
      return command(words, at: node.place)
    }
  }

  private mutating func command(_ words: [Node], at place: FilePlace) -> CommandPattern? {
    if words.isEmpty { wrong(place, "a command has at least one word") }
    var pattern = CommandPattern()
    for (number, node) in words.enumerated() {
      guard let word = text(node, "a word of a command") else { return nil }
      switch word {
      case "*": pattern.words.append(.noOption)
      case "-*": pattern.words.append(.any)
      case "...", "-...":
        guard number == words.count - 1, number > 0 else {
          wrong(node.place, "\(quoted(word)) stands last, behind a word")
          return nil
        }
        pattern.rest = word == "..." ? .noOptions : .anything
      default:
        guard CommandPattern.isPlain(Array(word.utf8)[...]), number > 0 || !word.contains("=") else {
          wrong(
            node.place,
            "\(quoted(word)) is no plain word, and fits no command: a word has letters, digits and _ . / : , + @ = -, "
              + "does not begin with =, and the first one has no =")
          return nil
        }
        pattern.words.append(.text(word))
      }
    }
    return pattern
  }

  /// `inside` and `contains`: texts by the name of an argument.
  mutating func byArgument(
    _ member: Node.Member, _ read: (inout RulesReader, Node) -> String?
  ) -> [String: [String]] {
    let members = members(of: member.value, member.key)
    if case .map = member.value.content, members.isEmpty {
      wrong(member.value.place, "\(member.key) names no argument; write { ARGUMENT: [ … ] }")
    }
    var all: [String: [String]] = [:]
    for one in members {
      let texts = oneOrMore(one.value)
      if texts.isEmpty { wrong(one.value.place, "an empty list, which nothing fits") }
      all[one.key] = texts.compactMap { read(&self, $0) }
    }
    return all
  }

  /// A folder by its whole path.
  mutating func folder(_ node: Node) -> String? {
    guard let text = text(node, "a folder") else { return nil }
    guard Path.isPlain(Array(text.utf8)) else {
      let hint = text.hasPrefix("/") ? "without //, . and .., and without / at its end" : "from / on"
      wrong(node.place, "a folder is a whole path, \(hint); \(quoted(text)) is none")
      return nil
    }
    return text
  }

  /// `when`: a condition that looks at the payload alone.
  mutating func payloadCondition(_ node: Node) -> LinkCondition? {
    if case .map(let members) = node.content, members.isEmpty {
      wrong(node.place, "when asks nothing; leave it out")
    }
    guard let when = condition(node) else { return nil }
    let others: [Condition.MessagePart] = [.meta, .topic, .key, .identity]
    if let other = others.first(where: { when.condition.asks($0) }) {
      wrong(node.place, "when: a rule sees the payload alone, and not \(other)")
      return nil
    }
    return when
  }
}
