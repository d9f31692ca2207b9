/// Something that is wrong now, for `findings` (contract, section 8).
struct Finding {
  /// The kinds, in the order in which they are told. The names are the contract's.
  enum What: String, CaseIterable {
    case breaker, absent, empty, store, record, engine, node, log
    case failing, slow, waiting, paused, missed, limit, undeclared
    case storeLog = "store_log"
    case recordLoss = "record_loss"
    case deadLetters = "dead_letters"
    case open, certificate
    case plainTokens = "plain_tokens"

    /// What can be wrong with one link.
    static let ofLinks: [What] = [.breaker, .absent, .empty, .failing, .slow, .waiting]

    /// What a place is that no handler serves.
    static func ofUnserved(_ settings: LinkSettings) -> What {
      settings.isRequired && !settings.isShadow ? .absent : .empty
    }

    var level: StaticString {
      switch self {
      case .breaker, .absent, .empty, .store, .record, .engine: "wrong"
      default: "warning"
      }
    }
  }

  /// What it is about: JSON members, each with its comma in front.
  var about = ""
  /// Since when it is so; nil if that is not known.
  var since: Instant?
  let why: String
  let next: String
}

/// The findings of one request: of each kind the 20 worst, or the first 20 where none is worse.
struct Findings {
  static let mostOfAKind = 20

  /// With how bad each is, the worst first.
  private var found: [Finding.What: [(weight: Int, finding: Finding)]] = [:]
  /// Whether there are more.
  private(set) var hasMore = false
  /// Whether what is added now is about a chain that the asker may not see: then it is counted, and no more.
  var areHidden = false
  private(set) var hidden = 0

  func of(_ what: Finding.What) -> [Finding] { found[what, default: []].map(\.finding) }

  /// Adds one. Of two of a kind, the one with the larger weight is worse.
  mutating func add(_ what: Finding.What, weight: Int = 0, _ finding: @autoclosure () -> Finding) {
    guard !areHidden else { return hidden += 1 }
    var kind = found[what] ?? []
    let place = kind.firstIndex { $0.weight < weight } ?? kind.count
    if kind.count == Findings.mostOfAKind { hasMore = true }
    guard place < Findings.mostOfAKind else { return }
    kind.insert((weight, finding()), at: place)
    found[what] = Array(kind.prefix(Findings.mostOfAKind))
  }
}
