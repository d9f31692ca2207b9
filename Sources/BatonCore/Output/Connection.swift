/// One peer's connection: what it has sent of an unfinished line, what waits to be written to it, and what is open
/// with it.
struct Connection: ~Copyable {
  /// How far the connection's end has come.
  enum Phase {
    case open
    /// The peer has shut down its writing side; it still gets the results that it is owed.
    case halfClosed
    /// The server has ended it: what comes in is dropped, nothing more goes out.
    case severed
  }

  /// The number that others see where it has no name.
  let number: Int
  var phase = Phase.open
  var ending = Router.Wish.Ending.open
  var reason: CloseReason?
  /// Its name, or `#` and its number, as a JSON string; padded, since it is copied with every message.
  var from: OwnedBytes
  /// The line that it has begun.
  var unfinished = UnfinishedLine()
  var outbox = Outbox()
  /// Whether it stands in the router's list of what has changed.
  var isChanged = false

  // Flow
  var pauses: Pauses = []
  /// What had come already when the server stopped reading from it: one read's worth.
  var backlog = OwnedBytes()
  /// Whether the peer's end has come behind the backlog.
  var hasEnded = false
  /// Since when the server does not read from it; the clocks on the peer's silence stand still from then on.
  var stoppedAt: Instant?
  /// When the peer last took a byte, as far as it is behind.
  var lastTaken = Instant(microseconds: 0)

  // Sending
  var openMessages = 0
  var openBytes = 0
  /// Results that it still gets.
  var owed = 0

  // Serving
  var firstReplica = Slot<Replica>.nobody
  var offers = OfferRow()
  var lapsed = 0

  // Subscribing
  var firstSubscription = Slot<Subscription>.nobody
  /// Patterns of its subscriptions and of its links.
  var patterns = 0
  /// Events dropped since the last that was queued.
  var missed = 0
  /// The last broadcast that was looked at for it: an event comes once, however many patterns match.
  var lastBroadcast = 0

  // Clocks
  var timer = TimerRef.none
  var timerAt = Instant(microseconds: .max)
  var lastHeard: Instant
  /// Milliseconds of silence after which it is pinged; 0: never.
  var heartbeat = 0
  var pings = 0
  /// When a severed connection is closed, come what may.
  var closeAt: Instant?
  var errors: [Instant] = []

  init(number: Int, at now: Instant) {
    self.number = number
    lastHeard = now
    from = OwnedBytes(padded: "\"#\(number)\"")
  }

  /// Whether the server is to read from it. Who serves links is not stopped for its messages: its verdicts must get
  /// through (contract, section 10).
  var isToBeRead: Bool {
    phase == .severed || !(pauses.contains(.unsent) || (!pauses.isEmpty && firstReplica == .nobody))
  }

  /// Whether it has ended its side, and gets nothing any more.
  @inline(__always)
  var isFinished: Bool { phase == .halfClosed && owed == 0 }

  /// Why reading may stand still.
  struct Pauses: OptionSet {
    let rawValue: UInt8
    /// Too much is unsent to it.
    static let unsent = Pauses(rawValue: 1)
    /// Too many of its messages are under way.
    static let messages = Pauses(rawValue: 2)
    /// The messages of all connections under way take too much.
    static let total = Pauses(rawValue: 4)

    /// The first reason, as `inspect` tells it.
    var spelling: StaticString { contains(.unsent) ? "unsent" : contains(.total) ? "total" : "messages" }
  }
}
