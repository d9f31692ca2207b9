import FuzzKit
import TranscriptPlayer
import UV

/// One run against one server: lets mutant peers loose beside the control client, replaces those that leave, and ends
/// when the time is over or something is wrong.
final class MutantRun: MutantPeerOwner {
  private let server: ServerProcess
  private let seed: UInt64
  private let transcripts: [[UInt8]]
  private var source: DialogueMutator.Source?
  private let seconds: Int
  private let loop: Loop
  private let control: ControlClient
  private var ticker: UV.Timer?
  private var peers: [Int: MutantPeer] = [:]
  private(set) var peersEver = 0
  private var ticks = 0
  private var lastProgress = (tick: 0, rounds: -1, peers: 0)
  private var phase = Phase.starting

  private(set) var ledger = Ledger()
  private(set) var memory: ResidentMemory
  /// What went wrong first.
  private(set) var failure: String?
  /// The last lines that were sent, oldest first.
  private(set) var lastLines: [(peer: Int, line: [UInt8])] = []

  private enum Phase {
    case starting, raging, leaving, ended
  }

  private static let peersAtOnce = 48
  /// Newcomers in one tick at most, so that the system does not run out of ports.
  private static let newcomers = 3
  private static let tickMilliseconds = 20
  private static let ticksPerSecond = 1000 / tickMilliseconds
  /// Ticks without any progress after which the server counts as stuck.
  private static let patience = 30 * ticksPerSecond

  init(server: ServerProcess, seed: UInt64, transcripts: [[UInt8]], seconds: Int) throws {
    self.server = server
    self.seed = seed
    self.transcripts = transcripts
    self.seconds = seconds
    memory = ResidentMemory(of: server.processIdentifier)
    loop = try Loop()
    control = try ControlClient(port: server.port, loop: loop)
  }

  var ops: [String] { control.ops }
  var controlRounds: Int { control.rounds }

  /// Returns when every connection of the run is closed.
  func run() throws {
    ticker = try UV.Timer(on: loop) { [unowned self] in tick() }
    control.lost = { [unowned self] in fail("the control client lost something: \($0)") }
    control.start { [unowned self] in
      source = DialogueMutator.Source(transcripts, ops: control.ops)
      phase = .raging
    }
    tick()
    loop.run()
    loop.assertAllClosed()
  }

  private func tick() {
    ticks += 1
    guard server.isRunning else { return fail("the server has ended") }
    for peer in peers.values { peer.tick() }
    watch()
    switch phase {
    case .starting, .ended: break
    case .raging:
      if ticks % Self.ticksPerSecond == 0 { memory.sample() }
      if ticks > seconds * Self.ticksPerSecond { leave() } else { bringNewcomers() }
    case .leaving: if peers.isEmpty { depart() }
    }
    if phase != .ended { ticker?.set(microseconds: MonotonicClock.microseconds + Int64(Self.tickMilliseconds) * 1000) }
  }

  /// Nothing may stand still: neither the control client nor, at the end, the peers' leaving.
  private func watch() {
    let isMoving = control.rounds != lastProgress.rounds || peers.count != lastProgress.peers
    if isMoving { lastProgress = (ticks, control.rounds, peers.count) }
    if ticks - lastProgress.tick > Self.patience {
      fail("nothing moves; the control client waits for \(control.waitsFor)")
    }
  }

  private func bringNewcomers() {
    guard let source else { return }
    for _ in 0..<min(Self.newcomers, Self.peersAtOnce - peers.count) {
      peersEver += 1
      do {
        peers[peersEver] = try MutantPeer(
          number: peersEver, seed: seed, source: source, port: server.port, loop: loop, owner: self)
      } catch {
        return fail("no connection: \(error)")
      }
    }
  }

  private func leave() {
    phase = .leaving
    for peer in peers.values { peer.leave() }
  }

  /// The peers are gone: so must be their chains.
  private func depart() {
    control.finish()
    if control.isAlone { end() }
  }

  private func end() {
    phase = .ended
    control.close()
    for peer in peers.values { peer.close() }
    ticker?.close()
  }

  private func fail(_ failure: String) {
    if self.failure == nil { self.failure = failure }
    end()
  }

  // MARK: From the peers

  func sent(_ line: [UInt8], by peer: MutantPeer) {
    if lastLines.count >= 128 { lastLines.removeFirst(64) }
    lastLines.append((peer.number, line))
  }

  func settled(_ exchange: Exchange) { ledger.count(exchange) }

  func lost(_ exchange: Exchange) { ledger.countUnknown(exchange) }

  func faulted(_ peer: MutantPeer, _ fault: String) { fail("peer \(peer.number): \(fault)") }

  func left(_ peer: MutantPeer) { peers[peer.number] = nil }
}
