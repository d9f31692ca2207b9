package import BatonLasting

/// The keeper of durable messages: it has them written, tries them down their chains, and ends each exactly once.
///
/// Its boundary: it knows no socket, disk, clock or chance. The caller tells it what came (`takeIn`, `tryEnded`,
/// `storedUpTo`, `failed`, `loaded`, `declared`, …), calls `turn` once in each turn of the loop, and carries out what
/// `next()` gives, in that order. Times are milliseconds of a monotonic clock; `wall` is the wall clock, which only goes
/// into rows and comes from them after a restart.
///
/// What always holds:
/// - A message is told `accepted` when its row is on disk, and an end is told when it is on disk, never before.
/// - A try begins when its mark (`isUnderWay`) is on disk. So after an unclean stop the marks say what was under way.
///   The mark of a message that can begin at once stands in its row from the start: it costs no commit of its own.
/// - While commits fail, nothing begins, times of messages rest, and what waits to be written stays in order.
/// - A message has at most one entry in `timers`, and at most one in `ready`, `stalled` or `deadLetters`.
package struct Keeper: ~Copyable {
  var limits: KeeperLimits
  let start: StoredID.Start
  let secret: Secret
  var chance: Chance

  var now: UInt64 = 0
  var wall: Int64 = 0
  var nextRow: UInt64 = 1
  /// Messages up to this row may have been offered before: see `begin`.
  var lastAgain: UInt64 = 0
  var lastTurn: UInt64 = 0
  var isOpen = false
  var isDraining = false
  /// What is free on the disk, as far as it is known: what was written since it was looked at is taken off.
  var freeBytes = Int.max
  var lookAt: UInt64 = 0
  let results: ResultSpelling

  var trees: Trees
  var messages = Pool<MessageRecord>()
  /// The starts of this server, and of those before it, from which there are messages. The names of many have one.
  var starts = Pool<StoredID.Start>()
  var startPlaces: NumberIndex<StoredID.Start>
  /// Messages by their rows.
  var rows: NumberIndex<MessageRecord>
  var timers = Tree<MessageRecord>()
  var contents = Pool<HeldContent>()
  /// Who waits for lines about messages; and by their tickets.
  var hearers = Pool<Hearer>()
  var tickets: NumberIndex<Hearer>

  var chains = Pool<ChainRecord>()
  var chainNames = Tree<ChainRecord>()
  var lastChain = LastDigest()
  var runnable = Tree<ChainRecord>()
  var flows = Pool<Flow>()
  var flowPlaces = Tree<Flow>()
  var accounts = Pool<Account>()
  var accountNames = Tree<Account>()
  /// The names of accounts that have messages, for those who are told of them.
  var identities: [Place<Account>: [UInt8]] = [:]
  var lastIdentity = LastDigest()
  var waiting = 0
  var bytes = 0
  var openTries = 0
  var openBytes = 0

  var lines = Pool<KeyLine>()
  var lineNames = Tree<KeyLine>()
  var ordinary = Pool<OrdinaryPlace>()
  var ordinaryTickets = Tree<OrdinaryPlace>()

  var onces = Pool<OnceName>()
  var onceNames: NumberIndex<OnceName>
  var forgetting = Tree<OnceName>()
  /// Names whose messages have ended.
  var remembered = 0
  /// Identities that have some of them.
  var rememberers = 0

  /// Requests for a dead letter, by its message: what to do when it is loaded or written.
  var deadRequests: [Place<MessageRecord>: DeadRequest] = [:]
  /// Dead letters that are to be read when there is room, and the bytes of those that are on their way from and to the disk.
  var lettersToRead = Line<Place<MessageRecord>>()
  var letterBytes = 0

  // What is to be written, in order: the first `sent` are with the store.
  var unstored = UnstoredLine()
  var sent = 0
  /// Bytes of all of these, and of those that are with the store.
  var unstoredBytes = 0
  var sentBytes = 0
  /// What waits behind that, in lines of those who send it, and whose turn it is.
  var senders = Pool<SenderLine>()
  var senderNames = Tree<SenderLine>()
  var turns = Line<Place<SenderLine>>()
  /// Bytes of all that is in these lines, and of all results that are not on disk yet.
  var inLineBytes = 0
  var resultBytes = 0
  /// How many writes there have been, and how many of them the store has.
  var writes: UInt64 = 0
  var sentWrites: UInt64 { mutating get { writes - UInt64(unstored.count - sent) } }
  var generation: UInt64 = 1
  var number: UInt64 = 0
  var storedNumber: UInt64 = 0
  var failingSince: UInt64?
  var probeAt: UInt64 = 0
  var isProbing = false
  /// Whether this turn may write: while commits fail, one turn each second may.
  var mayWrite = true
  var staying = StayingLane()
  // What is to be read, in order: the first `asked` are with the store.
  var loads = Line<WantedLoad>()
  var asked = 0
  /// Bytes of all of these, and of those that are with the store.
  var wantedBytes = 0
  var askedBytes = 0
  /// Messages that could not be read, and will be asked for again.
  var unreadable = 0
  /// Messages that were found damaged since the start.
  var damaged = 0
  var begins = Line<UInt64>()
  var outputs: [KeeperOutput] = []
  /// Those that `next` has given.
  private var given = 0

  /// When `turn` must be called again at the latest; nil if nothing is due.
  package private(set) var wakeAt: UInt64?

  /// A keeper without messages.
  ///
  /// `start` is drawn anew at each start, `secret` once for a store; `seed` is the chance in the times of tries.
  package init(
    limits: KeeperLimits, start: StoredID.Start, secret: Secret, seed: UInt64, results: ResultSpelling
  ) {
    (self.limits, self.start, self.secret, self.results) = (limits, start, secret, results)
    chance = Chance(seed: seed)
    trees = Trees(secret: secret.low ^ seed)
    rows = NumberIndex(secret: secret.high ^ seed)
    tickets = NumberIndex(secret: secret.high ^ seed)
    startPlaces = NumberIndex(secret: secret.high ^ seed)
    onceNames = NumberIndex(secret: secret.high ^ seed)
  }

  /// What is to be done next; nil if there is nothing now.
  package mutating func next() -> KeeperOutput? {
    guard given < outputs.count else {
      outputs.removeAll(keepingCapacity: true)
      given = 0
      return nil
    }
    given += 1
    return outputs[given - 1]
  }

  /// All that `next` would give, into an empty list.
  package mutating func takeOutputs(into list: inout [KeeperOutput]) {
    swap(&list, &outputs)
    if given > 0 { list.removeFirst(given) }
    given = 0
  }

  /// What comes from now on comes at this time. It is told before that, for the last turn may be long ago.
  package mutating func pass(to now: UInt64, wall: Int64) { (self.now, self.wall) = (max(now, self.now), wall) }

  /// Gives everything its turn, in bounded steps; `wakeAt` says when the next one is due.
  package mutating func turn(at now: UInt64, wall: Int64) {
    pass(to: now, wall: wall)
    guard isOpen else { return }
    if lacksRoomOnDisk, self.now >= lookAt {
      lookAt = self.now + 1000
      outputs.append(.look)
    }
    staying.beginTurn()
    carryOutStored()
    settleStaying()
    beginAttempt()
    if failingSince == nil {
      passTimes()
      forgetNames()
      wakeStalled()
      chooseTries()
      beginTries()
      readLetters()
    }
    if failingSince == nil { takeTurns() }
    sendWrites()
    sendLoads()
    wakeAt = nextWake()
  }

  private mutating func nextWake() -> UInt64? {
    if let head = unstored[0], head.number != 0, head.number <= storedNumber { return now }
    if staying.hasAnswers(upTo: storedNumber) { return now }
    if failingSince != nil { return isProbing ? nil : probeAt }
    if sent < unstored.count && !isStoreFull || !begins.isEmpty || hasTurns || lettersWait { return now }
    var wake: UInt64?
    func consider(_ time: UInt64?) { if let time { wake = min(wake ?? time, max(time, now)) } }
    if lacksRoomOnDisk { consider(lookAt) }
    consider(trees.first(of: timers)?.key.first)
    consider(trees.first(of: forgetting)?.key.first)
    if canLoad { consider(now) }
    if !isDraining, !runnable.isEmpty, hasRoomForTry, !hasEnoughToRead { consider(now) }
    if wakesOn { consider(now) }
    return wake
  }

  /// Chains that have stalled messages to wake, and whether that goes on without waiting for room.
  var waking = Tree<ChainRecord>()
  var wakesOn = false

  mutating func digest(_ one: [UInt8], _ two: [UInt8]? = nil) -> Digest { KeyedHash.digest(secret, one, two) }

  mutating func drawTurn() -> UInt64 {
    lastTurn += 1
    return lastTurn
  }

  /// The place of a start. It stays as long as the server lives.
  mutating func place(of start: StoredID.Start) -> Place<StoredID.Start> {
    if let known = startPlaces.find(start.low, where: { starts[$0] == start }) { return known }
    let new = starts.add(start)
    startPlaces.insert(start.low, new)
    return new
  }

  mutating func id(of message: Place<MessageRecord>) -> StoredID {
    StoredID(start: starts[messages[message].start], count: messages[message].row)
  }

  mutating func id(ofName once: Place<OnceName>) -> StoredID {
    StoredID(start: starts[onces[once].start], count: onces[once].row)
  }

  mutating func find(_ id: StoredID) -> Place<MessageRecord>? {
    guard let message = rows.find(id.count), self.id(of: message) == id else { return nil }
    return message
  }
}

/// What is to be read of a message, once the store has so many writes: those of this message are among them.
struct WantedLoad {
  var row: UInt64
  var after: UInt64
  /// As many as the store will read.
  var bytes: Int
}

/// What somebody asked of a dead letter.
struct DeadRequest {
  var ticket: UInt64
  /// The line of who asks for it.
  var sender: Digest
  /// Nil to discard it.
  var resend: Resend?
  /// Bytes with which it counts until it is on disk; 0 while it waits.
  var counted = 0

  struct Resend {
    var payload: [UInt8]?
    var from: [UInt8]?
    /// Bytes that head and payload may have together.
    var most: Int
    var new: Place<MessageRecord> = .none
  }
}
