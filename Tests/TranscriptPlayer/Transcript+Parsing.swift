import BatonCore

extension Transcript {
  /// Reads a transcript from its text.
  ///
  /// `path` is only used in errors. `line` is the number of the text's first line in its file.
  package init(parsing text: String, path: String, line first: Int = 1) throws(TranscriptError) {
    var rule = ""
    var settings: [Setting] = []
    var guards: [String] = []
    var file = File()
    var isForTheCore = false
    var hasStore = false
    var node: NodeState?
    var hasRecord = false
    var steps: [Step] = []
    for (index, substring) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let number = first + index
      let content = String(substring)
      func failure(_ message: String) -> TranscriptError {
        TranscriptError(path: path, line: number, message: message)
      }
      if content.allSatisfy(\.isWhitespace) || content.hasPrefix("#") { continue }
      if let rest = content.dropping(prefix: "rule:") {
        guard steps.isEmpty else { throw failure("the head stands before the first step") }
        rule = rest.trimmed
      } else if let rest = content.dropping(prefix: "settings:") {
        guard steps.isEmpty else { throw failure("the head stands before the first step") }
        for word in rest.split(separator: " ") {
          guard let setting = Setting(String(word)) else { throw failure("\(word) is not name=number") }
          settings.append(setting)
        }
      } else if let rest = content.dropping(prefix: "guard:") {
        guard steps.isEmpty else { throw failure("the head stands before the first step") }
        guards += rest.split(separator: " ").map(String.init)
      } else if let rest = content.dropping(prefix: "identity:") {
        guard steps.isEmpty else { throw failure("the head stands before the first step") }
        let entry = Entry(rest)
        if let fault = entry.fault { throw failure(fault) }
        file.add(entry)
      } else if let rest = content.dropping(prefix: "chain:") {
        guard steps.isEmpty else { throw failure("the head stands before the first step") }
        let chain = Chain(rest)
        if let fault = chain.fault { throw failure(fault) }
        file.add(chain)
      } else if let rest = content.dropping(prefix: "topic:") {
        guard steps.isEmpty else { throw failure("the head stands before the first step") }
        guard let entry = KeptTopics(rest) else { throw failure("\(rest) is not PATTERN COUNT [MILLISECONDS]") }
        file.add(entry)
      } else if let rest = content.dropping(prefix: "trace:") {
        guard steps.isEmpty, let rule = TraceRule(rest) else { throw failure("trace: SAMPLE PER_SECOND, in the head") }
        file.take(rule)
      } else if content == "store: on", steps.isEmpty {
        hasStore = true
      } else if content == "record: on", steps.isEmpty {
        hasRecord = true
      } else if let rest = content.dropping(prefix: "node:") {
        guard steps.isEmpty, let state = NodeState(rawValue: rest.trimmed) else { throw failure("no state of a node") }
        node = state
      } else if let rest = content.dropping(prefix: "stage:") {
        guard steps.isEmpty, rest.trimmed == "core" else { throw failure("the head may say stage: core") }
        isForTheCore = true
      } else {
        let (count, step) = Self.repetition(of: content)
        guard let action = Action(parsing: step) else { throw failure("not a step: \(content)") }
        if case .peer(_, .connects(let facts)) = action, facts != PeerFacts(), !isForTheCore {
          throw failure("only the core knows who connects so; the head must say stage: core")
        }
        for _ in 0..<count { steps.append(Step(line: number, action: action)) }
      }
    }
    guard !steps.isEmpty else { throw TranscriptError(path: path, line: first, message: "a transcript without steps") }
    if node != nil, !isForTheCore {
      throw TranscriptError(
        path: path, line: first, message: "only the core is told of nodes; the head must say stage: core")
    }
    if steps.contains(where: \.changesSettings) { file.add(settings) }
    self.init(
      path: path, rule: rule, settings: settings, guards: guards, file: file, hasStore: hasStore,
      node: node, hasRecord: hasRecord, isForTheCore: isForTheCore, steps: steps)
  }

  /// The transcripts of a Markdown page: each block fenced as `transcript`.
  package static func blocks(ofPage text: String, path: String) throws(TranscriptError) -> [Transcript] {
    var transcripts: [Transcript] = []
    var block: (line: Int, text: [Substring])?
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      if let open = block {
        if line == "```" {
          let content = open.text.joined(separator: "\n")
          transcripts.append(try Transcript(parsing: content, path: path, line: open.line))
          block = nil
        } else {
          block?.text.append(line)
        }
      } else if line == "```transcript" {
        block = (index + 2, [])
      }
    }
    if let block { throw TranscriptError(path: path, line: block.line, message: "the block does not end") }
    return transcripts
  }

  /// `3× step` is that step three times.
  private static func repetition(of content: String) -> (count: Int, step: String) {
    let digits = content.prefix { $0.isASCII && $0.isNumber }
    guard let count = Int(digits), let rest = content.dropFirst(digits.count).dropping(prefix: "× ") else {
      return (1, content)
    }
    return (count, rest)
  }
}

extension Transcript.Action {
  /// Reads one step, or returns nil if the line is none.
  init?(parsing line: String) {
    if let rest = line.dropping(prefix: "clock + ") {
      guard let number = rest.dropping(suffix: " ms"), let milliseconds = Int(number) else { return nil }
      self = .clock(milliseconds: milliseconds)
      return
    }
    let name = line.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
    let rest = line.dropFirst(name.count)
    guard !name.isEmpty else { return nil }
    if name == "store" || name == "record" {
      let what = name == "record" ? "record " : ""
      guard let rest = rest.dropping(prefix: ": "),
        let state = Transcript.StoreState(rawValue: what + rest.trimmed)
      else { return nil }
      self = .store(state)
    } else if name == "server" {
      switch rest.trimmed {
      case ": drains": self = .serverDrains
      case ": ends": self = .serverEnds
      case ": starts again": self = .serverStartsAgain
      case ": gets a mistake into its file": self = .serverGetsMistake
      default:
        if let changes = rest.dropping(prefix: ": reloads ").flatMap(Transcript.Change.list) {
          self = .serverReloads(changes)
        } else if let text = rest.trimmed.dropping(prefix: ": gets ")?.dropping(suffix: " into its file"),
          let changes = Transcript.Change.list(text)
        {
          self = .serverGets(changes)
        } else {
          return nil
        }
      }
    } else {
      guard let action = Transcript.PeerAction(parsing: rest) else { return nil }
      self = .peer(String(name), action)
    }
  }
}

extension Transcript.PeerAction {
  /// Reads what stands after the peer's name.
  init?(parsing rest: Substring) {
    if let text = rest.arrowText("→") {
      self = .sends(Expansion.bytes(of: text) + [0x0A])
    } else if let text = rest.arrowText("⇢") {
      self = .sends(Expansion.bytes(of: text))
    } else if let text = rest.arrowText("←") {
      self = .gets(LinePattern(text))
    } else {
      switch rest.trimmed {
      case ": connects": self = .connects(PeerFacts())
      case ": nothing": self = .nothing
      case ": half-closes": self = .halfCloses
      case ": closes": self = .closes
      case ": dies": self = .dies
      case ": is closed": self = .isClosed
      case ": is gone": self = .isGone
      case ": stops reading": self = .stopsReading
      case ": reads on": self = .readsOn
      default:
        guard let facts = rest.trimmed.dropping(prefix: ": connects ").flatMap(PeerFacts.init(connecting:)) else {
          return nil
        }
        self = .connects(facts)
      }
    }
  }
}

extension StringProtocol {
  /// What follows `prefix`, or nil if the text begins with something else.
  func dropping(prefix: String) -> String? { hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil }

  /// What stands before `suffix`, or nil if the text ends with something else.
  func dropping(suffix: String) -> String? { hasSuffix(suffix) ? String(dropLast(suffix.count)) : nil }

  /// The text without white space around it.
  var trimmed: String {
    let start = drop(while: \.isWhitespace)
    return String(start.prefix(start.count - start.reversed().prefix(while: \.isWhitespace).count))
  }

  /// What stands after ` arrow `. It is empty if the line ends with the arrow.
  func arrowText(_ arrow: String) -> String? {
    if trimmed == arrow { return "" }
    return dropping(prefix: " \(arrow) ")
  }
}
