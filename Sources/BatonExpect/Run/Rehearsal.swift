internal import BatonConfig
internal import BatonCore

/// Plays the cases of a file, each with a core of its own that has just been started. All of them begin alike: nothing
/// depends on the time of day, on chance or on an order of hashes.
package struct Rehearsal {
  private let file: ExpectationFile
  private let settings: Settings
  /// Nil: everybody may do everything.
  private let rules: AccessRules?

  /// What all cases of a file have in common is made once.
  package init(_ file: ExpectationFile) {
    self.file = file
    var settings = file.configuration.coreSettings()
    // Those who play have connections of their own.
    settings.maxConnections = max(settings.maxConnections, 10_000)
    self.settings = settings
    rules = file.configuration.rules.map { Rehearsal.rules($0, for: file.cases) }
  }

  /// Plays all cases, in their order.
  package func run() -> [CaseOutcome] { file.cases.map { run($0) } }

  /// Plays one case.
  package func run(_ expectation: Expectation) -> CaseOutcome {
    let play = Play(expectation, Router(settings: settings, access: rules, at: Play.start))
    play.run()
    return CaseOutcome(expectation, play.seen)
  }

  // MARK: Who is there

  /// The entry of those who play: handlers, and a sender that may do everything. No entry of a file has a dot.
  private static let staff = "baton.expect"

  /// The rules of the file. Nobody needs a token or a certificate here: each entry has a user of its own name.
  private static func rules(_ rules: AccessRules, for cases: [Expectation]) -> AccessRules {
    var rules = rules
    rules.peers = rules.peers.map { peer in
      var peer = peer
      peer.tokens = []
      peer.certificates = []
      peer.users = peer.name == PeerEntry.anonymous ? [] : [.named(peer.name)]
      return peer
    }
    var staff = AccessRules.Peer(name: Rehearsal.staff)
    staff.users = [.named(Rehearsal.staff)]
    // A declared link is meant only by a right that names it in full.
    let links = Set(cases.flatMap { $0.handlers.map(\.link) }).sorted { "\($0)" < "\($1)" }
    staff.may = (["everything"] + links.map { "serve \($0)" }).compactMap { try? Right(parsing: $0) }
    rules.peers.append(staff)
    return rules
  }

  /// What the core is told of a connection.
  static func facts(of sender: Sender) -> PeerFacts {
    var facts = PeerFacts()
    switch sender {
    case .everything: facts.users = [.named(staff)]
    case .identity(let name): facts.users = [.named(name)]
    case .stranger, .anonymous: break
    }
    return facts
  }
}
