import BatonServer
import UV

/// One run's load on one thread: its connections, its phases and its meter.
///
/// What is sent and what comes back is a scenario's business (`ChainLoad`, `FanoutLoad`), which calls `begin` when its
/// handlers or subscribers are there.
final class Load {
  private let loop: Loop
  private let place: Endpoint
  private let options: BenchOptions
  let meter: LoadMeter
  /// When the bytes that are being handled were read, in nanoseconds.
  var now: Int64 = 0
  var peers: [LoadPeer] = []
  /// Peers that have something to send at the end of the turn.
  var unflushed: [LoadPeer] = []
  private var phase = Phase.settingUp
  private var timer: UV.Timer?
  private var flushing: Hook?
  private var failure: BenchFailure?
  private var seenAtLastLook = 0
  /// Whether the run ends only when all that is in flight has come back, so that nothing can have been lost.
  var landsBeforeItEnds = false

  /// The phase of the run.
  private enum Phase {
    case settingUp
    case warmingUp
    case measuring
    /// What is in flight comes back, and nothing new is sent.
    case landing
    case over
  }

  /// Seconds without anything coming back after which the run is given up.
  private static let patience = 10.0

  init(to place: Endpoint, of server: ProcessorClock?, options: BenchOptions, on loop: Loop) {
    self.place = place
    self.options = options
    self.loop = loop
    meter = LoadMeter(server: server)
  }

  /// A new connection that is being opened.
  func connect() throws -> UV.Stream {
    switch place {
    case .tcp(let host, let port):
      let address = try Address.resolve(host: host, port: port, on: loop)
      let stream = try UV.Stream(.tcp, on: loop)
      do throws(UVError) {
        try stream.connect(to: address)
      } catch {
        stream.close()
        throw error
      }
      return stream
    case .unix(let path):
      let stream = try UV.Stream(.unix, on: loop)
      stream.connect(toPath: path)
      return stream
    }
  }

  /// Runs the load that `start` sets up, to its end. Throws a `BenchFailure` if nothing could be measured.
  func run(_ start: () throws -> Void) throws -> BenchRun {
    timer = try UV.Timer(on: loop) { [unowned self] in timeHasCome() }
    flushing = try Hook(.beforeWaiting, on: loop) { [unowned self] in flush() }
    wait(seconds: Load.patience)
    do {
      try start()
    } catch {
      fail(BenchFailure("cannot connect to \(place): \(error)"))
    }
    while phase != .over { loop.runOnce() }
    for peer in peers { peer.close() }
    timer?.close()
    flushing?.close()
    peers = []
    if let failure { throw failure }
    return meter.result
  }

  // MARK: For scenarios

  /// All peers are there: the load begins with the next lines.
  func begin() {
    now = MonotonicClock.nanoseconds
    guard options.warmUp > 0 else { return measure() }
    phase = .warmingUp
    wait(seconds: options.warmUp)
  }

  /// Something that was sent at `sentAt` has come back.
  @inline(__always)
  func cameBack(sentAt: Int64) { meter.record(now - sentAt) }

  /// True once nothing new is to be sent.
  var isLanding: Bool { phase == .landing }

  /// Everything has come back.
  func landed() {
    if phase == .landing { phase = .over }
  }

  /// The setup makes progress, so it gets more time.
  func isComingForward() {
    if phase == .settingUp { wait(seconds: Load.patience) }
  }

  /// Gives the run up; the first failure counts.
  func fail(_ failure: BenchFailure) {
    if self.failure == nil { self.failure = failure }
    phase = .over
  }

  // MARK: Phases

  private func timeHasCome() {
    switch phase {
    case .settingUp: fail(BenchFailure("the server at \(place) did not answer within \(Load.patience) seconds"))
    case .warmingUp: measure()
    case .measuring: look()
    case .landing: fail(BenchFailure("not everything came back within \(Load.patience) seconds: the server lost it"))
    case .over: break
    }
  }

  private func measure() {
    phase = .measuring
    meter.start()
    wait(seconds: options.messages == nil ? options.seconds : Load.patience)
  }

  /// The measured time is over. If a number is measured, checks whether anything comes back.
  private func look() {
    let seen = meter.count
    if options.messages == nil { return finish() }
    guard seen > seenAtLastLook else {
      return fail(BenchFailure("nothing has come back for \(Load.patience) seconds"))
    }
    seenAtLastLook = seen
    wait(seconds: Load.patience)
  }

  private func finish() {
    meter.stop()
    phase = landsBeforeItEnds ? .landing : .over
    if phase == .landing { wait(seconds: Load.patience) }
    if meter.count == 0 { fail(BenchFailure("nothing came back in \(options.seconds) seconds; measure for longer")) }
  }

  private func wait(seconds: Double) {
    timer?.set(microseconds: MonotonicClock.microseconds + Int64(seconds * 1e6))
  }

  private func flush() {
    if phase == .measuring, let wanted = options.messages, meter.count >= wanted { finish() }
    for peer in unflushed { peer.flush() }
    unflushed.removeAll(keepingCapacity: true)
  }
}
