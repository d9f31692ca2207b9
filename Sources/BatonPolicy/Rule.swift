package import BatonConfig
internal import BatonCore

/// One rule: which calls it is about, and what becomes of them.
package struct Rule: Sendable {
  /// What becomes of a call.
  package enum Verdict: Sendable, Hashable {
    /// It may run.
    case allow
    /// The next link decides.
    case ask
    /// It must not run, and the words say why.
    case refuse(String)
  }

  /// Where it stands in the file.
  package let place: FilePlace
  package let verdict: Verdict
  /// Whose tools it is about; nil: any agent's.
  let agents: [NamePattern]?
  /// Of which MCP servers; nil: the agent's own tools.
  let servers: [NamePattern]?
  let tools: [NamePattern]
  /// The same as a condition.
  let who: Condition
  let demands: Demands
  /// Finds the arguments that it looks at; nil if it looks at none.
  let arguments: ArgumentFinder?

  /// What it asks beyond whose tool is called.
  struct Demands: Sendable, Equatable {
    var words: [CommandPattern]?
    /// Folders, and texts, by the name of an argument.
    var inside: [String: [String]] = [:]
    var contains: [String: [String]] = [:]
    var when: LinkCondition?

    /// The arguments that it names.
    var names: [String] {
      Set(inside.keys).union(contains.keys).union(words == nil ? [] : [CommandPattern.argument]).sorted()
    }
  }

  /// Whether it decides about a call that fits it so. What is not certain is not allowed.
  func decides(_ answer: Answer, isDoubtful: Bool) -> Bool {
    verdict == .allow ? answer == .fits && !isDoubtful : answer != .no
  }
}

/// The names of tools, servers or agents that a rule is about.
enum NamePattern: Hashable, Sendable {
  case any
  case text(String)
  case prefix(String)
  case suffix(String)

  /// As a condition has it.
  var json: String {
    switch self {
    case .any: #"{"exists":true}"#
    case .text(let text): quoted(text)
    case .prefix(let text): "{\"prefix\":\(quoted(text))}"
    case .suffix(let text): "{\"suffix\":\(quoted(text))}"
    }
  }

  /// Whether it is about all that the other one is about.
  func covers(_ other: NamePattern) -> Bool {
    switch (self, other) {
    case (.any, _): true
    case (.prefix(let begin), .text(let text)), (.prefix(let begin), .prefix(let text)):
      text.utf8.starts(with: begin.utf8)
    case (.suffix(let end), .text(let text)), (.suffix(let end), .suffix(let text)):
      text.utf8.reversed().starts(with: end.utf8.reversed())
    default: self == other
    }
  }
}

/// A text as JSON.
func quoted(_ text: String) -> String { String(decoding: JSONText.quoted(text), as: UTF8.self) }
