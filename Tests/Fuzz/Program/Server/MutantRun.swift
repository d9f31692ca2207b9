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
  private var lastProgress = (time: MonotonicClock.microseconds, rounds: -1, peers: 0)
  /// When the peers have to leave; nil until they are let loose.
  private var deadline: Int64?
  private let started = MonotonicClock.microseconds
  private var nextSample = MonotonicClock.microseconds
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
  /// Newcomers in a second at most, so that the system does not run out of ports.
  private static let newcomersPerSecond: Int64 = 150
  private static let second: Int64 = 1_000_000
  private static let tick = second / 50
  /// Without any progress for so long the server counts as stuck.
  private static let patience = 30 * second

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
      deadline = MonotonicClock.microseconds + Int64(seconds) * Self.second
      phase = .raging
    }
    tick()
    loop.run()
    loop.assertAllClosed()
  }

  private func tick() {
    let now = MonotonicClock.microseconds
    guard server.isRunning else { return fail("the server has ended") }
    for peer in peers.values { peer.tick() }
    watch(at: now)
    switch phase {
    case .starting, .ended: break
    case .raging:
      sampleMemory(at: now)
      if let deadline, now >= deadline { leave() } else { bringNewcomers(at: now) }
    case .leaving: if peers.isEmpty { depart() }
    }
    if phase != .ended { ticker?.set(microseconds: now + Self.tick) }
  }

  /// Nothing may stand still: neither the control client nor, at the end, the peers' leaving.
  private func watch(at now: Int64) {
    let isMoving = control.rounds != lastProgress.rounds || peers.count != lastProgress.peers
    if isMoving { lastProgress = (now, control.rounds, peers.count) }
    if now - lastProgress.time > Self.patience {
      fail("nothing moves; the control client waits for \(control.waitsFor)")
    }
  }

  private func sampleMemory(at now: Int64) {
    guard now >= nextSample else { return }
    nextSample = now + Self.second
    memory.sample()
  }

  private func bringNewcomers(at now: Int64) {
    guard let source else { return }
    let allowed = Self.peersAtOnce + Int((now - started) * Self.newcomersPerSecond / Self.second)
    for _ in 0..<max(0, min(allowed - peersEver, Self.peersAtOnce - peers.count)) {
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
