/// One peer.
package struct Peer {
  package enum Phase {
    case open
    /// It has shut down its writing side, and still gets its results.
    case halfClosed
    /// The server has ended it: nothing is sent to it any more.
    case ended
    case gone
  }

  enum Stop: String { case messages, share, identity, left, total, unsent }

  let number: Int
  package internal(set) var phase = Phase.open
  /// The name that it said.
  package internal(set) var name: String?
  /// Its entry, if the server asks who is there; nil for a stranger.
  package internal(set) var who: String?
  /// Whether the file was read that named its identity no more. One that has the same name later is another.
  var isNamedNoMore = false
  /// Whether a message of it was within the rate of its identity.
  var hasPaid = false
  /// For whom that counts which it leaves then.
  var formerOwner: String?
  package internal(set) var isStranger = false
  var facts = Facts()
  /// The token that it gave last.
  var token: String?
  let opened: Int
  /// Only for a model that breaks the rule: its name passes for it.
  var isNamedAlone = false
  /// What it has subscribed to.
  var patterns: [String] = []
  /// Which traces it gets; nil: every one.
  var choice: Model.TraceChoice?
  /// The links that it serves, in the order in which it began to serve them.
  package internal(set) var serving: [Int] = []
  /// The offers that it has not answered, in the order of their numbers, with those that timed out.
  package internal(set) var row: [Offer] = []
  package internal(set) var lastOffer = 0
  /// Whether a lapsed offer of it was let go.
  var hasLetGo = false
  /// Whether a message of it was taken in, ever.
  var hasSent = false
  /// Whether it has gone, and all that it had here has ended.
  var hasLeft = false
  /// Its messages that are under way.
  var openMessages = 0
  /// What it has sent and the server has not read yet.
  package internal(set) var unread: [Asked] = []
  /// The bytes of a line that has no end yet.
  package internal(set) var begunBytes = 0
  /// When that line began, or when the unread lines came.
  var begunAt = 0
  /// Why the server does not read from it: `why` of `inspect`. A connection that serves links is stopped by `unsent` only.
  var stops: Set<Stop> = []
  /// Since when the server does not read from it.
  package internal(set) var stoppedAt: Int?
  /// Bytes that were sent to it and that the network has not taken.
  package internal(set) var unsent = 0
  /// At most so many of these bytes are of events and notices: those never stop the reading.
  var unsentEvents = 0
  /// When the network took bytes, or when the server began to wait for that.
  var lastTaken = 0
  /// Events and notices that it has missed and has not been told of.
  var missed = 0
  /// When it missed one last.
  var lastMissed: Int?
  /// Results that it still gets.
  package internal(set) var owed = 0
  var heartbeat: Int?
  var heard: Int
  var pings = 0
  /// Whether the server wants it closed.
  var isToClose = false
  /// Whether it counts towards `max_connections`.
  var takesPlace: Bool { phase == .open || phase == .halfClosed }
  /// When the server closes it at the latest, once it has ended it.
  var closesAt: Int?
  /// When it was sent the errors that count.
  var errors: [Int] = []

  init(number: Int, opened: Int) {
    self.number = number
    self.opened = opened
    heard = opened
  }

  /// Its bytes that are kept and not carried out yet.
  var unfinishedBytes: Int { begunBytes + unread.reduce(0) { $0 + $1.line.utf8.count + 1 } }

  /// What others call it: its identity, and behind it the name that it said. Nobody can pass for another.
  var from: String {
    guard !isStranger else { return "#\(number)" }
    guard let who else { return name ?? "#\(number)" }
    if let name { return isNamedAlone ? name : "\(who).\(name)" }
    return who == Entry.anonymous ? "#\(number)" : who
  }
}
