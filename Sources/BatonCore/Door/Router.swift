// Door: the router itself, the calls in and out, the framing of bytes into lines, and the settings. It may call all
// other rooms, and none of them calls it.

/// The deterministic core of the server: bytes and the time go in; bytes and wishes about connections come out.
///
/// **In:** `opened`, `received`, `ended`, `closed`, `wrote`, `drain`, `turn`. Each call says what time it is.
/// **Out:** state, not a list of effects. Lines are built directly in the connection's outbox. `writeNext` shows the unsent
/// bytes of the next connection that has changed, hears how many of them were taken, and says what to do with the connection.
/// `wakeAt` says when to call `turn` at the latest. Nothing else goes in or out.
///
/// The core has no sockets, no clock and no randomness: the same calls give the same bytes.
///
/// The methods that a message needs are mutating, even if they change nothing. A call that borrows a struct of this
/// size first copies all of it onto the stack; a call that may change it passes its address. Measured, these copies
/// were an eighth of the cost of a message.
///
/// The files `Router+….swift` have the router's functions, one job in each. This file has its state, in a block for each room
/// that owns some of it: no other room writes it (`Tests/House`).
public struct Router: ~Copyable {
  // Requests
  /// The request of the line that is carried out now.
  var request: Request

  // Access
  var identities = Identities()

  // Output
  var connections = Table<Connection>()
  /// The connections that `writeNext` has not come to since they changed. The first one changed first.
  /// Some of them may be gone.
  var changed = Queue<Slot<Connection>>()
  /// How many times `writeNext` has looked for one.
  var returned: UInt8 = 0
  /// Those that were postponed. They come behind all others.
  var postponed = Queue<Slot<Connection>>()
  /// Connections that have ended their side and wait for no more results. `endStep` closes them.
  var finished: [Ref<Connection>] = []
  var blocks = BlockPool()
  /// What the lines are that wait for doors of HTTP.
  var markedLines = Table<MarkedLines>()
  /// The number of connections that were ever opened, which is the number of the latest one.
  var connectionNumber = 0
  /// The bytes of all connections' unfinished lines and backlogs.
  var unfinishedBytes = 0
  /// The unsent bytes of all connections.
  var unsentBytes = 0
  /// The requests of HTTP of all identities.
  var requests = 0
  /// Whose connections were found to leave too much unread, until the end of the call in.
  var hoarder = Hoarder.nobody
  /// What is unsent to all anonymous connections.
  var anonymousUnsent = UnsentCount()
  /// The account with the most unsent replies, offers and results when somebody last got more than few of them.
  var mostUnread = Slot<PeerAccount>.nobody
  /// Connections that are not read from because all messages under way take too many bytes. The first one has waited
  /// longest.
  var crowdedOut = Queue<Ref<Connection>>()
  /// Those that are not read from because a share of these bytes is used.
  var waitingForShare = WaitingForShare()
  /// The list of open connections that the server does not read from, the longest paused first.
  var firstPaused = Slot<Connection>.nobody
  var lastPaused = Slot<Connection>.nobody
  /// Whether the line that is read now has to wait. If so, it is kept, with the bytes after it.
  var isLeftForLater = false
  var accounts: PeerAccounts
  /// Accounts that have room for connections that wait. The first one had room first.
  var roomyAccounts = Queue<Slot<PeerAccount>>()
  /// The number of the latest turn.
  var turns = 0
  /// What connections may still cost in this turn beyond what each has of its own.
  var sharedCredit = Cost.shared
  /// What was paid since the latest turn began, by whomever.
  package internal(set) var costOfTurn = 0
  /// What was done since somebody paid last.
  var spent = 0
  /// Connections that wait for their next turn. The first one has waited longest.
  var parked = Queue<Ref<Connection>>()
  /// Work that goes on in pieces.
  var jobs = Queue<Job>()
  /// What the patterns of all connections, mounts and kept places count against `max_total_patterns`.
  var totalPatterns = 0
  /// The bytes of all messages under way.
  var openBytes = 0
  /// Those of the tries of stored messages that are under way.
  var bytesOfTries = 0
  var timers: TimerWheel
  /// Why some messages are not taken in now; empty nearly always.
  var refusals: Refusals = []

  // Notes
  /// The last 100 connections that were closed, and the last 100 changes of chains.
  var closedConnections = LastOnes<Note>(most: 100)
  var changes = LastOnes<Note>(most: 100)
  var traces = Table<Trace>()
  /// The entry of a trace, or the kept message, that is written now.
  var entryText = OwnedBytes()
  var failedWalks: FailedWalks
  var announcements = Announcements()
  var denials = Denials()
  /// What is noted for the log.
  var journal = Journal()

  /// What lies between the router and the record.
  var recorder = Recorder()
  /// Which messages are traced beyond this server.
  var sampler: TraceSampler

  // Keeping
  /// What lies between the router and the keeper of durable messages.
  var desk: KeeperDesk

  // Chains
  var chains = Table<Chain>()
  var chainNames = ByteIndex<Chain>()
  /// The chains that have links, in the order of their names; and the root of that tree.
  var chainOrder = OrderTree<Chain>()
  var firstName = Slot<OrderNode>.nobody
  /// The chain `main`, or `nobody` if it is not there. Nearly every message needs it.
  var mainChain = Slot<Chain>.nobody
  var links = Table<Link>()
  var linkNames = ByteIndex<Link>()
  /// The links of all chains in their orders.
  var linkOrder = OrderTree<Link>()
  /// Links whose connections do not know their new rank yet.
  var movedLinks = Queue<Ref<Link>>()
  var replicas = Table<Replica>()
  /// The links that count against `max_links`: links that have not ended, and lost links that a walk may still reach.
  var countedLinks = 0
  /// The places that are kept although no connection serves them.
  var emptyPlaces = 0
  /// The number of the latest search through mounts.
  var mountSearches = 0
  /// The highest version of all chains. Each change of a chain takes the next number.
  var version = 0
  /// The number of links that were ever inserted.
  var arrivals = 0
  var acceptLists: AcceptLists
  /// What was counted at all links that there ever were, and its last minutes.
  var allCounts = Link.Counts()
  var allTimes = ServiceTimes()
  var allHistory: History
  /// What was counted under each name, for `/metrics`; and the links that have not ended and share those of their chain.
  var meters: MeterTable
  var linksMeteredTogether = 0
  /// The last minutes of links: a list, first the one in which nothing was counted for the longest time.
  var histories = Table<History>()
  var firstHistory = Slot<History>.nobody
  var lastHistory = Slot<History>.nobody

  // Listeners
  /// What the server's own events may still cost in this turn beyond what connections may.
  var announcementCredit = Cost.own
  /// Whether what is kept above lowered limits is being forgotten.
  var isForgetting = false
  var subscriptions: Subscriptions
  var traceListeners: TraceListeners
  var sharedLines = SharedLines()
  /// What is kept for those who come later, or were away.
  var retained: RetainedValues
  var keptEvents: KeptEvents
  /// What a store has of it, and the replies that wait for that.
  var storing: Storing
  /// Subscribers with nothing unsent that get what is kept once all connections together have room.
  var crowdedReplays = Queue<Ref<Connection>>()
  /// Whether peers have read since these tried.
  var hasRoomCome = false
  /// The number of the latest broadcast.
  var broadcastNumber = 0
  /// The number of events that subscribers have missed, in total.
  var missedEvents = 0

  // Walks
  var walks = Table<Walk>()
  /// Those of them that are places of messages in stages.
  var placesInStages = 0
  /// What answers conditions.
  var evaluator = Evaluator()
  var offers = Table<Offer>()
  var copies = ShadowCopies()
  /// Ends that wait until their lines are in the record.
  var heldEnds = HeldEnds()
  /// In which turns messages wait at links.
  var waitingTurns: WaitingTurns
  var keyQueues: KeyQueues
  var messagePool = MessagePool()
  /// The number of the latest walk.
  var walkNumber = 0
  /// The same number with its digits.
  var spelledWalk = SpelledNumber()
  /// The messages that were taken in.
  var messages = Rate()

  // Leaving
  /// Connections that may make room for newcomers, and when each was last heard. The last one has been silent longest.
  var silent: [(connection: Ref<Connection>, heard: Instant)] = []
  /// When they were looked for; nil before the first time.
  var silentListedAt: Instant?
  /// The connection that was closed last because it had the most unsent bytes of all.
  var furthestBehind = Ref<Connection>.none
  var strangers = Crowd()
  var reloads = Reloads()
  /// The connections that have been ended and are not closed yet.
  var endedConnections = 0
  /// Who leads, as long as this server is a spare.
  var otherLeader: OtherLeader?
  /// To which node a peer wants the lead to go; nil if no peer wants that.
  var wantedHandOver: HandOver?
  /// Those of them that are read on, or written to, for a while.
  var lingering = Crowd()
  /// Whether tables that were larger are giving memory back.
  var isShrinking = false
  /// Connections whose clocks are due and that a job will check. The first one has waited longest.
  var dueClocks = Queue<Ref<Connection>>()
  /// How many connections had changed before the step of the router's own that is done now.
  var changedBefore = 0
  /// The number of connections that have ended and still have something here.
  var leavingConnections = 0
  /// What is still under way after the time for draining is over, the first taken in first.
  var walksToEnd = Queue<Ref<Walk>>()
  /// The time at which a turn came too late. Timers up to then count as late.
  var lateUntil = Instant(microseconds: .min)
  /// The time by which deadlines are judged until the timers have fired, because the turn is late; nil otherwise.
  var judgedAt: Instant?
  /// The chains that the configuration file declares.
  var declarations: [ChainDeclaration] = []
  /// When draining ends; nil before `drain`.
  var drainDeadline: Instant?
  var drainTimer = TimerRef.none
  /// Whether some connections have still to be told.
  var isTellingDraining = false
  /// Whether `drain` was called and no message is under way any more. The program can end when all connections are
  /// closed.
  public internal(set) var isDrained = false

  // Ops
  /// What of the request does not count, because the configuration file says otherwise.
  var ignored: [Member] = []

  // Door
  /// A reload changes some of them.
  var settings: Settings
  /// Limits that sink with what there is; nil if all are as they should be.
  var sinking: SinkingLimits?
  /// When the latest turn was.
  var lastTurn: Instant
  /// The connection that pays for what is done now, or `nobody`.
  var payer = Slot<Connection>.nobody
  let started: Instant

  /// A router without connections. `access` says who may do what; without it, everybody may do everything. `now` is the
  /// start of its clock.
  public init(settings: Settings, access: AccessRules? = nil, at now: Instant = Instant(microseconds: 0)) {
    self.settings = settings
    request = Request(
      maxDepth: settings.maxDepth, limits: WordLimits(words: settings.maxTopicWords, stars: settings.maxPatternStars))
    accounts = PeerAccounts(seed: settings.hashSeed)
    acceptLists = AcceptLists(seed: settings.hashSeed)
    meters = MeterTable(seed: settings.hashSeed)
    allHistory = History(of: .nobody, in: 0, Link.Counts(), ServiceTimes())
    keyQueues = KeyQueues(seed: settings.hashSeed)
    waitingTurns = WaitingTurns(seed: settings.hashSeed)
    subscriptions = Subscriptions(seed: settings.hashSeed)
    traceListeners = TraceListeners(seed: settings.hashSeed)
    retained = RetainedValues(seed: settings.hashSeed)
    failedWalks = FailedWalks(seed: settings.hashSeed)
    keptEvents = KeptEvents(seed: settings.hashSeed)
    keptEvents.take(settings.keptTopics)
    storing = Storing(seed: settings.hashSeed)
    sampler = TraceSampler(seed: settings.traceSeed)
    desk = KeeperDesk(isThere: settings.hasStore)
    started = now
    lastTurn = now
    timers = TimerWheel(at: now)
    if let access {
      identities.take(access)
      request.takeTokens(true)
    }
    takeRecordRule(settings.record)
    takeTraceRule(settings.trace)
    changeChains(to: settings.chains, at: now)
  }
}

extension Router {
  /// What is left for the caller when a turn ends.
  public struct Rest {
    /// Whether the next turn has something to do, or something is to be written: the caller does not wait.
    public let hasWork: Bool
    /// `wantsReload` or `wantsCheck`.
    public let wantsFile: Bool
    /// Whether something was noted for the log.
    public let hasJournal: Bool
    /// Whether nothing is under way any more of what draining waits for.
    public let isDrained: Bool
    /// `wakeAt`, or an earlier time, which costs less to find out.
    public let wakeAt: Instant?
  }

  /// A connection whose unsent bytes were shown.
  public struct Written {
    /// The connection.
    public let id: ConnectionID
    /// What the caller must do with it.
    public let wish: Wish
    /// Whether bytes are left unsent.
    public let hasUnsent: Bool
    /// Whether there were so many that writing them took long.
    public let wasMuch: Bool
  }

  /// What the caller must do with a connection.
  public struct Wish: Equatable, Sendable {
    /// How the connection goes on.
    public enum Ending: Equatable, Sendable {
      /// The connection stays open.
      case open
      /// Write all unsent bytes, then shut down the writing side, and continue to read.
      case shutDown
      /// Write all unsent bytes, then close the connection.
      case closeWhenWritten
      /// Close the connection now, even if there are unsent bytes.
      case close
    }
    /// Whether the caller reads from the peer. If not, it leaves the peer's bytes in the kernel.
    public var reading: Bool
    /// How the connection goes on.
    public var ending: Ending
    /// Why the connection ends, for the log; nil while it is open.
    public var reason: CloseReason?

    /// That of a connection that is there no more.
    static let gone = Wish(reading: false, ending: .close, reason: nil)
  }
}
