extension Transcript {
  /// What the operator's file says in a transcript: at the start, or after a change.
  package struct File: Sendable, Equatable {
    /// The entries of `peers`. If there are none, everybody may do everything.
    package private(set) var entries: [Entry] = []
    /// The declared chains, each once.
    package private(set) var chains: [Chain] = []

    /// The settings that it names, each once. It names none in a transcript in which none of them changes.
    package private(set) var settings: [Setting] = []

    /// Takes in the settings of the head.
    mutating func add(_ settings: [Setting]) { for setting in settings { apply(.setting(setting)) } }

    /// Takes in an entry of the head.
    mutating func add(_ entry: Entry) { entries.append(entry) }

    /// Takes in a chain of the head.
    mutating func add(_ chain: Chain) { chains.append(chain) }

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
      }
    }
  }

  /// What becomes different in the operator's file.
  package enum Change: Sendable {
    /// It has this entry now, in place of the one of that name, if there was one.
    case entry(Entry)
    /// It has no entry of this name any more.
    case withoutEntry(String)
    /// It declares this chain now. If it did so before, otherwise than before.
    case chain(Chain)
    /// It declares no chain of this name any more.
    case withoutChain(String)

    /// A setting has this value now.
    case setting(Setting)

    /// Reads `web may see main`, `without web`, `chain main {"handler":"words"}`, `chain main gone` or `set window=3`. Nil
    /// for other texts.
    init?(_ text: String) {
      if let rest = text.dropping(prefix: "set ") {
        guard let setting = Setting(rest.trimmed) else { return nil }
        self = .setting(setting)
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
