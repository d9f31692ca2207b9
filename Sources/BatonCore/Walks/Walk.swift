// Walks: the way of a message along links: how it is taken in, offers, verdicts, queues, keys, shadows, times and
// results. It owns walks, offers, copies and the queues of keys.

/// The way of one message along the links of its chain, and of the chains mounted in it. Only the router's extensions
/// change it.
///
/// A walk that does not move stands at exactly one link: it has an open offer there, or it waits in the link's queue.
/// Or it has not begun, because another message of its key is under way. `due` is the end of its time at the link;
/// `deadline` is the end of its whole time.
struct Walk: ~Copyable {
  /// How far the walk goes, and what happens at its end.
  enum Mode {
    /// To the first link that handles the message.
    case first
    /// To every link.
    case all
    /// The same as `first`. A broadcast that no link handled is published (contract, section 7, `via`).
    case publish
    /// The same as `publish`, but the broadcaster gets no event.
    case publishToOthers
    /// To every link, without offers: `hops` counts the links that were told.
    case notify

    /// Whether the message is a broadcast that first walks a chain.
    var isBroadcast: Bool { self == .publish || self == .publishToOthers }
  }

  /// What few offers say beside their message. One look finds that there is nothing.
  struct Marks: OptionSet {
    let rawValue: UInt8
    /// The message is a broadcast.
    static let broadcast = Marks(rawValue: 1)
    /// Other messages led to it.
    static let within = Marks(rawValue: 2)
    /// It is a try of a stored message.
    static let attempt = Marks(rawValue: 4)
    /// Its offer at this link was repeated.
    static let again = Marks(rawValue: 8)
    /// Nobody knows if what it says fits the condition of the link to which it came last.
    static let doubtful = Marks(rawValue: 16)
    /// Other links of a stage are asked at once.
    static let together = Marks(rawValue: 32)
    /// It is traced beyond this server.
    static let traced = Marks(rawValue: 64)
    /// What holds for one link alone.
    static let ofLink: Marks = [.doubtful, .together]
  }

  /// The place of a walk in one chain, which it entered at one version.
  struct Place {
    var chain: Slot<Chain>
    /// The chain's version when the walk entered: links that were inserted later are not visited. -1: it has not
    /// entered yet.
    var entered: Int
    /// The links that accept the topic.
    var list: Ref<AcceptList>
    /// The walk's position in the list; -1 before the first link. It holds at `revision` only: once the chain has
    /// changed, the list is another one.
    var position = -1
    var revision: Int
    /// The order of the last link that the walk passed. It gives the position in a new list.
    var passed: Link.Order?
    /// The mount through which the walk entered another chain, or `nobody`.
    var mount = Slot<Link>.nobody
    /// Whether the walk came here through declared mounts only, or was sent to this chain.
    var isByFile = true
  }

  let number: Int
  var message: Message
  let sender: Ref<Connection>
  let wantsResult: Bool
  let mode: Mode
  private(set) var marks: Marks
  /// When the message was taken in.
  let began: Instant
  let deadline: Instant
  var place: Place
  /// The parts that few walks need. They are kept apart, because a walk is written for every message, and a thousand
  /// walks should fit into the processor's caches.
  private var rest: Rest?
  /// The payload that a link gave in place of the sender's; empty if none did.
  var rewritten = OwnedBytes()
  /// The trace of the walk, or `nobody` if nothing is recorded; and what the trace counts.
  var trace = Slot<Trace>.nobody
  /// Whether it is traced from the start, because its sender or a subscriber wants it.
  var isTraced = false
  var traceBytes: UInt32 = 0
  /// What all connections of its sender's identity have together; `nobody` if the sender has none.
  var account = Slot<PeerAccount>.nobody
  /// The number of offers that were made.
  var hops = 0
  /// Whether one of its offers was repeated.
  var wasRepeated = false
  /// How many messages led to this one, as its sender says.
  var within: UInt16 = 0 {
    didSet { marks.set(.within, within > 0) }
  }
  /// Whether its payload becomes the value of its topic once it is published.
  var isRetaining = false
  /// The first of the shadows' copies that wait for its outcome.
  var firstCopy = Slot<ShadowCopy>.nobody
  /// Its end, if it has ended, and waits until its line is in the record: nobody can cancel it any more. `nobody` otherwise.
  var heldEnd = Slot<HeldEnd>.nobody
  /// Whether it waits for its sender's next turn, on its way between two links (`park`).
  var isParked = false
  /// The queue of its key, or `nobody`.
  var keyQueue = Slot<KeyQueue>.nobody
  /// Neighbours in the chain's list of walks that wait for their keys.
  var previousKeyed = Slot<Walk>.nobody
  var nextKeyed = Slot<Walk>.nobody
  /// Neighbours in the list of its sender's messages that have an `id`.
  var previousNamed = Slot<Walk>.nobody
  var nextNamed = Slot<Walk>.nobody
  var timer = TimerRef.none
  /// When the timer fires. It may be earlier than `due`: the timer is then set again.
  var timerAt = Instant(microseconds: .max)

  /// The link at which the walk stands, or `nobody` while it moves or waits for its key.
  var link = Slot<Link>.nobody
  /// Neighbours among those that wait at the link, in the queue of its key, or in the list of its sender's parked walks.
  var previousAtLink = Slot<Walk>.nobody
  var nextAtLink = Slot<Walk>.nobody
  /// The row in which it waits at the link, or `nobody`; and its neighbours there.
  var row = Slot<WaitingRow>.nobody
  var previousInRow = Slot<Walk>.nobody
  var nextInRow = Slot<Walk>.nobody
  /// Its open offer, or `nobody`.
  var offer = Slot<Offer>.nobody
  /// Whether it waits in the link's queue. It then has no open offer.
  var isWaiting = false
  /// Of one place in a stage: the message. `nobody` for the message itself (`Stage`).
  var whole = Slot<Walk>.nobody
  /// The try of a stored message that the walk is; `nobody` for all others.
  var attempt = Slot<Attempt>.nobody {
    didSet { marks.set(.attempt, attempt != .nobody) }
  }
  /// When it came to the link, or began to wait for its key.
  var reached = Instant(microseconds: 0)
  /// The end of the walk's time at the link: the offer's time, or the time in which it may wait for an offer.
  var due = Instant(microseconds: 0)
  /// The end of the link's share of the message's time. It is not rounded to milliseconds, so the last link's share
  /// ends at the deadline.
  var shareEnd = Instant(microseconds: 0)

  init(
    number: Int, message: consuming Message, sender: Ref<Connection>, wantsResult: Bool, mode: Mode, began: Instant,
    deadline: Instant, place: Place
  ) {
    self.number = number
    self.message = message
    self.sender = sender
    self.wantsResult = wantsResult
    self.mode = mode
    marks = mode.isBroadcast ? .broadcast : []
    self.began = began
    self.deadline = deadline
    self.place = place
  }

  /// One place of a message in a stage: `whole` is the message.
  init(placeOf message: borrowing Walk, _ whole: Slot<Walk>, _ content: consuming Message) {
    self.init(
      number: message.number, message: content, sender: message.sender, wantsResult: false, mode: message.mode,
      began: message.began, deadline: message.deadline, place: message.place)
    self.whole = whole
    if message.isDoubtful { isDoubtful = true }
    marks.formUnion(message.marks.contains(.traced) ? [.together, .traced] : .together)
    trace = message.trace
    isTraced = message.isTraced
    account = message.account
    attempt = message.attempt
    within = message.within
  }

  /// The payload that the next links get; empty if there is none.
  @inline(__always)
  var payload: UnsafeRawBufferPointer { rewritten.isEmpty ? message.payload : rewritten.bytes }
  /// Whether its offer at this link was repeated. A second loss here is a failure.
  @inline(__always)
  var isAgain: Bool {
    get { marks.contains(.again) }
    set { marks.set(.again, newValue) }
  }
  /// Whether nobody knows if what it says fits the condition of the link to which it came last.
  @inline(__always)
  var isDoubtful: Bool {
    get { marks.contains(.doubtful) }
    set { marks.set(.doubtful, newValue) }
  }
  /// It moves on: what was so at one link alone does not hold any more.
  @inline(__always)
  mutating func forgetMarksOfLink() { marks.subtract(.ofLink) }
  /// Its offers say in which trace they are.
  mutating func markTraced() { marks.formUnion(.traced) }
  /// Whether its sender can cancel it: it gets a result, under an `id`.
  @inline(__always)
  var isNamed: Bool { !message.id.isEmpty && mode != .notify }
  /// Whether it has ended, and waits for the record.
  @inline(__always)
  var isHeld: Bool { heldEnd != .nobody }
  /// How much the walk counts against the limits on open messages.
  @inline(__always)
  var bytes: Int { message.count + rewritten.count + Int(traceBytes) + (rest?.bytes ?? 0) }
}

extension Walk.Marks {
  @inline(__always)
  fileprivate mutating func set(_ mark: Self, _ isSet: Bool) {
    if isSet { formUnion(mark) } else { subtract(mark) }
  }
}

/// Where members stand in a message. It holds for one chain, as its conditions were, and for one payload.
struct SeenMembers {
  let names: ChainNames
  let revision: Int
  let places: [SeenPlace]
}

extension Walk {
  /// The parts that only some walks need: through mounts, past shadows, along changed chains, or in mode `all`.
  private final class Rest {
    var outer: [Place] = []
    var visited: [Ref<Chain>: Bool] = [:]
    var ahead = (links: 0, version: -1, isFull: false, isPartial: false)
    var bucket: Int?
    var seen: SeenMembers?
    var results = Results()
    var stage: Stage?
    /// Of one place in a stage: when it began to wait for an offer.
    var waitsSince: Instant?

    @inline(never)
    var bytes: Int { results.bytes + (stage?.bytes ?? 0) }
  }

  private var madeRest: Rest {
    mutating get {
      if let rest { return rest }
      let made = Rest()
      rest = made
      return made
    }
  }

  /// Whether the walk is in the chain that it was sent to, and not in a mounted one.
  @inline(__always)
  var isOutermost: Bool { rest.map { $0.outer.isEmpty } ?? true }

  /// Whether no chain follows when the one is over in which the walk is: it was sent there, or that is a stage.
  @inline(__always)
  var isWayOver: Bool { rest.map { $0.outer.count == $0.stage?.depth ?? 0 } ?? true }

  /// The stage that it is in; nil outside of stages, and for one place in a stage.
  var stage: Stage? {
    get { rest?.stage }
    _modify { yield &madeRest.stage }
  }

  @inline(__always)
  var isInStage: Bool { rest.map { $0.stage != nil } ?? false }

  /// Of one place in a stage: when it began to wait for an offer.
  var waitsSince: Instant {
    get { rest?.waitsSince ?? reached }
    set { madeRest.waitsSince = newValue }
  }

  /// The places in the outer chains, each at the mount that led to the next one; the outermost first.
  var outer: [Place] {
    get { rest?.outer ?? [] }
    _modify { yield &madeRest.outer }
  }

  /// Every chain that the walk has entered, noted from the first mount on, and whether it came there through declared
  /// mounts only. Nothing goes over them: their order differs from process to process.
  var visited: [Ref<Chain>: Bool] {
    get { rest?.visited ?? [:] }
    _modify { yield &madeRest.visited }
  }

  /// Whether the walk would enter a chain. It enters each one once; and once more through declared mounts only, if it
  /// was there through a mount that a peer made: no peer decides that a message passes what the file put in its way
  /// (contract, section 5, `Mounting`).
  func enters(_ chain: Ref<Chain>, isByFile: Bool) -> Bool {
    guard let wasByFile = visited[chain] else { return true }
    return isByFile && !wasByFile
  }

  /// The number of links ahead, and the router's version for which it holds. It is counted only if mounts or shadows
  /// are in the way, or links have changed.
  var ahead: (links: Int, version: Int, isFull: Bool, isPartial: Bool) {
    get { rest?.ahead ?? (0, -1, false, false) }
    _modify { yield &madeRest.ahead }
  }

  /// Its bucket, once a link for a part of the messages has asked for it.
  var bucket: Int? {
    get { rest?.bucket }
    set { madeRest.bucket = newValue }
  }

  /// Where the members stand that the conditions of its chain name, once one has asked.
  var seen: SeenMembers? {
    get { rest?.seen }
    set { if newValue != nil || rest != nil { madeRest.seen = newValue } }
  }

  /// The answers of links so far, in mode `all`.
  var results: Results {
    mutating _read { yield madeRest.results }
    _modify { yield &madeRest.results }
  }

  /// Whether no link has answered yet, in mode `all`.
  @inline(__always)
  var hasNoResults: Bool { rest.map { $0.results.isEmpty } ?? true }

  /// Whether the walk has gone through a mount.
  @inline(__always)
  var hasGoneThroughMounts: Bool { rest.map { !$0.visited.isEmpty } ?? false }
}
