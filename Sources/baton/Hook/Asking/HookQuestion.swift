import BatonClient

/// What an agent asks about: one call of a tool.
struct HookQuestion: Sendable {
  /// Why nothing can be asked.
  struct Fault: Error {
    let words: String
    /// The agent that has asked, if it is another one than the form says.
    var asker: HookForm?
    /// Whether it is not this form's question.
    var isForeign = false
  }

  let topic: String
  /// What goes down the chain, and what comes back if it is permitted.
  let payload: [UInt8]
  let meta: [UInt8]

  init(_ bytes: [UInt8], _ agent: HookAgent) throws(Fault) {
    let tree: JSONTree
    do { tree = try JSONTree(bytes) } catch { throw Fault(words: "the question cannot be read: \(error.words)") }
    guard tree.members != nil else { throw Fault(words: "the question is no JSON object") }
    try HookQuestion.checkAsker(tree, agent)
    guard let tool = tree[agent.members.tool]?.text, !tool.isEmpty else {
      throw Fault(words: "the question names no tool in \"\(agent.members.tool)\"")
    }
    guard let given = tree[agent.members.arguments] else {
      throw Fault(words: "the question has no arguments in \"\(agent.members.arguments)\"")
    }
    let called = try HookTool(tool, tree, agent)
    topic = try called.topic()
    let start = #"{"agent":"\#(agent.form.rawValue)","tool":\#(Payload(text: called.name).json)"#
    let server = called.server.map { #","server":\#($0.map { Payload(text: $0).json } ?? "null")"# } ?? ""
    payload =
      Array("\(start)\(server),\"arguments\":".utf8) + (try HookQuestion.arguments(given, bytes, agent))
      + [UInt8(ascii: "}")]
    meta = HookQuestion.meta(tree, bytes, agent)
  }

  /// Throws where another agent asks, or about another event.
  private static func checkAsker(_ tree: JSONTree, _ agent: HookAgent) throws(Fault) {
    let asker = HookForm.of(tree)
    if let asker, asker != agent.form {
      throw Fault(
        words: "\(asker.agent.name) has asked, and this is the hook of \(agent.name); use baton hook install "
          + "\(asker.rawValue)", asker: asker, isForeign: true)
    }
    let event = tree[agent.members.event]
    if event?.text != agent.event, event != nil || agent.form != .copilot {
      throw Fault(words: "the question is not about the event \(agent.event)", isForeign: asker == nil)
    }
    guard asker == agent.form else {
      throw Fault(words: "the question is not one of \(agent.name)", isForeign: true)
    }
  }

  /// The bytes of the arguments as they came; those of a text that is JSON itself, where an agent writes them so.
  private static func arguments(
    _ given: JSONTree, _ bytes: [UInt8], _ agent: HookAgent
  ) throws(Fault) -> ArraySlice<UInt8> {
    guard agent.form == .copilot, let text = given.text else { return bytes[given.range] }
    let inner = Array(text.utf8)
    do {
      return inner[try JSONTree(inner).range]
    } catch {
      if error.isJSON { throw Fault(words: "the arguments cannot be read: \(error.words)") }
      return bytes[given.range]
    }
  }

  /// What goes beside the payload: who asks where; and `more`, all members that are not known, as they came.
  private static func meta(_ tree: JSONTree, _ bytes: [UInt8], _ agent: HookAgent) -> [UInt8] {
    let names = agent.members
    let known = [
      (names.session, "session"), (names.cwd, "cwd"), (names.call, "call"), (names.model, "model"),
      (names.mode, "mode"),
    ]
    let left = Set([names.tool, names.arguments, names.event, "transcript_path", "user_email"] + known.map(\.0))
    var parts: [[UInt8]] = known.compactMap { name, said in
      tree[name].map { Array("\"\(said)\":".utf8) + bytes[$0.range] }
    }
    let more = (tree.members ?? []).filter { !left.contains($0.name) }
      .map { Array(bytes[$0.start..<$0.value.range.upperBound]) }
    if !more.isEmpty { parts.append(Array("\"more\":{".utf8) + more.joined(separator: [UInt8(ascii: ",")]) + [0x7D]) }
    return [UInt8(ascii: "{")] + parts.joined(separator: [UInt8(ascii: ",")]) + [0x7D]
  }
}
