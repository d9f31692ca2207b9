package import BatonCore

extension Transcript {
  /// What the configuration file says in a transcript: at the start, or after a change.
  package struct File: Sendable, Equatable {
    /// The entries of `peers`. If there are none, everybody may do everything.
    package private(set) var entries: [Entry] = []
    /// The declared chains, each once.
    package private(set) var chains: [Chain] = []

    /// The topics of which events are kept.
    package private(set) var topics: [KeptTopics] = []

    /// The settings that it names, each once. It names none in a transcript in which none of them changes.
    package private(set) var settings: [Setting] = []

    /// Which messages are traced beyond the server; nil if it says nothing of them.
    package private(set) var trace: TraceRule?

    /// Takes in what stands under `trace`.
    mutating func take(_ rule: TraceRule?) { trace = rule }

    /// The authorities that sign certificates of clients; nil if it says nothing of them.
    package private(set) var authorities: [String]?

    /// Takes in the settings of the head.
    mutating func add(_ settings: [Setting]) { for setting in settings { apply(.setting(setting)) } }

    /// Takes in an entry of the head.
    mutating func add(_ entry: Entry) { entries.append(entry) }

    /// Takes in a chain of the head.
    mutating func add(_ chain: Chain) { chains.append(chain) }

    /// Takes in an entry of `topics`.
    mutating func add(_ entry: KeptTopics) {
      topics.removeAll { $0.pattern == entry.pattern }
      topics.append(entry)
    }

    /// The file after a change.
    mutating func apply(_ change: Change) {
      switch change {
      case .entry(let entry):
        if let at = entries.firstIndex(where: { $0.name == entry.name }) {
          entries[at] = entry.keepingOptions(of: entries[at])
        } else {
          entries.append(entry)
        }
      case .withoutEntry(let name): entries.removeAll { $0.name == name }
      case .chain(let chain):
        if let at = chains.firstIndex(where: { $0.name == chain.name }) {
          chains[at] = chain
        } else {
          chains.append(chain)
        }
      case .setting(let setting):
        settings.removeAll { $0.name == setting.name }
        settings.append(setting)
      case .withoutChain(let name): chains.removeAll { $0.name == name }
      case .authorities(let names): authorities = names
      case .topic(let entry): add(entry)
      case .trace(let rule): trace = rule
      case .withoutTopic(let pattern): topics.removeAll { $0.pattern == Array(pattern.utf8) }
      }
    }
  }

  /// What becomes different in the configuration file.
  package enum Change: Sendable {
    /// It has this entry now, in place of the one of that name, if there was one.
    case entry(Entry)
    /// It has no entry of this name any more.
    case withoutEntry(String)
    /// It declares this chain now. If it did so before, otherwise than before.
    case chain(Chain)
    /// It declares no chain of this name any more.
    case withoutChain(String)
    /// It keeps events of these topics now.
    case topic(KeptTopics)
    /// It has no entry of `topics` with this pattern any more.
    case withoutTopic(String)

    /// A setting has this value now.
    case setting(Setting)
    /// It says this under `trace`, or nothing.
    case trace(TraceRule?)
    /// The certificates of clients count that these authorities have signed.
    case authorities([String])

    /// Reads `web may see main`, `without web`, `chain main {"handler":"words"}`, `chain main gone`, `set window=3`,
    /// `topic chat.> 10`, `without topic chat.>`, `trace 1 100`, `without trace` or `authorities old new`. Nil for other texts.
    init?(_ text: String) {
      if let rest = text.dropping(prefix: "set ") {
        guard let setting = Setting(rest.trimmed) else { return nil }
        self = .setting(setting)
      } else if let names = "\(text) ".dropping(prefix: "authorities ") {
        self = .authorities(names.split(separator: " ").map(String.init))
      } else if let rest = text.dropping(prefix: "trace ") {
        guard let rule = TraceRule(rest) else { return nil }
        self = .trace(rule)
      } else if text == "without trace" {
        self = .trace(nil)
      } else if let pattern = text.dropping(prefix: "without topic ") {
        self = .withoutTopic(pattern.trimmed)
      } else if let rest = text.dropping(prefix: "topic ") {
        guard let entry = KeptTopics(rest) else { return nil }
        self = .topic(entry)
      } else if let name = text.dropping(prefix: "without ") {
        self = .withoutEntry(name.trimmed)
      } else if let rest = text.dropping(prefix: "chain ") {
        if let name = rest.trimmed.dropping(suffix: " gone") {
          self = .withoutChain(name.trimmed)
        } else {
          let chain = Chain(rest)
          guard chain.fault == nil else { return nil }
          self = .chain(chain)
        }
      } else {
        let entry = Entry(text)
        guard entry.fault == nil else { return nil }
        self = .entry(entry)
      }
    }

    /// Reads several changes with `and` between them. Nil for other texts.
    static func list(_ text: String) -> [Change]? {
      var parts = [""]
      var nesting = Nesting()
      for character in text {
        nesting.step(character)
        parts[parts.count - 1].append(character)
        if nesting.depth == 0, let part = parts[parts.count - 1].dropping(suffix: " and ") {
          parts[parts.count - 1] = part
          parts.append("")
        }
      }
      let changes = parts.compactMap { Change($0.trimmed) }
      return changes.count == parts.count ? changes : nil
    }
  }
}

extension TraceRule {
  /// Reads `1 100`: how many of a hundred, and how many a second. Nil for other texts.
  init?(_ text: String) {
    let numbers = text.split(separator: " ").compactMap { Int($0) }
    guard numbers.count == 2 else { return nil }
    self.init()
    (sample, perSecond) = (numbers[0], numbers[1])
  }
}

extension KeptTopics {
  /// Reads `chat.> 10` or `chat.> 10 60000`: a pattern, how many events are kept, and perhaps for how many milliseconds.
  /// Nil for other texts.
  init?(_ text: String) {
    let words = text.split(separator: " ")
    let numbers = words.dropFirst().compactMap { Int($0) }
    guard 2...3 ~= words.count, numbers.count == words.count - 1 else { return nil }
    self.init(
      pattern: Array(words[0].utf8), keep: numbers[0], keepMilliseconds: numbers.count == 2 ? numbers[1] : nil)
  }
}
