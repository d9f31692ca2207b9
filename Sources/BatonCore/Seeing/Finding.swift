/// Something that is wrong now, for `findings` (contract, section 8).
struct Finding {
  /// The kinds, in the order in which they are told. The names are the contract's.
  enum What: String, CaseIterable {
    case breaker, absent, store, failing, waiting, paused, missed, limit, undeclared
    case deadLetters = "dead_letters"
    case open, certificate
    case plainTokens = "plain_tokens"

    var level: StaticString { self == .breaker || self == .absent || self == .store ? "wrong" : "warning" }
  }

  /// What it is about: JSON members, each with its comma in front.
  var about = ""
  /// Since when it is so; nil if that is not known.
  var since: Instant?
  let why: String
  let next: String
}

/// The findings of one request: the first 20 of each kind.
struct Findings {
  static let mostOfAKind = 20

  private var found: [Finding.What: [Finding]] = [:]
  /// Whether there are more.
  private(set) var hasMore = false
  /// Whether what is added now is about a chain that the asker may not see: then it is counted, and no more.
  var areHidden = false
  private(set) var hidden = 0

  func of(_ what: Finding.What) -> [Finding] { found[what] ?? [] }

  mutating func add(_ what: Finding.What, _ finding: @autoclosure () -> Finding) {
    guard !areHidden else { return hidden += 1 }
    if of(what).count < Findings.mostOfAKind { found[what, default: []].append(finding()) } else { hasMore = true }
  }
}
