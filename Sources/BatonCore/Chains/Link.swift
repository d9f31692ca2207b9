/// What `insert` and `replace` can set of a link, places aside. A new member of theirs begins here.
struct LinkSettings: Equatable {
  /// The patterns as they were given; the pattern index holds the same.
  var accepts: [[UInt8]] = [Array(">".utf8)]
  /// How long one offer may take, in milliseconds; nil: a fair share of the message's time.
  var timeoutMilliseconds: Int?
  /// Offers that may be open at once with one connection.
  var window: Int
  /// What a failure means for the walk.
  var onFailure = FailurePolicy.goOn
  /// Whether several connections may serve it.
  var isShared = false
  /// How long its place is kept after its last connection is gone, in milliseconds.
  var holdMilliseconds = 0
  /// Whether its place is never given up by a lost connection.
  var isRequired = false
  /// Whether it gets copies that the walk does not wait for.
  var isShadow = false

  /// Whether a message of this topic is for the link.
  func accept(_ topic: UnsafeRawBufferPointer) -> Bool {
    accepts.contains { pattern in
      pattern.withUnsafeBytes { Pattern.matches(topic, pattern: $0) }
    }
  }
}

/// One place in a chain.
///
/// A link that has ended stays in its table, and in its chain's order, as long as a walk stands at it or, where it was
/// lost with its connection, as long as a walk that entered before may still come by.
struct Link: ~Copyable {
  /// How a link can end.
  enum Fate {
    /// It was taken out: walks skip it.
    case removed
    /// Its connection closed: it fails the walks that entered the chain before.
    case lost
  }

  /// What serves a link.
  enum Service {
    /// Handlers: one connection or several replicas.
    case replicas
    /// None, but the place is kept: messages wait until this timer fires.
    case held(TimerRef)
    /// None, and the place is required: messages fail until a handler comes back.
    case absent
    /// Another chain, mounted here.
    case mount(Slot<Chain>)
  }

  /// What happened at a link, named by the verdicts' ops and the causes' words.
  struct Counts {
    var handled = 0
    var continued = 0
    var reject = 0
    var failed = 0
    var timeout = 0
    var disconnect = 0
    var overload = 0
    var breaker = 0
    /// Of a shadow: its verdicts that met the outcome, and those that did not.
    var agreed = 0
    var disagreed = 0

    /// Counts a verdict.
    @inline(__always)
    mutating func count(_ verdict: Op) {
      switch verdict {
      case .handled: handled += 1
      case .reject: reject += 1
      case .failed: failed += 1
      default: continued += 1
      }
    }

    subscript(cause: Cause) -> Int {
      get {
        switch cause {
        case .timeout: timeout
        case .disconnect: disconnect
        case .failed: failed
        case .overload: overload
        case .breaker: breaker
        }
      }
      set {
        switch cause {
        case .timeout: timeout = newValue
        case .disconnect: disconnect = newValue
        case .failed: failed = newValue
        case .overload: overload = newValue
        case .breaker: breaker = newValue
        }
      }
    }
  }

  let chain: Slot<Chain>
  var name: OwnedBytes
  var rank: Double
  /// Orders links of equal rank: the number of the insert.
  let arrival: Int
  /// The version that the insert made.
  let birth: Int
  var fate: Fate?
  /// The version at which it ended.
  var end = Int.max
  /// True while a walk that entered before its end may still come by.
  var isAwaited = false
  /// True once nothing refers to it but its chain's order, which forgets it when it is tidied up.
  var isRetired = false
  var settings: LinkSettings
  /// Whether the place was there from the start, to be guarded.
  var isGuarded = false
  var entries: [Ref<PatternEntry>] = []
  var service = Service.replicas
  /// Who serves it, the first to come first.
  var firstReplica = Slot<Replica>.nobody
  var lastReplica = Slot<Replica>.nobody
  /// How many those are.
  var connections = 0
  /// The replica that got the last offer: ties go on in turn from there.
  var served = Slot<Replica>.nobody

  /// The walks that stand here in the order in which they came: those with an open offer, then those that wait.
  var firstWalk = Slot<Walk>.nobody
  var lastWalk = Slot<Walk>.nobody
  var firstWaiting = Slot<Walk>.nobody
  var standing = 0
  var waiting = 0
  var waitingBytes = 0

  var counts = Counts()
  var times = ServiceTimes()

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

  /// The chain that is mounted here, or `nobody`.
  var mounted: Slot<Chain> {
    if case .mount(let chain) = service { chain } else { .nobody }
  }

  /// Whether its place is kept although nobody serves it.
  var isEmptyPlace: Bool {
    switch service {
    case .held, .absent: fate == nil
    default: false
    }
  }

  /// Whether it is required and was not held any longer: messages fail here at once.
  var isAbsent: Bool {
    if case .absent = service { true } else { false }
  }

  /// Where it stands among its chain's links.
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
