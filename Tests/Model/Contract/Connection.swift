/// One peer.
package struct Connection {
  package enum Phase {
    case open
    /// It has shut down its writing side, and still gets what it is owed.
    case halfClosed
    /// The server has ended it: nothing goes out any more.
    case ended
    case gone
  }

  let number: Int
  package internal(set) var phase = Phase.open
  var name: String?
  /// What it has subscribed to.
  var patterns: [String] = []
  /// The links that it serves, in the order in which it began to.
  var serving: [Int] = []
  /// The offers that it has not answered, by their numbers; lapsed ones among them.
  package internal(set) var row: [Offer] = []
  package internal(set) var lastOffer = 0
  /// Messages of it that are under way.
  var openMessages = 0
  /// What it has said and the server has not read yet.
  package internal(set) var unread: [Asked] = []
  /// Since when the server does not read from it.
  package internal(set) var stoppedAt: Int?
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

  /// What others call it.
  var from: String { name ?? "#\(number)" }
}
