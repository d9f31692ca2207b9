/// What `insert` and `replace` set of a link, except its place (contract, section 5).
struct LinkSettings: Equatable {
  var accepts = [">"]
  var timeoutMilliseconds: Int?
  var window: Int
  var onFailure = Policy.continue
  var share = false
  var holdMilliseconds = 0
  var required = false
  var shadow = false
  var percent = 100
  var when: SaidCondition?
  /// Of a mount: whether the links behind it are asked at once.
  var together = false

  init(window: Int) { self.window = window }

  /// What it counts against the limits on patterns.
  var weight: Int { accepts.count + (when?.weight ?? 0) }

  /// Whether the link stays, or may stay, when its connection goes.
  var isLasting: Bool { required || onFailure.stops(.disconnect) }

  /// The same settings, with those changed that the line gives.
  func changed(by given: GivenSettings) -> LinkSettings {
    var new = self
    if let accepts = given.accepts { new.accepts = accepts }
    if let timeout = given.timeoutMilliseconds { new.timeoutMilliseconds = timeout }
    if let window = given.window { new.window = window }
    if let policy = given.onFailure { new.onFailure = policy }
    if let share = given.share { new.share = share }
    if let hold = given.holdMilliseconds { new.holdMilliseconds = hold }
    if let required = given.required { new.required = required }
    if let shadow = given.shadow { new.shadow = shadow }
    if let percent = given.percent { new.percent = percent }
    if let when = given.when { new.when = SaidCondition.asking(when) }
    return new
  }
}

/// One connection that serves a link.
struct Server {
  let connection: Int
  var breaker = Breaker()
  /// Whether the link counts as one that stays when it goes.
  var isLasting = false
}

/// The breaker of one connection: while it is open, no offer goes there except a probe (contract, section 6).
struct Breaker {
  /// Consecutive offers that timed out.
  var consecutive = 0
  /// When the breaker opened, or its last probe timed out; nil while it is closed.
  var since: Int?
  /// When it opened.
  var opened: Int?
  var isProbing = false
}

/// One place in a chain: a handler's, or a mounted chain's.
struct Link {
  enum State {
    case there
    /// It was taken out: walks skip it.
    case removed
    /// It ended with its last connection: it fails the walks that entered the chain before.
    case lost
    /// The file does not declare it any more: walks that saw it required fail there, and others pass it.
    case withdrawn
  }

  /// How a handler's place without connections is kept.
  enum Vacancy {
    case none
    /// Held until then: messages wait.
    case held(until: Int)
    /// Messages fail, or pass.
    case empty
  }

  let chain: String
  var name: String
  let isMount: Bool
  /// The connection that mounted it.
  var maker: Int?
  /// For whom it counts while no connection serves it: who made the mount, or left the place.
  var payer: String?
  var rank: Double
  /// Its number among all that came to a place: who came later stands behind others of its rank.
  var arrival = 0
  var state = State.there
  var settings: LinkSettings
  /// How often it was asked in doubt.
  var doubtful = 0
  var servers: [Server] = []
  /// Which of them comes first at the next choice.
  var turn = 0
  var vacancy = Vacancy.none
  /// When it became vacant.
  var vacantSince = 0
  /// Whether the configuration file declares it, and what its handler has brought then.
  var isDeclared = false
  var brought = Brought()
  /// What it was before it was changed by `move` or by the file.
  var past: [Past] = []
  /// Whether a reload that is under way takes it out.
  var isGoing = false
  /// How its offers went, by the verdicts' ops and the causes' words.
  var tally: [String: Int] = [:]
  /// What ended here, the latest last: whether it failed.
  var ends: [Bool] = []
  /// The sample in which something was counted last, and its last minutes.
  var counted: Int?
  var history: History?
  /// For a shadow: how often its verdict was what became of the message.
  var agreed = 0
  var disagreed = 0
  /// The last failure of a message.
  var lastFailure: (failure: Failure, walk: Int, at: Int)?
  /// Failures since the last one that was told in `$baton.link.failed`, and when that was.
  var untoldFailures = 0
  var failureToldAt: Int?
  /// Walks that wait to be offered here, what is repeated first; and in which turns they are.
  var queue: [Int] = []
  var turns: [Model.Turn] = []
  /// Since when something has waited here without a pause.
  var waitedSince = 0

  /// Something ended here: a verdict's op, or the word of a cause.
  mutating func count(_ word: String, isFailure: Bool) {
    tally[word, default: 0] += 1
    ends.append(isFailure)
  }

  /// What ended here last, for `failing` of `findings`: the block that has begun and the one before it, or the one that
  /// has begun if together they have more than 1000. A block ends with the first failure that is 500 or more behind its
  /// begin.
  var lastEnds: ArraySlice<Bool> {
    var (before, begin) = (0, 0)
    for index in ends.indices where ends[index] && index - begin >= 500 { (before, begin) = (begin, index) }
    let start = [before, begin].first { ends.count - $0 <= 1000 }
    return ends[(start ?? ends.count)...]
  }

  /// Whether its place is kept without a connection.
  var isVacant: Bool {
    if case .none = vacancy { return false }
    return true
  }
}

/// A named, ordered list of links.
struct Chain {
  var version: Int
  var links: [Int] = []
}
