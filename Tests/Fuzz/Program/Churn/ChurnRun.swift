import FuzzKit
import TranscriptPlayer
import UV

/// One run against one server: control clients that keep a steady load up and must lose nothing, and beside them peers
/// that come and go as fast as they can.
final class ChurnRun: ChurnPeerOwner {
  private let server: ServerProcess
  private let socketPath: String
  private let seed: UInt64
  private let seconds: Int
  private let peersAtOnce: Int
  private let loop: Loop
  private var controls: [ControlClient] = []
  /// Comes before the peers.
  private var first: ChurnWarmUp?
  private var ticker: UV.Timer?
  private var peers: [Int: ChurnPeer] = [:]
  private var started: Int64 = 0
  private var lastProgress = (time: MonotonicClock.microseconds, rounds: -1)
  private var phase = Phase.starting
  /// Control clients that have taken their places.
  private var ready = 0

  private(set) var peersEver = 0
  private var peersOverTCP = 0
  private(set) var ledger = ChurnLedger()
  private(set) var memory: ResidentMemory
  /// Resident kilobytes when every peer was gone.
  private(set) var left = 0
  /// What went wrong first.
  private(set) var failure: String?

  private enum Phase {
    case starting, churning, leaving, ended
  }

  private static let second: Int64 = 1_000_000
  private static let tick = second / 10
  /// Newcomers over TCP in a second at most: each blocks a port for a minute. The others come over a Unix socket.
  private static let newcomersOverTCP: Int64 = 100
  /// Without any progress for so long the server counts as stuck.
  private static let patience = 30 * second
  private static let steadyClients = 4

  init(server: ServerProcess, socketPath: String, seed: UInt64, seconds: Int, peersAtOnce: Int) throws {
    self.server = server
    self.socketPath = socketPath
    self.seed = seed
    self.seconds = seconds
    self.peersAtOnce = peersAtOnce
    memory = ResidentMemory(of: server.processIdentifier)
    loop = try Loop()
    for _ in 0..<Self.steadyClients { controls.append(try ControlClient(port: server.port, loop: loop)) }
  }

  /// Messages and broadcasts that the control clients have had back.
  var controlRounds: Int { controls.reduce(0) { $0 + $1.rounds } }

  /// Returns when every connection of the run is closed.
  func run() throws {
    ticker = try UV.Timer(on: loop) { [unowned self] in tick() }
    for control in controls {
      control.lost = { [unowned self] in fail("a control client lost something: \($0)") }
      control.start { [unowned self] in
        ready += 1
        if ready == controls.count { warmUp() }
      }
    }
    tick()
    loop.run()
    loop.assertAllClosed()
  }

  private func warmUp() {
    do {
      first = try ChurnWarmUp(path: socketPath, loop: loop) { [unowned self] fault in
        if let fault { fail(fault) } else { begin() }
      }
    } catch {
      fail("no connection: \(error)")
    }
  }

  private func begin() {
    guard phase == .starting else { return }
    started = MonotonicClock.microseconds
    phase = .churning
    bringNewcomers()
  }

  private func tick() {
    let now = MonotonicClock.microseconds
    guard server.isRunning else { return fail("the server has ended") }
    if controlRounds != lastProgress.rounds { lastProgress = (now, controlRounds) }
    if now - lastProgress.time > Self.patience {
      return fail("nothing moves; a control client waits for \(controls.map(\.waitsFor))")
    }
    switch phase {
    case .starting, .ended: break
    case .churning:
      memory.sample()
      if now - started >= Int64(seconds) * Self.second { leave() }
    case .leaving: if peers.isEmpty { depart() }
    }
    if phase != .ended { ticker?.set(microseconds: now + Self.tick) }
  }

  private func bringNewcomers() {
    while phase == .churning, peers.count < peersAtOnce {
      peersEver += 1
      let elapsed = MonotonicClock.microseconds - started
      let isOverTCP = Int64(peersOverTCP) <= elapsed * Self.newcomersOverTCP / Self.second
      if isOverTCP { peersOverTCP += 1 }
      do {
        peers[peersEver] = try ChurnPeer(
          number: peersEver, seed: seed, at: isOverTCP ? .tcp(server.port) : .unix(socketPath), loop: loop, owner: self)
      } catch {
        return fail("no connection: \(error)")
      }
    }
  }

  private func leave() {
    phase = .leaving
    for peer in peers.values { peer.leave() }
  }

  /// Everybody is gone but the control clients.
  private func depart() {
    var after = ResidentMemory(of: server.processIdentifier)
    after.sample()
    left = after.samples.last ?? 0
    end()
  }

  private func end() {
    phase = .ended
    first?.close()
    for control in controls { control.close() }
    for peer in peers.values { peer.close() }
    ticker?.close()
  }

  private func fail(_ failure: String) {
    if self.failure == nil { self.failure = failure }
    if phase != .ended { end() }
  }

  // MARK: From the peers

  func answered(_ id: String, refusedFor code: String?) { ledger.count(id, refusedFor: code) }

  func faulted(_ peer: ChurnPeer, _ fault: String) { fail("peer \(peer.number): \(fault)") }

  func left(_ peer: ChurnPeer) {
    peers[peer.number] = nil
    bringNewcomers()
  }
}
