public import BatonCore
public import Logging
public import UV

/// The server: lets peers in, carries their bytes to the router and the router's bytes to them, and knows the time.
///
/// It decides nothing about messages. Everything it does for the router happens at one point of each turn of the loop,
/// just before the loop waits: so a connection gets one write for all that a turn brought it.
public final class Server {
  let loop: Loop
  let logger: Logger
  /// Behind a pointer of its own, so that no call pays for checks of exclusive access.
  let router: UnsafeMutablePointer<Router>
  /// Where the router shows unsent bytes; good until the next call.
  let buffers: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>
  /// The connections at their identifiers' places. Here, as with all that is looked at for every write, checks of
  /// exclusive access would be a good part of the cost; one thread gets here, and nobody holds on to it.
  @exclusivity(unchecked) private var connections: [PeerConnection?] = []
  private var openConnections = 0
  private var acceptedConnections = 0
  private var places: [ListeningPlace] = []
  private var refusals = RefusalLog()
  private var flushing: Hook?
  private var wakeTimer: Timer?
  /// What the timer is set to.
  @exclusivity(unchecked) private var timerSetTo: Instant?
  var signals: [Signal] = []
  /// True once the server was told to go.
  var isDraining = false
  var hasFinishedWork = true

  /// Connections that are carried out with one look at the clock: less than a millisecond's worth.
  private static let writesPerLook = 64
  /// Buffers given to one write: what a gathering write of the kernel takes without a second allocation.
  private static let buffersPerWrite = 64

  /// A server that listens nowhere yet. Throws where the system has too little left for its loop.
  public init(settings: Settings, logger: Logger) throws(StartError) {
    do { loop = try Loop() } catch { throw StartError(error) }
    self.logger = logger
    var settings = settings
    settings.process.residentBytes = { ResidentMemory.bytes }
    router = .allocate(capacity: 1)
    router.initialize(to: Router(settings: settings, at: Instant(microseconds: MonotonicClock.microseconds)))
    buffers = .allocate(capacity: Server.buffersPerWrite)
    buffers.initialize(repeating: UnsafeRawBufferPointer(start: nil, count: 0))
    ignoreBrokenPipes()
    do throws(UVError) {
      wakeTimer = try Timer(on: loop) { [unowned self] in wake() }
      flushing = try Hook(.beforeWaiting, on: loop) { [unowned self] in flush() }
      // From here on and not from `run` on: whoever reads that the server listens may tell it to go the next moment.
      try watchSignals()
    } catch {
      throw StartError(error)
    }
  }

  deinit {
    router.deinitialize(count: 1)
    router.deallocate()
    buffers.deallocate()
  }

  /// Lets peers in at `endpoint` from now on, and returns it as it really is: with numbers for a name, and the port
  /// that the system chose for port 0. Peers are answered once `run` is called.
  public func listen(at endpoint: Endpoint) throws(ListenError) -> Endpoint {
    let place = ListeningPlace(endpoint, server: self)
    do throws(ListenError) {
      let real = try place.open()
      places.append(place)
      return real
    } catch {
      // Whoever listens at one place alone would be half a server, and its socket file would outlive it.
      for place in places { place.close() }
      throw error
    }
  }

  /// Serves until SIGTERM or SIGINT has come and what was under way is finished, or until a second such signal.
  /// Returns true when everything was finished. For `spin` microseconds after something came it stays awake.
  public func run(spinning spin: Int = 0) -> Bool {
    loop.run(spinning: Int64(spin))
    loop.assertAllClosed()
    return hasFinishedWork
  }

  /// The time for the router: microseconds of the clock that the loop's timers follow.
  var now: Instant { Instant(microseconds: MonotonicClock.microseconds) }

  // MARK: Connections

  /// Takes a newcomer in.
  func welcome(_ transport: any Transport) {
    acceptedConnections += 1
    openConnections += 1
    let id = router.pointee.opened(at: now)
    while connections.count <= Int(id.index) { connections.append(nil) }
    connections[Int(id.index)] = PeerConnection(
      id, number: acceptedConnections, transport: transport, server: self)
    if router.pointee.wish(for: id).reason == .tooManyConnections {
      noteRefusal(.connections) { ["connections": "\(openConnections)", "files": "\(FileLimit.current.files)"] }
    }
  }

  /// A newcomer was turned away for want of something.
  func noteRefusal(_ shortage: RefusalLog.Shortage, details: () -> Logger.Metadata) {
    refusals.note(shortage, at: now, in: logger, details: details)
  }

  /// The connection's transport is closed to the end.
  func forget(_ connection: PeerConnection) {
    openConnections -= 1
    connections[Int(connection.id.index)] = nil
    router.pointee.closed(connection.id, at: now)
  }

  // MARK: The one point of each turn

  func flush() {
    // One look at the clock for many: it would be a good part of what a small write costs beside the kernel's work. Not
    // for all, as what is offered meanwhile has its time from then on, and thousands of writes take long.
    var now = now
    var count = 0
    while let id = router.pointee.nextChanged() {
      let connection = connections[Int(id.index)]
      connection?.carryOut(at: now)
      count &+= 1
      if count.isMultiple(of: Server.writesPerLook) { now = self.now }
    }
    setTimer()
    if router.pointee.isDrained { goWhenAllHaveGone() }
    // What was written took time that the loop's wait must not be longer by.
    loop.updateTime()
  }

  /// Nothing is under way any more: newcomers could only keep the server from going.
  private func goWhenAllHaveGone() {
    for place in places { place.close() }
    if openConnections == 0 { stop() }
  }

  private func setTimer() {
    let wakeAt = router.pointee.wakeAt
    guard wakeAt != timerSetTo else { return }
    timerSetTo = wakeAt
    if let wakeAt { wakeTimer?.set(microseconds: wakeAt.microseconds) } else { wakeTimer?.unset() }
  }

  private func wake() {
    timerSetTo = nil
    router.pointee.wake(at: now)
  }

  // MARK: The end

  /// Closes everything, whatever is under way.
  func abort() {
    hasFinishedWork = false
    for connection in connections { connection?.close("the server got a second signal") }
    stop()
  }

  /// Closes all that keeps the loop running but the connections.
  private func stop() {
    for place in places { place.close() }
    for signal in signals { signal.close() }
    flushing?.close()
    wakeTimer?.close()
  }
}
