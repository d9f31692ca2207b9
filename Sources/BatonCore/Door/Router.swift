// Door: the router itself, the ways in and out of it, what makes lines out of bytes, and the settings.

/// The deterministic heart: bytes and the time go in, bytes and wishes about connections come out.
///
/// **In:** `opened`, `received`, `ended`, `closed`, `wrote`, `drain`, `wake`; each says what time it is.
/// **Out:** state, not a list of effects. Lines are built straight in the connection's outbox; `nextChanged` names the
/// connections about which something is new, `wish` says what is wanted of each, `unsent` shows the bytes to write,
/// `wakeAt` says when to call `wake`. Nothing else goes in or out.
///
/// The core knows no sockets, no clock and no chance: the same calls give the same bytes.
///
/// Methods on the way of a message are mutating, whether or not they change anything: a call that borrows a struct of
/// this size copies all of it onto the stack first, one that may change it hands over its address.
///
/// The files `Router+….swift` hold what it does, one job each; here is what it knows.
public struct Router: ~Copyable {
  let settings: Settings
  /// The line that is being carried out.
  var request: Request

  // Who is there
  var connections = Table<Connection>()
  /// Connections about which something is new.
  var changed: [Slot<Connection>] = []
  /// Connections that have ended their side and were owed nothing any more: they are closed before the call ends.
  var finished: [Ref<Connection>] = []
  var blocks = BlockPool()
  /// Connections ever taken in.
  var connectionNumber = 0
  var unfinishedBytes = 0
  /// Bytes that are unsent to all connections.
  var unsentBytes = 0
  /// The connection that was closed last for being the furthest behind of all.
  var furthestBehind = Ref<Connection>.none
  /// Connections that are read from again, and of which something was kept meanwhile.
  var backlogged: [Ref<Connection>] = []
  /// Connections that are not read from because all messages under way take too much, the first to wait first.
  var crowdedOut: [Ref<Connection>] = []
  /// True once the line being read cannot be carried out yet: it is kept, with what stands behind it.
  var isLeftForLater = false

  // Who serves what
  var chains = Table<Chain>()
  var chainNames = ByteIndex<Chain>()
  /// The chain `main`, or `nobody`: what nearly every message looks for.
  var mainChain = Slot<Chain>.nobody
  var links = Table<Link>()
  var linkNames = ByteIndex<Link>()
  var replicas = Table<Replica>()
  /// What counts against `max_links`: links that have not ended, and lost ones that walks may still come by.
  var countedLinks = 0
  var emptyPlaces = 0
  /// The highest version of all chains.
  var version = 0
  /// Links that were ever inserted.
  var arrivals = 0
  var acceptLists: AcceptLists

  // What is under way
  var walks = Table<Walk>()
  var offers = Table<Offer>()
  var copies = ShadowCopies()
  var keyQueues: KeyQueues
  var traces = Table<Trace>()
  var messagePool = MessagePool()
  var walkNumber = 0
  var spelledWalk = SpelledNumber()
  /// Messages that were taken in.
  var messages = Rate()
  var openBytes = 0

  // Who listens
  var subscriptions: Subscriptions
  var sharedLines = SharedLines()
  var broadcastNumber = 0
  var announcements = Announcements()
  /// Events that subscribers lost, in all.
  var missedEvents = 0

  // What is due
  let started: Instant
  var timers: TimerWheel
  var drainDeadline: Instant?
  var drainTimer = TimerRef.none
  /// True once `drain` was called and everything is finished; the program can end when all connections are closed.
  public internal(set) var isDrained = false

  /// A router without connections. `now` is when its clock starts.
  public init(settings: Settings, at now: Instant = Instant(microseconds: 0)) {
    self.settings = settings
    request = Request(maxDepth: settings.maxDepth)
    acceptLists = AcceptLists(seed: settings.hashSeed)
    keyQueues = KeyQueues(seed: settings.hashSeed)
    subscriptions = Subscriptions(seed: settings.hashSeed)
    started = now
    timers = TimerWheel(at: now)
    makeGuardedPlaces()
  }
}

extension Router {
  /// What the caller is to do with a connection.
  public struct Wish: Equatable, Sendable {
    /// How the connection is to go on.
    public enum Ending: Equatable, Sendable {
      /// Stay open.
      case open
      /// Once everything unsent is written, shut down the writing side; go on reading.
      case shutDown
      /// Once everything unsent is written, close.
      case closeWhenWritten
      /// Close now, whatever is unsent.
      case close
    }
    /// False while the caller is to leave the peer's bytes in the kernel.
    public var reading: Bool
    /// How the connection is to go on.
    public var ending: Ending
    /// Why, for the log; nil while open.
    public var reason: CloseReason?
  }
}
