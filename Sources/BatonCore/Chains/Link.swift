/// The settings of a link that `insert` and `replace` can give; its place is not among them. A new member of these
/// requests begins here.
struct LinkSettings: Equatable {
  /// The patterns as they were given. The pattern index holds the same patterns.
  var accepts: [[UInt8]] = [Array(">".utf8)]
  /// How long one offer may take, in milliseconds. Nil: a fair share of the message's time.
  var timeoutMilliseconds: Int?
  /// The number of the link's offers that one connection may hold at once.
  var window: Int
  /// Whether a failure, by its cause, ends the walk.
  var onFailure = FailurePolicy.goOn
  /// Whether several connections may serve it.
  var isShared = false
  /// How long the place is kept after its last connection has gone, in milliseconds.
  var holdMilliseconds = 0
  /// Whether the place stays when its last connection is lost.
  var isRequired = false
  /// Whether the link gets copies, which no walk waits for.
  var isShadow = false
  /// The part of the messages that the link is for, in percent (`Bucket`).
  var percent = 100
  /// What a message has to say that the link is for; nil: nothing.
  var when: LinkCondition?
  /// Of a mount: whether the links of the mounted chain are asked at once.
  var isTogether = false

  /// Whether the link may stay when its last connection goes, however many places are held: it is required, or messages under
  /// way must not pass it.
  var isLasting: Bool { isRequired || onFailure[.disconnect] }

  /// Whether each message is for the link whose topic it accepts.
  @inline(__always)
  var isForAll: Bool { percent == 100 && when == nil }

  /// What its patterns and its condition count (`max_patterns`).
  var weight: Int { Pattern.weight(of: accepts) + (when?.weight ?? 0) }

  /// Whether a message of this topic is for the link.
  func accept(_ topic: UnsafeRawBufferPointer) -> Bool {
    accepts.contains { pattern in
      pattern.withUnsafeBytes { Pattern.matches(topic, pattern: $0) }
    }
  }
}

/// The settings that the handler of a declared link brings, where the file does not say them.
struct HandlerSettings: Equatable {
  /// How long one offer may take, in milliseconds. Nil: a fair share of the message's time.
  var timeoutMilliseconds: Int?
  /// The number of offers that one connection may hold at once. Nil: the default.
  var window: Int?
}

/// One place in a chain: its settings, its state and its counts. Only the router's extensions change it, each
/// room what stands under its name.
///
/// A link that has ended stays in its table and in its chain's order while a walk stands at it. A link that was lost
/// with its connection also stays while an older walk may still reach it.
struct Link: ~Copyable {
  /// How a link can end.
  enum Fate {
    /// It was removed: walks skip it.
    case removed
    /// Its connection was lost: it fails the walks that had entered the chain before.
    case lost
    /// It is an older place of another link (`Router+OlderPlaces`): walks that had entered the chain before come to that
    /// link here.
    case moved
  }

  /// The service of a link: handlers, none, or a mounted chain.
  enum Service {
    /// Handlers: one connection, or several replicas.
    case replicas
    /// No handler; the place is held. Messages wait until this timer fires.
    case held(TimerRef)
    /// No handler; the place is required or declared. Messages fail or pass until a handler comes back.
    case absent
    /// Another chain, mounted here.
    case mount(Slot<Chain>)
  }

  /// What happened at a link, or at all links together.
  struct Counts {
    /// The offers that were made, without those of a shadow.
    var offers = 0
    private(set) var tallies = Tallies<Int>()
    /// For a shadow: the verdicts that agreed with the outcome, and those that did not.
    var agreed = 0
    var disagreed = 0
    /// How often it was asked although nobody knows whether its condition fits.
    var doubtful = 0
    private var window = FailureWindow()

    /// The failures among the last messages, and how many messages these are.
    var last: (failures: Int, messages: Int) { window.last(tallies.sum, tallies.failures) }

    @inline(__always)
    mutating func count(_ tally: Tally) {
      if tally.isFailure { window.willFail(tallies.sum, tallies.failures) }
      tallies.add(1, to: tally)
    }
  }

  // Output
  /// The bytes of what waits here; and what of it the anonymous have who come from any address.
  var waitingBytes = 0
  var waitingBytesOfAnonymous = 0

  // Notes
  /// What of its failures the log does not know.
  var untold = UntoldFailures()

  // Chains
  let chain: Slot<Chain>
  var name: OwnedBytes
  var rank: Double
  /// The number of the insert. It orders links of equal rank.
  var arrival: Int
  /// The version that the insert made, or the last change of its place or of what the file says about it.
  var birth: Int
  /// Nil until the link ends.
  var fate: Fate?
  /// The version at which the link ended.
  var end = Int.max
  /// True while the link is in its chain's `lost`: a walk that entered before the end may still reach it.
  var isAwaited = false
  /// Its node in the order of its chain.
  var node = Slot<OrderNode>.nobody
  /// Whether it is in the router's `movedLinks`.
  var isMoveUntold = false
  var settings: LinkSettings
  /// What the last handler of a declared link brought. It counts where the file does not say it.
  var brought = HandlerSettings()
  /// Its newest older place, if walks may still see one; of an older place, the one before it.
  var older = Ref<Link>.none
  /// Of an older place: the link itself.
  var present = Ref<Link>.none
  /// The connection that made the mount.
  var maker = Ref<Connection>.none
  /// Who pays for it while no connection serves it; `nobody` for what the file declares.
  var payer = Slot<PeerAccount>.nobody
  /// What its patterns count while no replica counts them: those of a mount, of a kept place, and of a lost link that a
  /// walk may still reach.
  var ownPatterns = 0
  /// Its condition, and the numbers of its members among those of its chain (`ChainNames`), while it has patterns in the index.
  var named: (condition: LinkCondition, numbers: [UInt32])?
  /// The patterns in the index of `AcceptLists`.
  var entries: [Ref<PatternEntry>] = []
  var service = Service.replicas
  /// Since when no handler serves its place, if that is so.
  var emptySince = Instant(microseconds: 0)
  /// The replicas that serve the link, a list in the order in which they came.
  var firstReplica = Slot<Replica>.nobody
  var lastReplica = Slot<Replica>.nobody
  /// The number of these replicas.
  var connections = 0
  /// The replica that got the last offer. Among equals, the turn continues behind it.
  var served = Slot<Replica>.nobody
  var counts = Counts()
  /// What it counts into for `/metrics`; the first meters for a mount and for an older place.
  var meters = MeterTable.rest
  /// When it got its name there, as a number of the meters' table.
  var meterNumber = 0
  /// Whether it counts under its own name there.
  var isMeteredAlone = false
  var times = ServiceTimes()
  /// The end of the sample in which something was counted last: what is counted from then on begins the next one.
  var sampleEnd = Instant(microseconds: .min)
  /// Its last minutes, or `nobody`.
  var history = Slot<History>.nobody

  // Walks
  /// The walks that wait here, in the order in which they came. A walk whose offer was lost is ahead of the others
  /// (`waitAgain`).
  var firstWaiting = Slot<Walk>.nobody
  var lastWaiting = Slot<Walk>.nobody
  /// Those in whose turns they wait, a circle: the first one is the next.
  var firstTurn = Slot<WaitingTurn>.nobody
  var lastTurn = Slot<WaitingTurn>.nobody
  /// Since when something has waited here without a pause.
  var waitedSince = Instant(microseconds: 0)
  /// The last of the waiting walks whose offers were lost, or `nobody`.
  var lastAgain = Slot<Walk>.nobody
  /// The next waiting walk that is compared with patterns that were changed, or `nobody`.
  var nextToSift = Slot<Walk>.nobody
  /// Whether a job serves its queue.
  var isToBeServed = false
  /// The number of walks that stand here. Walks in the chain that is mounted here are counted, too.
  var standing = 0
  /// The number of walks that wait here.
  var waiting = 0
  /// Those of the anonymous who come from any address.
  var waitingOfAnonymous = 0
  /// Its last failure; nil before the first one.
  var trouble: LinkTrouble?

  // Leaving
  /// Its index among the links that the configuration file declares for its chain; nil if it is not declared.
  var declaredAt: Int?

  init(
    chain: Slot<Chain>, name: UnsafeRawBufferPointer, rank: Double, arrival: Int, birth: Int, settings: LinkSettings
  ) {
    self.chain = chain
    self.name = OwnedBytes(copying: name)
    self.rank = rank
    self.arrival = arrival
    self.birth = birth
    self.settings = settings
  }

  /// When messages do not wait at the empty place any more.
  var holdEnd: Instant { emptySince.advanced(milliseconds: settings.holdMilliseconds) }

  /// Whether the configuration file declares the link.
  @inline(__always)
  var isDeclared: Bool { declaredAt != nil }
  /// Whether a message that expects no verdict may not pass: the link's handler could not stop it (contract, section 4).
  var stopsNotices: Bool { settings.onFailure != .goOn }

  /// The chain that is mounted here, or `nobody`.
  var mounted: Slot<Chain> {
    if case .mount(let chain) = service { chain } else { .nobody }
  }

  /// Whether the place is kept and no handler serves it.
  var isEmptyPlace: Bool {
    switch service {
    case .held, .absent: fate == nil
    default: false
    }
  }

  /// Whether the place is kept, has no handler and is not held: messages do not wait here.
  var isAbsent: Bool {
    if case .absent = service { true } else { false }
  }

  /// The link's place in the order of its chain.
  var order: Order { Order(rank: rank, arrival: arrival) }

  /// Rank first, then arrival.
  struct Order: Comparable {
    var rank: Double
    var arrival: Int

    static func < (left: Order, right: Order) -> Bool {
      left.rank < right.rank || (left.rank == right.rank && left.arrival < right.arrival)
    }
  }
}
