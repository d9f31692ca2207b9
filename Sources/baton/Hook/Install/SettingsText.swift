/// The text of a file of settings, and the entry in it. It changes bytes, and touches no file.
struct SettingsText {
  /// Why a text is not changed.
  struct Fault: Error {
    let words: String
  }

  let bytes: [UInt8]
  private let agent: HookAgent
  private let tree: JSONTree?

  /// Throws where it is no plain JSON object.
  init(_ bytes: [UInt8], _ agent: HookAgent) throws(Fault) {
    (self.bytes, self.agent) = (bytes, agent)
    if bytes.allSatisfy({ [0x20, 0x09, 0x0A, 0x0D].contains($0) }) {
      tree = nil
      return
    }
    let read: JSONTree
    do { read = try JSONTree(bytes) } catch { throw Fault(words: "it is no plain JSON: \(error.words)") }
    guard read.members != nil else { throw Fault(words: "it is no JSON object") }
    if let hooks = read["hooks"], hooks.members == nil { throw Fault(words: "\"hooks\" in it is no object") }
    if let list = read.at(["hooks", agent.event]), list.elements == nil {
      throw Fault(words: "\"\(agent.event)\" in it is no list")
    }
    tree = read
  }

  /// The entries for the event.
  var entries: [JSONTree] { tree?.at(["hooks", agent.event])?.elements ?? [] }

  /// Those of this program, with their commands.
  var own: [(entry: JSONTree, line: HookLine)] {
    entries.compactMap { entry in
      let commands = SettingsText.commands(of: entry)
      guard commands.count == 1, let line = commands.first.flatMap({ HookLine($0, agent.form) }) else { return nil }
      return (entry, line)
    }
  }

  /// What an entry starts.
  static func commands(of entry: JSONTree) -> [String] {
    let own = entry["command"]?.text ?? entry["bash"]?.text
    return (entry["hooks"]?.elements ?? []).flatMap { commands(of: $0) } + (own.map { [$0] } ?? [])
  }

  func text(of entry: JSONTree) -> String { String(decoding: bytes[entry.range], as: UTF8.self) }

  /// The whole tree.
  var whole: JSONTree? { tree }

  // MARK: With the entry

  /// A file that has nothing else.
  static func fresh(_ entry: String, _ agent: HookAgent) -> [UInt8] {
    let version = agent.hasVersion ? "  \"version\": 1,\n" : ""
    return Array(
      "{\n\(version)  \"hooks\": {\n    \"\(agent.event)\": [\n      \(entry)\n    ]\n  }\n}\n".utf8)
  }

  /// The text with the entry: in the place of the one that is there, or behind all others.
  func with(_ entry: String) -> [UInt8] {
    guard let tree else { return SettingsText.fresh(entry, agent) }
    let mine = own
    if let first = mine.first {
      return replacing(first.entry.range, by: entry, without: mine.dropFirst().map(\.entry))
    }
    if let list = tree.at(["hooks", agent.event]), let elements = list.elements {
      return inserting(entry, after: elements.last?.range, in: list.range)
    }
    let list = "\"\(agent.event)\": [\(entry)]"
    if let hooks = tree["hooks"], let members = hooks.members {
      return inserting(list, after: members.last.map { $0.start..<$0.value.range.upperBound }, in: hooks.range)
    }
    let version = agent.hasVersion && tree["version"] == nil ? "\"version\": 1, " : ""
    let last = tree.members?.last.map { $0.start..<$0.value.range.upperBound }
    return inserting("\(version)\"hooks\": {\(list)}", after: last, in: tree.range)
  }

  private func inserting(_ text: String, after last: Range<Int>?, in whole: Range<Int>) -> [UInt8] {
    let place = last?.upperBound ?? whole.lowerBound + 1
    return bytes[..<place] + Array(((last == nil ? "" : ", ") + text).utf8) + bytes[place...]
  }

  private func replacing(_ range: Range<Int>, by entry: String, without others: [JSONTree]) -> [UInt8] {
    var changed = bytes
    for other in others.reversed() { changed.replaceSubrange(withComma(other.range), with: []) }
    changed.replaceSubrange(range, with: Array(entry.utf8))
    return changed
  }

  // MARK: Without it

  /// The text without our entries, and without the list and the object that are empty then.
  func without() -> [UInt8] {
    guard let tree, !own.isEmpty else { return bytes }
    if own.count < entries.count {
      var changed = bytes
      for mine in own.reversed() { changed.replaceSubrange(withComma(mine.entry.range), with: []) }
      return changed
    }
    let hooks = tree["hooks"]?.members ?? []
    let members = hooks.count > 1 ? hooks : tree.members ?? []
    let name = hooks.count > 1 ? agent.event : "hooks"
    guard let member = members.first(where: { $0.name == name }) else { return bytes }
    var changed = bytes
    changed.replaceSubrange(withComma(member.start..<member.value.range.upperBound), with: [])
    return changed
  }

  /// The range with the comma before it; with the one behind it if it is the first.
  private func withComma(_ range: Range<Int>) -> Range<Int> {
    let isSpace: (UInt8) -> Bool = { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
    if let before = bytes[..<range.lowerBound].lastIndex(where: { !isSpace($0) }), bytes[before] == UInt8(ascii: ",") {
      return before..<range.upperBound
    }
    if let behind = bytes[range.upperBound...].firstIndex(where: { !isSpace($0) }), bytes[behind] == UInt8(ascii: ",") {
      let next = bytes[(behind + 1)...].firstIndex { !isSpace($0) } ?? behind + 1
      return range.lowerBound..<next
    }
    return range
  }
}
