/// The connection of one peer: the beginning of an unfinished line, the bytes that wait to be written, and what the
/// peer has open here.
///
/// It knows no socket. The router's extensions change it, each room what stands under its name. Invariant, until the
/// connection is severed: `stoppedAt` is nil if and only if `isToBeRead` is true.
///
/// Small properties stand where those before them leave room: in another order, a connection had 48 bytes more.
struct Connection: ~Copyable {
  /// The steps to the end of a connection.
  enum Phase {
    case open
    /// The peer has shut down its writing side. It still gets the results that it waits for.
    case halfClosed
    /// The server has ended the connection. Incoming bytes are dropped, and no new line is written.
    case severed
  }

  // Output
  /// The number that others see if the connection has no name.
  let number: Int
  /// When the peer connected.
  let opened: Instant
  /// When bytes last came from the peer.
  var lastHeard: Instant
  /// The time from which `slow_ms` counts: when the peer last took a byte, fell behind, or was to be closed.
  var lastTaken = Instant(microseconds: 0)
  /// When its timer fires.
  var timerAt = Instant(microseconds: .max)
  /// The messages of the connection that are under way.
  var openMessages = 0
  /// The bytes that these messages take.
  var openBytes = 0
  /// The results that the server owes it.
  var owed = 0
  /// What the patterns of its subscriptions and links count against `max_patterns` (see `Pattern.weight`).
  var patterns = 0
  /// How far its request has come that looks at all connections or messages; nil if there is none.
  var survey: Survey?
  /// The bytes of events and notices among its unsent bytes; more than these, once some bytes were sent: it is not known
  /// which ones they were.
  var unsentEvents = 0
  /// Bytes that came while the server did not read from the connection, or that it could not take yet. Usually they are
  /// the bytes of one read.
  var backlog = OwnedBytes()
  var outbox = Outbox()
  /// The beginning of a line whose end has not come.
  var unfinished = UnfinishedLine()
  /// Whether `backlog` counts with the unfinished lines. What only waits for its turn does not.
  var isBacklogCounted = false
  /// Whether it is in the router's queue `parked`: it waits for its next turn and is not read from.
  var isParked = false
  /// Whether the connection is in the router's list `changed`.
  var isChanged = false
  /// What it has together with the other connections of its identity; `nobody` if it has no identity.
  var account = Slot<PeerAccount>.nobody
  var credit = Credit()
  /// Through which door it came.
  let door: PeerDoor
  var pauses: Pauses = []
  /// Whether it is in the router's list of paused connections, and the one before it there.
  var isListedAsPaused = false
  var previousPaused = Slot<Connection>.nobody
  /// The time at which the server stopped reading from it; nil while it reads. The clocks on the peer's silence are
  /// suspended from then on.
  var stoppedAt: Instant?
  /// Whether one of its messages was let in, ever, also if nobody was there to get it.
  var hasSent = false
  /// Whether offers wait until it has read, because it has its share of all unsent bytes.
  var isOfferedLater = false
  /// The one behind it in the list of paused connections.
  var nextPaused = Slot<Connection>.nobody
  /// The pings that were sent since bytes last came.
  var pings: UInt32 = 0
  /// What the lines are that wait for it, at a door of HTTP that wants to know; `nobody` otherwise.
  var marked = Slot<MarkedLines>.nobody
  /// The one timer for all clocks of the connection.
  var timer = TimerRef.none

  // Walks
  var sending = Sending()
  var lateHandling = Late<Handling>()

  // Chains
  var serving = Serving()

  // Ops
  /// The times of its errors of form within the last `errors_ms`.
  var errors: [Instant] = []

  // Listeners
  var listening = Listening()

  // Keeping
  var asking = Asking()

  // Leaving
  /// Whether it has asked for the configuration file to be read anew, and that is not done.
  var awaitsReload = false
  /// Whether it is in the router's queue `dueClocks`.
  var isClockDue = false
  /// Whether the caller has closed it. It is forgotten when it has left.
  var isGone = false
  /// Who it is; `nobody` if the server asks nobody, or if it is a stranger (contract, section 11).
  var identity = Slot<Identity>.nobody
  /// The name, or `#` and the number, as a JSON string. It is padded, because it is copied with every message.
  var from: OwnedBytes
  /// By what it is known; nil if the server asks nobody.
  var credentials: Credentials?
  /// Milliseconds of silence after which the server sends a ping; 0 means never.
  var heartbeat = 0
  /// What is left to do while all that it has here is ended, one piece after the other; nil before and after that.
  var leaving: Leaving?
  /// When a severed connection is closed, even if the peer has not closed its side.
  var closeAt: Instant?
  /// How far the connection is on the way to its end.
  var phase = Phase.open
  /// What the caller is asked to do with it.
  var ending = Router.Wish.Ending.open
  /// Why the server ended it; nil before that.
  var reason: CloseReason?
  /// Its place among the strangers, or, once it is severed, among those that have been ended; `nobody` if it has none.
  var place = Slot<Crowd.Member>.nobody

  // Notes
  /// When it began to miss events that it has not been told about; nil if that is not known.
  var missingSince: Instant?

  // Door
  /// Whether the peer has shut down its writing side after the bytes in `backlog`.
  var hasEnded = false

  init(number: Int, door: PeerDoor = .lines, at now: Instant) {
    self.number = number
    self.door = door
    opened = now
    lastHeard = now
    from = OwnedBytes(padded: "\"#\(number)\"")
  }

  /// Whether the server reads from it. A connection that serves links is not stopped because of its messages, because
  /// its verdicts must get through (contract, section 10).
  @inline(__always)
  var isToBeRead: Bool {
    phase == .severed || !(pauses.contains(.unsent) || (!pauses.isEmpty && !getsBusy))
  }

  /// Whether a message for which there is no room gets `busy`, and does not wait: the connection serves links, or it is
  /// one request of HTTP.
  @inline(__always)
  var getsBusy: Bool { serving.firstReplica != .nobody || door == .request }

  /// Its unsent bytes without those of events and notices, which neither stop the reading nor close it.
  @inline(__always)
  var unsentReplies: Int { outbox.held &- unsentEvents }

  /// Whether the server asks who it is and does not know yet.
  @inline(__always)
  var isStranger: Bool { place != .nobody && phase != .severed }

  /// Whether it has a certificate; of a stranger or an anonymous one, that names nobody.
  var hasCertificate: Bool { credentials?.facts.hasCertificate == true }

  /// The bytes of its unfinished line and its backlog, without what only waits for its turn.
  var unfinishedBytes: Int { unfinished.pending.count + (isBacklogCounted ? backlog.count : 0) }

  /// Whether the peer has shut down its writing side and waits for nothing more.
  @inline(__always)
  var isFinished: Bool { phase == .halfClosed && owed == 0 && leaving == nil && !awaitsReload }

  /// The reasons to stop reading.
  struct Pauses: OptionSet {
    let rawValue: UInt8
    /// Too many bytes wait to be written to the peer.
    static let unsent = Pauses(rawValue: 1)
    /// Too many messages of the connection are under way, or they take too many bytes.
    static let messages = Pauses(rawValue: 2)
    /// The messages of all connections take too many bytes.
    static let total = Pauses(rawValue: 4)
    /// The messages of the connection take as many bytes as are free for all.
    static let share = Pauses(rawValue: 8)
    /// The messages of all connections of its identity are too many, or take too many bytes.
    static let account = Pauses(rawValue: 16)
    /// What connections of its identity or address left under way takes as many bytes as are free for all.
    static let left = Pauses(rawValue: 32)
    /// Its durable messages on their way to the disk take too many bytes.
    static let store = Pauses(rawValue: 64)

    /// Which share is used; nil if none is.
    var share: Pauses? { contains(.share) ? .share : contains(.left) ? .left : nil }

    /// The first reason, as `inspect` names it.
    var spelling: StaticString { first == .unsent ? "unsent" : first == .total ? "total" : "messages" }

    /// The first reason. A share of what all have counts as `total`.
    var first: Pauses { contains(.unsent) ? .unsent : isDisjoint(with: [.total, .share, .left]) ? .messages : .total }
  }
}
