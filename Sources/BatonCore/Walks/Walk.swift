// Walks: a message on its way along links: taking it in, offers, verdicts, queues, keys, shadows, time, results. It
// owns walks, offers, copies and the queues of keys.

/// A message's way along the links of its chain, and of the chains mounted in it.
///
/// A walk that is not moving stands at exactly one link: either its offer is open there, or it waits in that link's
/// queue; or it has not begun, because another with its key is under way. `due` is the end of that one's time, the
/// deadline the end of all.
struct Walk: ~Copyable {
  /// How far it goes, and what becomes of it at the end.
  enum Mode {
    /// To the first that handles it.
    case first
    /// To every link.
    case all
    /// As `first`; what all links left is published (contract, section 7, `via`).
    case publish
    /// The same, but its broadcaster gets no event.
    case publishToOthers

    /// Whether it is a broadcast on its way down a chain.
    var isBroadcast: Bool { self == .publish || self == .publishToOthers }
  }

  /// Where a walk is in one chain, as it entered it.
  struct Place {
    var chain: Slot<Chain>
    /// The chain's version when the walk entered: links born later are not visited. -1 before it has entered.
    var entered: Int
    /// The links that accept the topic, as long as the chain has not changed since; looked up anew when it has.
    var list: Ref<AcceptList>
    /// Where in the list the walk is; -1 before the first.
    var position = -1
    /// The last link that it came by: where to go on in a list that was made anew.
    var passed: Link.Order?
    /// The mount through which the walk went on into another chain, or `nobody`.
    var mount = Slot<Link>.nobody
  }

  let number: Int
  var message: Message
  let sender: Ref<Connection>
  let wantsResult: Bool
  let mode: Mode
  let deadline: Instant
  var place: Place
  /// What few walks need, kept apart: a walk is written anew for every message, and a thousand of them are to fit into
  /// the processor's caches.
  private var rest: Rest?
  /// What a link put in place of the payload.
  var rewritten = OwnedBytes()
  /// What is recorded of its way, or `nobody` where nobody asks; and the bytes that takes.
  var trace = Slot<Trace>.nobody
  var traceBytes: UInt32 = 0
  var hops = 0
  /// Whether an offer of it had to be repeated.
  var wasRepeated = false
  /// The first of the shadows' copies that wait for its outcome.
  var firstCopy = Slot<ShadowCopy>.nobody
  /// The queue of its key, or `nobody`.
  var keyQueue = Slot<KeyQueue>.nobody
  var timer = TimerRef.none
  /// When the timer fires; it may be earlier than `due` and is then set anew.
  var timerAt = Instant(microseconds: .max)

  /// The link at which it stands, or `nobody` while it moves or waits for its key.
  var link = Slot<Link>.nobody
  /// Neighbours at the link, or in the queue of its key.
  var previousAtLink = Slot<Walk>.nobody
  var nextAtLink = Slot<Walk>.nobody
  /// Its open offer, or `nobody`.
  var offer = Slot<Offer>.nobody
  /// Whether it stands in the link's queue.
  var isWaiting = false
  /// Whether its offer at this link had to be repeated: a second loss is the last.
  var isAgain = false
  var reached = Instant(microseconds: 0)
  /// When the link's time is over: the offer's, or that of waiting to be offered.
  var due = Instant(microseconds: 0)
  /// When the link's share of the message's time is over, however that is cut into milliseconds: the last link's ends
  /// with the deadline.
  var shareEnd = Instant(microseconds: 0)

  init(
    number: Int, message: consuming Message, sender: Ref<Connection>, wantsResult: Bool, mode: Mode, deadline: Instant,
    place: Place
  ) {
    self.number = number
    self.message = message
    self.sender = sender
    self.wantsResult = wantsResult
    self.mode = mode
    self.deadline = deadline
    self.place = place
  }

  /// The payload as later links see it; empty where there is none.
  @inline(__always)
  var payload: UnsafeRawBufferPointer { rewritten.isEmpty ? message.payload : rewritten.bytes }
  /// What counts against the limits on open messages.
  var bytes: Int { message.count + rewritten.count + (rest?.results.bytes ?? 0) + Int(traceBytes) }
}

extension Walk {
  /// What only walks through mounts, past shadows or in mode `all` need.
  private final class Rest {
    var outer: [Place] = []
    var visited: Set<Slot<Chain>> = []
    var ahead = (links: 0, version: -1)
    var results = Results()
  }

  private var madeRest: Rest {
    mutating get {
      if let rest { return rest }
      let made = Rest()
      rest = made
      return made
    }
  }

  /// Whether it is in the chain that it was sent to, not in one that is mounted there.
  @inline(__always)
  var isOutermost: Bool { rest.map { $0.outer.isEmpty } ?? true }

  /// The chains in which `place`'s is mounted, the outermost first.
  var outer: [Place] {
    get { rest?.outer ?? [] }
    _modify { yield &madeRest.outer }
  }

  /// Every chain that it has entered, once it has gone through a mount: a message enters each once.
  var visited: Set<Slot<Chain>> {
    get { rest?.visited ?? [] }
    _modify { yield &madeRest.visited }
  }

  /// Links still ahead, and the router's version for which that holds; worked out where mounts or shadows are about.
  var ahead: (links: Int, version: Int) {
    get { rest?.ahead ?? (0, -1) }
    _modify { yield &madeRest.ahead }
  }

  /// What links answered so far, in mode `all`.
  var results: Results {
    mutating _read { yield madeRest.results }
    _modify { yield &madeRest.results }
  }

  /// Whether no link has answered yet, in mode `all`.
  @inline(__always)
  var hasNoResults: Bool { rest.map { $0.results.isEmpty } ?? true }

  /// Whether it has gone through a mount.
  @inline(__always)
  var hasGoneThroughMounts: Bool { rest.map { !$0.visited.isEmpty } ?? false }
}
