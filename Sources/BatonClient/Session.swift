internal import BatonCore
internal import TLS
internal import UV

/// One client, from its connecting to its end. It makes a connection, and the next one when it is lost. It holds the
/// parts that stay (requests, links, subscriptions) and those that belong to one connection (offers, set-up,
/// heartbeat). It runs on the thread of the loop, where its connection calls it, too.
actor Session {
  private enum Phase {
    /// There is no connection. The next attempt will be made, or is being made.
    case apart
    /// Connected: the links are being inserted.
    case settingUp
    case open
    case closed(BatonError)
  }

  /// All clients of the process share one loop.
  private static let shared = Swift.Result { try LoopThread() }

  let thread: LoopThread
  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  let changes = Changes()
  private(set) lazy var links: Links = Links(plan, requests, changes)
  private(set) lazy var requests: Requests = Requests(
    Requests.Bounds(
      patience: plan.patience, maxWaitingBytes: plan.maxWaitingBytes, grace: plan.grace, timeToAsk: plan.timeToAsk),
    on: thread.loop,
    // Only a client that drains waits for this.
    settled: { [weak self] in self?.assumeIsolated { if $0.links.isLeaving { $0.changes.tell() } } },
    gaveUp: { [weak self] id in Task { await self?.callOff(id) } })
  private(set) lazy var subscriptions: Subscriptions = Subscriptions(
    requests, ended: { [weak self] number in Task { await self?.remove(number) } },
    asks: { [weak self] in Task { await self?.askForKept() } })
  private(set) var offers: Offers?

  let plan: Plan
  private var places: Places
  private let token: Token?
  /// What encrypted connections use; nil if none is.
  private var encryption: TLSContext?
  private var hasTried = false
  /// What the server said last of itself and of this client.
  private(set) var welcome: ServerLine?
  private var phase = Phase.apart
  private var isPatient = false
  private var hasBeenOpen = false
  /// Offers that were open when a client that leaves lost its connection, or closed it at once.
  private(set) var leftOpen = 0
  /// Whether a second signal has closed it.
  var isAtOnce = false
  private var backoff: Backoff
  private var outage: Outage
  /// Counts connections: what belongs to an earlier one is of no use any more.
  private var number = 0
  private var connection: Connection?
  private var heartbeat: Heartbeat?
  private var incoming: Incoming?
  /// The connections for chosen traces, one for each subscriber. They end with this one.
  private var forTraces: [Int: Session] = [:]
  private var lastForTraces = 0
  /// Called at the end of a connection for chosen traces, which ends with its subscriber; nil for others.
  private let hasEnded: (@Sendable () -> Void)?

  init(_ plan: Plan) throws {
    try plan.check()
    let places = try Places(reading: plan.place, chance: plan.backoff.chance)
    let token = try plan.token.read(for: places.all)
    try self.init(plan, to: places, token, plan.encryption.context(for: places.all))
  }

  private init(
    _ plan: Plan, to places: Places, _ token: Token?, _ encryption: TLSContext?,
    hasEnded: (@Sendable () -> Void)? = nil
  ) throws {
    self.hasEnded = hasEnded
    self.places = places
    self.token = token
    self.encryption = encryption
    self.plan = plan
    backoff = plan.backoff
    outage = Outage("\(places.current)")
    do { thread = try Session.shared.get() } catch { throw BatonError.unreachable("\(error)") }
  }

  var isOpen: Bool { if case .open = phase { true } else { false } }
  var isSettingUp: Bool { if case .settingUp = phase { true } else { false } }
  var isOver: Bool { if case .closed = phase { true } else { false } }

  /// Whether other clients have taken all its links, and it has no subscriber.
  var isIdle: Bool { links.areGone && subscriptions.isEmpty && forTraces.isEmpty }

  /// Connects and sets everything up. A session that is not patient ends if the first attempt fails.
  func open(isPatient: Bool) async throws {
    self.isPatient = isPatient
    subscriptions.start(plan)
    connect()
    await changes.until { isOpen || isOver }
    if case .closed(let error) = phase { throw error }
  }

  /// Waits until the client has ended. Throws if the program did not end it.
  func untilClosed() async throws {
    await changes.until { isOver }
    if case .closed(let error) = phase, error != .closed { throw error }
  }

  /// What the numbers of kept events belong to; nil where the server keeps none.
  var epoch: String? { subscriptions.epoch }

  /// Bytes that the kernel has not taken yet.
  var unsentCount: Int { connection?.unsentCount ?? 0 }

  /// Where it is, or tries to be.
  var place: String { places.current.text }

  /// When the server's certificate ends, in seconds since 1970; nil without one.
  var certificateEnd: Int? { connection?.certificateEnd }

  // MARK: What a client asks for

  /// Sends a request and waits for its reply.
  func request(_ line: RequestLine, _ kind: Request.Kind = .other) async throws -> ServerLine {
    try await requests.ask(line, kind)
  }

  /// Sends a request and waits for its reply, also if that is an error.
  func answer(_ line: RequestLine, _ kind: Request.Kind = .other) async throws -> ServerLine {
    try await requests.answer(to: requests.begin(line, kind))
  }

  /// Sends a request as soon as there is room, after those that were begun before. The task has its reply.
  func begin(_ line: RequestLine, _ kind: Request.Kind) async throws -> Task<ServerLine, any Error> {
    let request = try requests.begin(line, kind)
    await requests.untilWritten(request)
    return Task { try await requests.reply(to: request) }
  }

  /// Sends a durable message that a program holds; returns when the server has accepted it.
  func hold(_ line: RequestLine, key: String?) async throws -> (id: Int, acceptance: ServerLine) {
    try Task.checkCancellation()
    let request = try requests.holdDurable(line, key: key)
    return (request.id, try await requests.untilAccepted(request))
  }

  /// The same, after those that were begun before. The task waits for the acceptance.
  func beginHolding(
    _ line: RequestLine, key: String?
  ) throws -> (id: Int, acceptance: Task<ServerLine, any Error>) {
    let request = try requests.holdDurable(line, key: key)
    return (request.id, Task { try await requests.untilAccepted(request) })
  }

  /// Waits for the result of such a message, as often as a program asks.
  func result(of id: Int) async throws -> ServerLine {
    let number = requests.nextID()
    return try await requests.awaitResult(of: id, number) { [weak self] in
      Task { await self?.stopListening(id, number) }
    }
  }

  private func stopListening(_ id: Int, _ number: Int) { requests.stopListening(id, number) }

  /// The program holds it no more.
  func letGo(_ id: Int) { requests.letGo(id) }

  /// Cancels all messages, and takes no more; says how many there were.
  func cancelMessages() -> Int { requests.cancelMessages() }

  func subscribe(_ patterns: [String], _ wish: Subscription.Wish) async throws -> AsyncStream<Event> {
    try await subscriptions.subscribe(patterns, wish)
  }

  /// Subscribes to traces on this connection. The server knows one choice for each connection.
  func subscribe(to traces: ChosenTraces) async throws -> AsyncStream<Event> {
    try traces.check()
    return try await subscriptions.subscribe([ChosenTraces.topic], Subscription.Wish(), traces)
  }

  /// Subscribes to traces on a connection of its own, which ends with its subscriber. The request waits for the
  /// connection, as those to this one do.
  func subscribeApart(to traces: ChosenTraces) async throws -> AsyncStream<Event> {
    if case .closed(let error) = phase { throw error }
    try traces.check()
    lastForTraces += 1
    let number = lastForTraces
    let other = try Session(plan.forTraces, to: places.anew, token, encryption) { [weak self] in
      Task { await self?.forget(number) }
    }
    forTraces[number] = other
    return try await other.open(for: traces)
  }

  private func open(for traces: ChosenTraces) async throws -> AsyncStream<Event> {
    isPatient = true
    connect()
    do { return try await subscribe(to: traces) } catch {
      close()
      throw error
    }
  }

  private func forget(_ number: Int) {
    forTraces[number] = nil
    changes.tell()
  }

  // MARK: How a connection is made, lost and made again

  private func connect() {
    guard case .apart = phase else { return }
    if hasTried { encryption = plan.encryption.renewed(for: places.all, encryption) }
    hasTried = true
    outage.place = "\(places.current)"
    number += 1
    let number = number
    do throws(Connection.Failure) {
      let times = places.times(atMost: plan.attempt)
      connection = try Connection(to: places.current, encryption, within: times, on: thread.loop) { [self] news in
        assumeIsolated { $0.hear(news, on: number) }
      }
    } catch {
      lost(error.why, on: number)
    }
  }

  private func hear(_ news: Connection.News, on number: Int) {
    guard number == self.number, let connection else { return }
    switch news {
    case .connected: connected(connection)
    case .received(let line): received(line, connection)
    case .lost(let why): lost(why, on: number)
    case .hasRoom:
      requests.flow()
      changes.tell()
    }
  }

  private func connected(_ connection: Connection) {
    phase = .settingUp
    let number = number
    let offers = Offers(links, on: connection, plan, changes) { [weak self] body in
      await self?.inOffers(of: number, body)
    }
    self.offers = offers
    let setup = Setup(plan, token, links, subscriptions.lines(), on: connection) { [requests] in requests.nextID() }
    incoming = Incoming(
      connection: connection, token: token, setup: setup, requests: requests, offers: offers, links: links,
      subscriptions: subscriptions,
      said: { [self] what, fault in assumeIsolated { $0.said(what, fault) } })
    do throws(UVError) {
      heartbeat = try Heartbeat(
        plan.heartbeat, on: thread.loop, of: connection, isAwaited: { [requests] in requests.areAwaited },
        lost: { [self] why in assumeIsolated { $0.lost(why, on: number) } })
    } catch {
      lost(error.description, on: number)
    }
  }

  // What comes back from other threads.

  private func askForKept() async { await subscriptions.askForKept() }
  private func callOff(_ id: Int) { requests.callOff(id) }
  private func remove(_ number: Int) { hasEnded == nil ? subscriptions.remove(number) : close() }
  private func inOffers(of number: Int, _ body: @Sendable (Offers) -> Void) {
    if number == self.number, let offers { body(offers) }
  }

  private func received(_ line: ServerLine, _ connection: Connection) {
    let number = number
    do throws(BatonError) {
      try incoming?.take(line)
    } catch {
      if case .connectionLost(let why) = error { return lost(why, on: number) }
      if incoming?.end != nil { return refused(error) }
      // It would only seem to guard, and the operator has to decide. Nothing is removed.
      if case .notAGuard = error { return refused(error) }
      // The first time, the program is told. Later the session tries again.
      let goesOn = hasBeenOpen || error.isOfNewcomers
      return goesOn ? lost(error.description, after: error, on: number) : finish(error)
    }
    guard isSettingUp, let incoming, incoming.setup.isDone else { return }
    phase = .open
    hasBeenOpen = true
    welcome = incoming.setup.welcome
    backoff.open()
    outage.opened().map(plan.report)
    Task {
      try? await Task.sleep(for: Outage.stands)
      stood(number)
    }
    requests.open(connection, welcome)
    links.tidyUp()
    changes.tell()
  }

  /// The connection has stood for a while, if it is still there.
  private func stood(_ number: Int) {
    guard number == self.number, isOpen else { return }
    places.beginRound()
    outage.stood().map(plan.report)
  }

  /// The server has said something that answers no request. Within an outage the same fault is told once.
  private func said(_ what: String, _ fault: BatonError?) {
    if let fault, !outage.isNews(fault.description) { return }
    plan.report("\(places.current) \(what)")
  }

  /// The server does not take this client, whatever it does. What was under way may have been carried out, unless the
  /// server asks only now who is there.
  private func refused(_ error: BatonError) {
    if error.code != "auth_required" { requests.lost(.connectionLost(error.description), isLast: false) }
    if hasBeenOpen { plan.report("not connected to \(places.current) any more, and not trying again: \(error)") }
    finish(error)
  }

  /// The connection is lost: those who wait for a reply on it are told, and the next one is made. `refusal` is what the server
  /// has answered to the set-up.
  private func lost(_ why: String, after refusal: BatonError? = nil, on number: Int) {
    guard number == self.number, !isOver else { return }
    let fault = refusal ?? incoming?.fault
    let leader = incoming?.leader
    let why = fault?.description ?? why
    disconnect(telling: .connectionLost(why))
    // Who was closed, or is somebody else now, comes back to the same server.
    let stays = ["closed_by_peer", "identity_changed"].contains(fault?.code)
    let hasMore = !stays && places.goOn(why, leader: leader)
    if !hasBeenOpen, !isPatient, !awaitsNextServer(after: fault), !hasMore {
      return finish(fault ?? .unreachable(places.told(why)))
    }
    if links.isLeaving { return finish(.closed) }
    phase = .apart
    let delay = backoff.next(after: fault?.code, hasMore: hasMore)
    outage.lost(why).map(plan.report)
    Task {
      try? await Task.sleep(for: delay)
      connect()
    }
    changes.tell()
  }

  /// Whether the first server shuts down, and the program wants the next one. Then the session is patient, for as long as
  /// a request.
  private func awaitsNextServer(after fault: BatonError?) -> Bool {
    guard plan.outlastsDraining, fault?.code == "draining" else { return false }
    if isPatient { return true }
    isPatient = true
    Task {
      try? await Task.sleep(for: plan.patience)
      if !hasBeenOpen { finish(.unreachable("there has been no connection for \(plan.patience)")) }
    }
    return true
  }

  /// Ends the connection and what belongs to it alone.
  private func disconnect(telling error: BatonError) {
    number += 1
    heartbeat?.stop()
    connection?.close()
    requests.lost(error, isLast: links.isLeaving)
    if links.isLeaving { leftOpen += offers?.count ?? 0 }
    offers?.abandon()
    (heartbeat, connection, incoming, offers) = (nil, nil, nil, nil)
  }

  // MARK: The end

  /// Lets the connection end by itself, once everything is written.
  func endConnection() {
    connection?.end()
    connection = nil
  }

  func close() { finish(.closed) }

  /// Ends the client. All who wait for something are told `error`.
  func finish(_ error: BatonError) {
    if isOver { return }
    disconnect(telling: error)
    phase = .closed(error)
    requests.end(error)
    subscriptions.end()
    for other in forTraces.values { Task { await other.close() } }
    hasEnded?()
    changes.tell()
  }
}
