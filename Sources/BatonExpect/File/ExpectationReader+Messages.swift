internal import BatonConfig
internal import BatonCore

/// Reads what is sent: `send` or `broadcast`, in the words of the wire.
extension ExpectationReader {
  private static let sendKeys = [
    "topic", "chain", "payload", "payload_json", "meta", "meta_json", "mode", "key", "timeout_ms",
  ]
  private static let broadcastKeys = [
    "topic", "via", "payload", "payload_json", "meta", "meta_json", "key", "timeout_ms",
  ]
  /// Members of a durable message: cases play one walk, and no store.
  private static let durableKeys = ["durable", "once", "tries", "retry_ms", "expires_ms", "delay_ms"]
  private static let modes = ["first", "all", "notify"]

  mutating func readMessage(_ members: [Node.Member], at place: FilePlace) -> SentMessage? {
    let found = members.filter { SentMessage.Kind(rawValue: $0.key) != nil }
    guard let member = found.first, let kind = SentMessage.Kind(rawValue: member.key), found.count == 1 else {
      wrong(
        found.last?.place ?? place,
        found.isEmpty ? "the case sends nothing; write send: or broadcast:" : "a case has one of send and broadcast")
      return nil
    }
    var message = SentMessage(kind: kind)
    if kind == .send { message.chain = "main" }
    let keys =
      kind == .send ? ExpectationReader.sendKeys + ExpectationReader.durableKeys : ExpectationReader.broadcastKeys
    let parts = withoutDurable(self.members(of: member.value, member.key, keys: keys))
    for part in parts { take(part, into: &message) }
    if case .map = member.value.content, !parts.contains(where: { $0.key == "topic" }) {
      wrong(member.place, "\(member.key) needs a topic")
    }
    refuseTwice(parts, "payload")
    refuseTwice(parts, "meta")
    return message
  }

  /// A durable message is played as one try of it, which is an ordinary message. Says so, and leaves the rest.
  private mutating func withoutDurable(_ parts: [Node.Member]) -> [Node.Member] {
    let durable = parts.filter { ExpectationReader.durableKeys.contains($0.key) }
    guard let first = durable.first else { return parts }
    wrong(
      first.place,
      "a case plays one try of a message, and no store: leave out \(durable.map(\.key).joined(separator: ", ")); "
        + "unhandled, failed and timeout are then what ends a try")
    return parts.filter { !ExpectationReader.durableKeys.contains($0.key) }
  }

  private mutating func take(_ part: Node.Member, into message: inout SentMessage) {
    switch part.key {
    case "payload", "payload_json", "meta", "meta_json":
      if let member = readJSON(part) { message.members.append(member) }
    case "timeout_ms":
      if let time = number(part.value, part.key) { message.members.append((part.key, "\(time)")) }
    case "mode":
      guard let mode = choice(part.value, "mode", of: ExpectationReader.modes) else { return }
      message.isNotice = mode == "notify"
      add(part.key, mode, to: &message)
    default:
      guard let text = text(part.value, part.key) else { return }
      if part.key == "topic" { message.topic = text }
      if part.key == "chain" || part.key == "via" { message.chain = text }
      add(part.key, text, to: &message)
    }
  }

  private func add(_ name: String, _ text: String, to message: inout SentMessage) {
    message.members.append((name, JSONValue.text(text).spelling))
  }

  // MARK: Values

  /// A member with any value, under its name on the wire: `payload: …` is made into JSON, `payload_json: …` is JSON.
  mutating func readJSON(_ member: Node.Member) -> (name: String, json: String)? {
    guard member.key.hasSuffix("_json") else { return json(member.value).map { (member.key, $0.spelling) } }
    return spelledJSON(member).map { (String(member.key.dropLast("_json".count)), $0) }
  }

  /// The text of a member that is JSON already, fit for one line.
  mutating func spelledJSON(_ member: Node.Member) -> String? {
    guard let text = text(member.value, member.key) else { return nil }
    guard let bytes = JSONText.value(text.utf8) else {
      wrong(member.value.place, "\(member.key) is one value of JSON, and this is none; is it '{\"a\":1}' in quotes?")
      return nil
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// A value of YAML as JSON. What has quotes is a text. Without quotes, numbers as in JSON, `true`, `false` and `null`
  /// are what they are in JSON.
  mutating func json(_ node: Node) -> JSONValue? {
    switch node.content {
    case .text(let text):
      if node.isAbsent {
        wrong(node.place, "nothing stands here; write a value, null, or '' for an empty text")
        return nil
      }
      if text.isQuoted { return .text(text.string) }
      switch JSONValue(spelled: text.string) {
      case .number(let digits): return .number(digits)
      case .flag(let flag): return .flag(flag)
      case .null: return .null
      case .text, .list, .object, nil: return .text(text.string)
      }
    case .list(let nodes):
      let values = nodes.map { json($0) }
      return values.contains { $0 == nil } ? nil : .list(values.compactMap(\.self))
    case .map(let members):
      let values = members.map { member in json(member.value).map { (name: member.key, value: $0) } }
      return values.contains { $0 == nil } ? nil : .object(values.compactMap(\.self))
    case .broken: return nil
    }
  }

  /// One of a few words.
  mutating func choice(_ node: Node, _ what: String, of words: [String]) -> String? {
    guard let text = text(node, what) else { return nil }
    if words.contains(text) { return text }
    let nearest = nearestName(to: text, among: words)
    let hint = nearest.map { "did you mean \"\($0)\"?" } ?? "it is one of: \(words.joined(separator: ", "))"
    wrong(node.place, "\(what) cannot be \(quoted(text)); \(hint)")
    return nil
  }

  /// A value and its JSON cannot both stand there.
  mutating func refuseTwice(_ members: [Node.Member], _ name: String) {
    let both = members.filter { $0.key == name || $0.key == "\(name)_json" }
    if both.count > 1 { wrong(both[1].place, "there is one \(name); leave \(name) or \(name)_json out") }
  }
}
