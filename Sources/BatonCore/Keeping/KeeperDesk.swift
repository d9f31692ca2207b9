// Keeping: between the router and the keeper of durable messages (contract, section 15): what the router asks of it, and
// what it answers. It owns tickets and attempts.

internal import BatonLasting

/// What lies between the router and the keeper: requests that nobody has fetched yet, tickets of peers that wait for an
/// answer, and the attempts that are under way. It knows no connection and no walk.
struct KeeperDesk: ~Copyable {
  /// Whether there is a keeper: the server has a store. A spare's comes when it leads.
  let isThere: Bool
  /// Whether the keeper has begun. It knows by itself what was before.
  private var hasBegun = false
  /// What the keeper has not been told yet, in order. It is fetched once in each turn.
  private var requests: [KeeperRequest] = []
  var tickets = Table<Ticket>()
  /// How many of them hold a reply until a value is on disk.
  private(set) var heldReplies = 0
  var attempts = Table<Attempt>()
  /// Whether the keeper may have messages of keys: then it is asked before an ordinary message of one goes.
  private(set) var mayHaveKeys = true
  /// How often the file has changed what it says of chains.
  private(set) var reloads = 0
  /// Whether the keeper has nothing left to write and no open try.
  private(set) var isQuiet = true
  /// Whether the keeper was told that the tries which are still open are cut off.
  private(set) var hasCutOff = false
  /// What attempts have cost in this turn.
  private(set) var cost = 0
  /// What operators may see of the keeper; nil without one.
  private(set) weak var sight: (any KeeperSight)?

  /// The chain that was named last: most durable messages name the same one as the message before.
  private var lastChain: [UInt8] = []

  /// What it costs to ask the keeper, and to tell what it answers: about three microseconds.
  static let answer = 2 * Cost.step
  /// What the durable messages of one connection may take on their way to the disk.
  static let mostOnTheWay = 1 << 20

  /// The messages that are looked at for one page of those of a chain.
  static let mostLooked = 1000

  init(isThere: Bool) { self.isThere = isThere }

  var hasRequests: Bool { !requests.isEmpty }

  /// Adds something that the keeper is to know.
  mutating func ask(_ request: KeeperRequest) {
    if hasBegun { requests.append(request) }
  }

  mutating func show(_ sight: any KeeperSight) { (self.sight, hasBegun) = (sight, true) }

  /// A turn begins.
  mutating func beginTurn() { cost = 0 }

  /// Attempts have cost so much more.
  mutating func pay(_ cost: Int) { self.cost &+= cost }

  /// The keeper gets a message with a key.
  mutating func noteKey() { mayHaveKeys = true }

  /// The keeper has answered all that it can in this turn.
  mutating func noteAnswered(isQuiet: Bool, hasKeys: Bool) {
    self.isQuiet = isQuiet
    mayHaveKeys = hasKeys || hasRequests
  }

  /// The file has changed what it says of chains.
  mutating func noteReload(of windows: KeeperRequest) {
    reloads += 1
    ask(windows)
  }

  mutating func begin(_ attempt: consuming Attempt) -> Slot<Attempt> { attempts.insert(attempt) }

  mutating func end(_ attempt: Slot<Attempt>) { attempts.remove(attempt) }

  /// The time for draining is over: attempts that are open do not count, however they end from now on. The messages go on at
  /// the next start.
  mutating func cutOffAttempts() {
    guard isThere, !hasCutOff else { return }
    hasCutOff = true
    for attempt in attempts.slots where attempts.isTaken(attempt) { ask(.tryCutOff(attempts[attempt].stored)) }
  }

  /// The name of a chain.
  mutating func chain(_ name: UnsafeRawBufferPointer) -> [UInt8] {
    let isLast = lastChain.withUnsafeBytes { $0.equals(name) }
    if !isLast { lastChain = Array(name) }
    return lastChain
  }

  /// All requests that have not been fetched yet.
  mutating func fetch() -> [KeeperRequest] {
    var fetched: [KeeperRequest] = []
    swap(&fetched, &requests)
    return fetched
  }

  mutating func insert(_ ticket: consuming Ticket) -> Slot<Ticket> {
    if ticket.kind == .broadcast { heldReplies += 1 }
    return tickets.insert(ticket)
  }

  mutating func remove(_ ticket: Slot<Ticket>) {
    if tickets[ticket].kind == .broadcast { heldReplies -= 1 }
    tickets.remove(ticket)
  }

  /// A held reply waits for the same as the one before it, if there is one.
  mutating func put(_ reply: Slot<Ticket>, behind last: Slot<Ticket>) {
    if last != .nobody { tickets[last].behind = reply }
  }

  /// Takes the first reply out of a list; it stays here until it is told.
  mutating func popFirst(of list: inout TicketList) -> Slot<Ticket>? {
    guard list.first != .nobody else { return nil }
    let reply = list.first
    list.first = tickets[reply].behind
    return reply
  }

  /// The ticket of this number; nil if it is settled.
  func find(_ number: UInt64) -> Slot<Ticket>? {
    let ref = Ref<Ticket>(number: number)
    return tickets.contains(ref) ? ref.slot : nil
  }
}

/// A request of a peer whose answer waits for the keeper, or for the disk.
struct Ticket: ~Copyable {
  enum Kind {
    case send, status, kept, deadLetters, resend, discard
    /// What it has changed is on its way to the disk, and its reply waits for that.
    case broadcast

    /// Whether a message goes to the disk.
    var stores: Bool { self == .send || self == .resend }
  }

  /// The bytes that one counts beside what it keeps of a line (contract, section 10).
  static let ownBytes = 512

  let connection: Ref<Connection>
  /// The request's `id` as it was spelled; empty if there is none.
  let id: OwnedBytes
  let kind: Kind
  let wantsReply: Bool
  /// The reply that is held, with its LF, and what it is; empty if it is not written yet.
  let line: OwnedBytes
  let mark: LineMark
  /// The reply behind it that waits for the same.
  fileprivate(set) var behind = Slot<Ticket>.nobody
  /// The bytes with which it counts as an open message of its sender; nil once it does not.
  var openBytes: Int?
  /// The account of its identity, in which it counts so long; `nobody` if it has none.
  var account = Slot<PeerAccount>.nobody
  /// Neighbours among the tickets of its connection.
  var previous = Slot<Ticket>.nobody
  var next = Slot<Ticket>.nobody

  init(connection: Ref<Connection>, id: UnsafeRawBufferPointer, kind: Kind, wantsReply: Bool, openBytes: Int) {
    self.connection = connection
    self.id = OwnedBytes(copying: id)
    self.kind = kind
    self.wantsReply = wantsReply
    line = OwnedBytes()
    mark = .other
    self.openBytes = openBytes
  }

  /// A reply that is held.
  init(connection: Ref<Connection>, id: UnsafeRawBufferPointer, holding line: consuming OwnedBytes, _ mark: LineMark) {
    self.connection = connection
    self.id = OwnedBytes(copying: id)
    (kind, wantsReply) = (.broadcast, true)
    openBytes = line.count + id.count + 384
    self.line = line
    self.mark = mark
  }

  /// Whether its connection is owed an answer.
  @inline(__always)
  var isOwed: Bool { kind != .send || wantsReply }
}

/// Replies that wait for the same, the oldest first.
struct TicketList: BitwiseCopyable {
  var first = Slot<Ticket>.nobody
  var last = Slot<Ticket>.nobody
}

/// What a walk is beside a message: one try of a stored message.
struct Attempt: ~Copyable {
  /// The name of the message, and of the dead letter that it was.
  let stored: StoredID
  let resent: StoredID?
  let number: UInt32
  /// Whether handlers may have had offers of it before.
  let isAgain: Bool
  /// How often the file had changed when it began.
  let reloads: Int
  /// In whose turn it waits at links.
  let account: Slot<PeerAccount>
  /// Declared links for its topic that it came to, and that nobody served or that a breaker left alone: the first ones.
  private(set) var passed: [DeclaredPlace] = []
  private(set) var hasPassed = false

  /// It has passed a declared link. Returns whether that is one of those that are told.
  mutating func hasPassedOneToTell() -> Bool {
    hasPassed = true
    return passed.count < Attempt.mostPassed
  }

  mutating func tell(of place: DeclaredPlace) { passed.append(place) }

  /// Links that are told. With more, all are passed, but only these wake the message.
  static let mostPassed = 16
}

extension Ref where Element: ~Copyable {
  /// The same in one number.
  var number: UInt64 { UInt64(generation) << 32 | UInt64(slot.index) }

  init(number: UInt64) {
    self.init(slot: Slot(UInt32(truncatingIfNeeded: number)), generation: UInt32(truncatingIfNeeded: number >> 32))
  }
}
