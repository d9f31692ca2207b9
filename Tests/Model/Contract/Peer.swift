/// One peer.
package struct Peer {
  package enum Phase {
    case open
    /// It has shut down its writing side, and still gets what it is owed.
    case halfClosed
    /// The server has ended it: nothing goes out any more.
    case ended
    case gone
  }

  enum Stop: String { case messages, total, unsent }

  let number: Int
  package internal(set) var phase = Phase.open
  var name: String?
  /// What it has subscribed to.
  var patterns: [String] = []
  /// The links that it serves, in the order in which it began to.
  package internal(set) var serving: [Int] = []
  /// The offers that it has not answered, by their numbers; lapsed ones among them.
  package internal(set) var row: [Offer] = []
  package internal(set) var lastOffer = 0
  /// Messages of it that are under way.
  var openMessages = 0
  /// What it has said and the server has not read yet.
  package internal(set) var unread: [Asked] = []
  /// Bytes of a line that has no end yet.
  package internal(set) var begunBytes = 0
  /// When that line began, or what is unread came.
  var begunAt = 0
  /// Why the server does not read from it: `why` of `inspect`. A connection that serves links is stopped by `unsent` only.
  var stops: Set<Stop> = []
  /// Since when the server does not read from it.
  package internal(set) var stoppedAt: Int?
  /// Bytes that were said to it and that the network has not taken.
  package internal(set) var unsent = 0
  /// When the network took bytes, or when the server began to wait for that.
  var lastTaken = 0
  /// Events and notices that it has lost, and that it has not been told of.
  var missed = 0
  /// Results that it still gets.
  package internal(set) var owed = 0
  var heartbeat: Int?
  var heard = 0
  var pings = 0
  /// Whether the server wants it closed.
  var isToClose = false
  /// When it is closed at the latest, once the server has ended it.
  var closesAt: Int?
  /// When it was told of errors that count.
  var errors: [Int] = []

  init(number: Int, heard: Int) {
    self.number = number
    self.heard = heard
  }

  /// Bytes of it that are kept without having been carried out.
  var unfinishedBytes: Int { begunBytes + unread.reduce(0) { $0 + $1.line.utf8.count + 1 } }

  /// What others call it.
  var from: String { name ?? "#\(number)" }
}
