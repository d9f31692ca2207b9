public import BatonCore
public import Logging
public import Proxies
public import TLS
internal import UV

/// The server: accepts peers, carries their bytes to the router and the router's bytes to them, and knows the time.
///
/// It decides nothing about messages. It carries out what the router wants at one point of each turn of the loop, just
/// before the loop waits, and between reads where there are very many. So a connection gets one write for everything that
/// a turn brought it.
public final class Server {
  let loop: Loop
  let logger: Logger
  /// It is behind a pointer of its own, so that no call pays for checks of exclusive access.
  let router: UnsafeMutablePointer<Router>
  /// Where the router says in which pieces its unsent bytes are, for the length of one call.
  let pieces: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>
  /// What has gone wrong in a call of the router's to a connection, which ends with the call.
  @exclusivity(unchecked) var failure: TransportError?
  /// The connections at their identifiers' places. They are read for every write: checks of exclusive access would be a
  /// good part of its cost. One thread uses them, and no access lasts into another.
  @exclusivity(unchecked) private var connections: [PeerConnection?] = []
  private(set) var openConnections = 0 {
    didSet { loop.readsLittle = openConnections > Server.mostReadMuch }
  }
  private var acceptedConnections = 0
  // What each turn looks at is unchecked for its cost, too: see `connections`.
  /// Those that are to be closed in one of the next turns, with the reasons, and how many of them have been.
  @exclusivity(unchecked) private var leaving: [(connection: PeerConnection, reason: String, inOrder: Bool)] = []
  private var left = 0
  /// How many connections were closed since the last turn.
  @exclusivity(unchecked) private var closedInTurn = 0
  private var mostCloses = Server.closesPerTurn.lowerBound
  var places: [ListeningPlace] = []
  private var refusals = RefusalLog()
  private var inquiry = PeerInquiry()
  /// Whether the server goes on without a place that nobody has named, because it could not be had.
  var lacksUnnamedPlace = false
  /// What the operator says of HTTP: names of hosts in lower case under which it may be asked for, beside numbers and
  /// `localhost`, and origins whose pages may ask, as browsers send them; and the origin of its own pages for browsers that
  /// come through a proxy. It holds for requests that begin from now on.
  public var httpRules: (hosts: [String], origins: [String], own: String?) = ([], [], nil)
  /// What encrypted connections use; nil if the server has no certificate.
  public internal(set) var tls: TLSContext?
  /// Whose words about their clients count. It holds for connections and requests that come from now on.
  public var proxyRules = ProxyRules()
  /// Connections of proxies that have not said yet for whom they speak.
  var greetings = Arrivals<ProxyGreeting>()
  /// Milliseconds that a handshake may take.
  var handshakeMilliseconds: Int
  /// Plain bytes of one encrypted connection, for the length of one call.
  let plainText = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 64)
  /// What is gathered for one record. Apart from what is read: an answer may be written while the rest of that is looked at.
  let gathered = UnsafeMutableRawBufferPointer.allocate(byteCount: TLSSession.recordSize, alignment: 64)
  /// What the operator says. Without it no reload is carried out.
  public var file: (any OperatorsFile)?
  /// Whether SIGHUP lets it read anew. Otherwise that ends the server.
  var readsAtHangup = false
  /// What the service manager is told; nil if there is none.
  var service: ServiceReport?
  var reloads = Reloads()
  private var journal: JournalLog?
  /// What went wrong with peers that could not speak yet.
  private(set) var failures: PeerFailureLog?
  private var draining: DrainLog?
  /// What speaks HTTP and WebSocket in front of the router.
  @exclusivity(unchecked) private(set) var door: HTTPDoor?
  /// When draining ends; nil before it has begun.
  private(set) var drainingEnds: Instant?
  /// Milliseconds that draining takes.
  var drainMilliseconds: Int
  /// Its part in a cluster; nil without one.
  @exclusivity(unchecked) var node: ServerNode?
  /// Durable messages; nil without a store.
  @exclusivity(unchecked) var lasting: Lasting?
  /// What writes ends of messages down; nil without a record.
  @exclusivity(unchecked) var recording: Recording?
  private var turning: Hook?
  /// While it is active, the loop does not wait: there is work left, or something is left to write.
  private var awake: Hook?
  @exclusivity(unchecked) private(set) var isAwake = false
  private var wakeTimer: Timer?
  @exclusivity(unchecked) private var memoryReturn: MemoryReturn?
  /// What the timer is set to.
  @exclusivity(unchecked) private var timerSetTo: Instant?
  var signals: [Signal] = []
  /// True once a signal has told the server to end.
  var isDraining = false
  /// Whether a signal has told the server to end that its loop did not come to.
  var isToldToEnd = false
  var hasFinishedWork = true
  /// True once nothing but connections keeps the loop running.
  private(set) var hasStopped = false

  /// With more connections, each is read in small pieces: what each keeps for its turn would add up.
  private static let mostReadMuch = 64
  /// Connections for which the clock is read once: they take less than a millisecond.
  private static let writesPerLook = 16
  /// How long one turn may write, in microseconds. What is left is written in the next turn, after reading.
  private static let writingTime = 2000
  /// The same before work that takes long.
  private static let writingTimeBefore = 500
  /// Connections that are closed in one turn: more than are accepted in one. With its encryption, one takes up to 50 µs.
  private static let closesPerTurn = 16...64
  /// Those that have left are forgotten when there are more, or nobody waits.
  private static let mostLeft = 1000
  /// Pieces of memory in one write: as many as a gathering write takes without a second allocation.
  private static let piecesPerWrite = 64

  /// A server that listens nowhere yet. Throws if the system has too little left for its loop.
  /// `access` says who may do what; without it, everybody may do everything.
  public init(settings: Settings, access: AccessRules? = nil, logger: Logger) throws(StartError) {
    do { loop = try Loop() } catch { throw StartError(error) }
    self.logger = logger
    handshakeMilliseconds = settings.handshakeMilliseconds
    drainMilliseconds = settings.drainMilliseconds
    var settings = settings
    settings.process.residentBytes = { ProcessMemory.resident }
    let addresses = PeerAddresses()
    settings.process.address = { addresses.find($0) }
    settings.process.heldBytes = { addresses.heldBytes }
    settings.process.listensToOthers = { addresses.areForeign }
    settings.process.takesPlainTokens = { addresses.takePlainTokens }
    settings.process.certificateSeconds = { addresses.certificateSeconds }
    settings.process.nodes = { addresses.nodes }
    settings.process.wall = { Lasting.wallMicroseconds - (MonotonicClock.microseconds - $0.microseconds) }
    router = .allocate(capacity: 1)
    router.initialize(
      to: Router(settings: settings, access: access, at: Instant(microseconds: MonotonicClock.microseconds)))
    pieces = .allocate(capacity: Server.piecesPerWrite)
    pieces.initialize(repeating: UnsafeRawBufferPointer(start: nil, count: 0))
    addresses.server = self
    ignoreBrokenPipes()
    do throws(UVError) {
      // The turn follows in the same round of the loop.
      wakeTimer = try Timer(on: loop) { [unowned self] in timerSetTo = nil }
      memoryReturn = try MemoryReturn(on: loop)
      journal = try JournalLog(of: self)
      failures = try PeerFailureLog(of: self)
      draining = try DrainLog(of: self)
      door = try HTTPDoor(of: self, settings)
      try reloads.open(for: self)
      // It is closed before the server is gone, and called in each turn: nothing is held or checked for it.
      turning = try Hook(.beforeWaiting, on: loop) { [unowned(unsafe) self] in turn() }
      loop.callBetweenReads { [unowned self] in turn() }
      let awake = try Hook(.instead, on: loop) {}
      awake.setActive(false)
      self.awake = awake
    } catch {
      throw StartError(error)
    }
  }

  deinit {
    router.deinitialize(count: 1)
    router.deallocate()
    pieces.deallocate()
    plainText.deallocate()
    gathered.deallocate()
  }

  /// Serves until SIGTERM, SIGINT or SIGHUP has come and what was under way is finished, or until a second such signal.
  /// Returns true when everything was finished. It stays awake for `spin` microseconds after something has come.
  public func run(spinning spin: Int = 0) -> Bool {
    service?.isReady()
    loop.run(spinning: Int64(spin))
    loop.assertAllClosed()
    if let lasting, !lasting.waitForEnd() {
      logger.error("the store does not end; what it has not written yet is told nobody as kept")
    }
    node?.letGo()
    if let recording, !recording.waitForEnd() {
      logger.error("the record does not end; what it has not written yet is told nobody where it is strict")
    }
    journal?.write(isLast: true)
    failures?.write(isLast: true)
    draining?.end(hasFinishedWork)
    return hasFinishedWork
  }

  /// The time for the router, in microseconds of the clock that the loop's timers follow.
  var now: Instant { Instant(microseconds: MonotonicClock.microseconds) }

  // MARK: Connections

  /// Takes a newcomer in.
  @discardableResult
  func welcome(_ transport: any Transport, _ facts: PeerFacts = PeerFacts()) -> PeerConnection {
    acceptedConnections += 1
    openConnections += 1
    let id = router.pointee.opened(facts, at: now)
    while connections.count <= Int(id.index) { connections.append(nil) }
    let connection = PeerConnection(id, number: acceptedConnections, transport: transport, server: self)
    connections[Int(id.index)] = connection
    if router.pointee.wish(for: id).reason == .tooManyConnections {
      noteRefusal(.connections) {
        ["connections": .stringConvertible(openConnections), "files": .stringConvertible(FileLimit.current.files)]
      }
    }
    return connection
  }

  /// Takes in who has come to a place.
  func take(_ stream: UV.Stream, _ options: ListeningOptions) {
    guard !options.speaksHTTP else {
      if let door { door.accept(stream, options) } else { stream.close() }
      return
    }
    var facts = facts(of: stream, options)
    guard options.isEncrypted else {
      welcome(stream, facts)
      return
    }
    guard let transport = encrypted(stream, options) else { return stream.close() }
    facts.isHandshaking = true
    welcome(transport, facts)
  }

  /// Takes the settings that a reload brings.
  func take(_ settings: Settings) {
    handshakeMilliseconds = settings.handshakeMilliseconds
    drainMilliseconds = settings.drainMilliseconds
    door?.limits = HTTPLimits(settings)
  }

  /// What is known of the peer at the other end of a stream.
  func facts(of stream: UV.Stream, _ options: ListeningOptions) -> PeerFacts {
    inquiry.facts(of: stream, takesPlainTokens: options.takesPlainTokens, asksUsers: router.pointee.asksWho)
  }

  /// Where a peer is, for `inspect`.
  func address(of id: ConnectionID) -> String? {
    connections.indices.contains(Int(id.index)) ? connections[Int(id.index)]?.address : nil
  }

  /// A newcomer was turned away because something is short.
  func noteRefusal(_ shortage: RefusalLog.Shortage, details: () -> Logger.Metadata) {
    refusals.note(shortage, at: now, in: logger, details: details)
  }

  /// The connection's transport is fully closed.
  func forget(_ connection: PeerConnection) {
    openConnections -= 1
    connections[Int(connection.id.index)] = nil
    router.pointee.closed(connection.id, at: now)
    memoryReturn?.noteWork()
  }

  /// Whether a connection may be closed in this turn; if so, it counts.
  var mayCloseNow: Bool {
    guard closedInTurn < mostCloses else { return false }
    closedInTurn += 1
    return true
  }

  /// Closes a connection in one of the next turns: others need not wait for thousands that leave at once.
  func closeLater(_ connection: PeerConnection, _ reason: String, inOrder: Bool) {
    leaving.append((connection, reason, inOrder))
  }

  private func closeLeaving() {
    if closedInTurn == 0, leaving.isEmpty { return }
    closedInTurn = 0
    // More where many wait: several doors let in more than the fewest in a turn, and each newcomer may be ended at once.
    let (fewest, most) = (Server.closesPerTurn.lowerBound, Server.closesPerTurn.upperBound)
    mostCloses = min(most, fewest + (leaving.count - left) / 8)
    while left < leaving.count, mayCloseNow {
      leaving[left].connection.closeNow(leaving[left].reason, inOrder: leaving[left].inOrder)
      left += 1
    }
    // So each costs a bounded number of steps.
    guard left == leaving.count || left > Server.mostLeft && left > leaving.count / 2 else { return }
    leaving.removeFirst(left)
    left = 0
  }

  // MARK: The one point of each turn

  func turn() {
    loop.noteTurn()
    var now = now
    // What has just come from those who want little does not wait for what takes long.
    if router.pointee.hasLongWork { now = writeChanged(from: now, within: Server.writingTimeBefore) }
    var isWorkLeft = router.pointee.turn(at: now)
    if let lasting, lasting.turn(router, at: now) { isWorkLeft = true }
    recording?.turn(router, at: now)
    if router.pointee.hasChanged {
      if router.pointee.costOfTurn > 0 { now = self.now }
      now = writeChanged(from: now, within: Server.writingTime)
      memoryReturn?.noteWork()
    }
    closeLeaving()
    if let door, door.turn(at: now) { isWorkLeft = true }
    var rest = router.pointee.rest()
    if rest.wantsFile {
      reloadIfWanted()
      rest = router.pointee.rest()
    }
    stayAwake(isWorkLeft || rest.hasWork || !leaving.isEmpty)
    setTimer(for: rest.wakeAt)
    if rest.hasJournal { journal?.write() }
    if rest.isDrained { goWhenAllHaveGone() }
    // The loop's wait must not be longer by the time that reading and writing took.
    if now.microseconds >= (loop.milliseconds + 1) * 1000 { loop.updateTime() }
  }

  /// Carries out what the router wishes for the connections that have changed, the first changed first. Returns the time that
  /// was read last.
  private func writeChanged(from start: Instant, within microseconds: Int) -> Instant {
    // The clock is read once for many connections: reading it costs a good part of what a small write costs beside the
    // kernel's work. It is not read once for all: offers that are made meanwhile count their time from that reading,
    // and thousands of writes take long.
    var now = start
    let end = now.advanced(microseconds: microseconds)
    var count = 0
    while router.pointee.hasChanged {
      // It is looked up once.
      var peer: PeerConnection?
      let written = router.pointee.writeNext(
        atMost: {
          peer = connections[Int($0.index)]
          return peer?.mostAtOnce ?? 0
        }, in: pieces, at: now, { peer?.take($1) })
      guard let written else { break }
      (peer ?? connections[Int(written.id.index)])?.follow(written)
      count &+= 1
      if written.wasMuch || count.isMultiple(of: Server.writesPerLook) {
        now = self.now
        if now > end || node?.isOver ?? false { break }
      }
    }
    return now
  }

  private func stayAwake(_ isWanted: Bool) {
    guard isWanted != isAwake else { return }
    isAwake = isWanted
    awake?.setActive(isWanted)
  }

  /// Nothing is under way any more: newcomers could only keep the server from ending.
  private func goWhenAllHaveGone() {
    for place in places where !place.extras.speaksHTTP { place.close() }
    guard openConnections == 0 else { return }
    // Who asks whether the server is alive or ready is told so to the end.
    if let door, door.isWriting, let drainingEnds, drainingEnds > now { return }
    if let lasting, !lasting.hasEnded(router, by: drainingEnds ?? now, at: now) { return }
    stop()
  }

  /// The timer may come too early: a turn with nothing to do costs less than setting it anew for each message.
  private func setTimer(for due: Instant?) {
    var wakeAt = due
    if let due = lasting?.wakeAt { wakeAt = min(wakeAt ?? due, due) }
    guard let wakeAt, timerSetTo.map({ wakeAt < $0 }) ?? true else { return }
    timerSetTo = wakeAt
    wakeTimer?.set(microseconds: wakeAt.microseconds)
  }

  // MARK: The end

  /// Finishes what is under way, and ends. `signal` is what told it to.
  func drain(on signal: String) {
    isDraining = true
    let now = now
    drainingEnds = now.advanced(milliseconds: drainMilliseconds)
    leaveToTheNext()
    node?.drains()
    router.pointee.drain(at: now)
    door?.drainingBegins()
    draining?.begin(on: signal, at: now)
    service?.isStopping()
  }

  /// Closes everything at once, even if something is under way.
  func abort() {
    hasFinishedWork = false
    for connection in connections { connection?.closeNow("the server got a second signal") }
    (leaving, left) = ([], 0)
    stop()
  }

  /// Closes everything that keeps the loop running, except the connections.
  private func stop() {
    hasStopped = true
    closePlaces()
    closeGreetings()
    door?.close()
    leaveSignals()
    turning?.close()
    loop.callBetweenReads(nil)
    awake?.close()
    wakeTimer?.close()
    reloads.close()
    memoryReturn?.close()
    journal?.close()
    failures?.close()
    draining?.close()
    service?.close()
    recording?.close(router, at: now)
    lasting?.close()
    node?.close()
  }

  /// Calls this once in each turn, which calls `turn` itself.
  func callInEachTurn(_ action: @escaping () -> Void) throws(UVError) {
    turning?.close()
    turning = try Hook(.beforeWaiting, on: loop, action: action)
    loop.callBetweenReads(action)
  }

  /// Says a last line to all who may have one now. Nothing else is written to anybody any more.
  func sayLast(_ line: [UInt8]) { for connection in connections { connection?.sayLast(line) } }
}
