import FuzzKit
import ProgramKit
import UV

/// One run against one server. It starts mutant peers beside a control client and replaces those that leave. It ends
/// when the time is over and the counts are there, or something is wrong.
final class MutantRun: MutantPeerOwner {
  private let server: RunningServer
  private let household: Household
  private let seed: UInt64
  private let source: DialogueMutator.Source
  private let seconds: Int
  private let counts: Counts
  private let loop: Loop
  private let load: SteadyLoad
  private var ticker: UV.Timer?
  private var peers: [Int: MutantPeer] = [:]
  private(set) var peersEver = 0
  /// When a peer left last, and how many peers there were then, once all are leaving.
  private var lastLeft = (time: Int64.max, peers: 0)
  private let started = MonotonicClock.microseconds
  private var nextSample = MonotonicClock.microseconds
  private var phase = Phase.raging

  private var settledLines = 0
  private(set) var ledger = Ledger()
  /// How often each goal of the peers' approaches was reached.
  private(set) var reach: [String: Int] = [:]
  private(set) var memory = ResidentMemory()
  /// Names of stored messages that have ended: some of the latest.
  private(set) var ended: [[UInt8]] = []
  /// Every op that the server knows, as it says itself, but the one that is not tried; and kinds of lines beside them.
  let kinds: [String]
  /// What went wrong first.
  private(set) var failure: String?
  /// The last lines that were sent, oldest first.
  private(set) var lastLines: [(peer: Int, line: [UInt8])] = []

  /// What has to be there when it ends.
  struct Counts {
    /// Lines that have passed the decoder.
    var passed: Int
    /// Lines of each kind that were accepted.
    var accepted: Int
    /// How often each goal was reached.
    var reached: Int
  }

  private enum Phase {
    case raging, leaving, ended
  }

  private static let peersAtOnce = 48
  /// The most newcomers in a second, so that the system does not run out of ports.
  private static let newcomersPerSecond: Int64 = 150
  private static let second: Int64 = 1_000_000
  private static let tick = second / 50
  /// How many lines of peers allow one round of the control client.
  private static let linesPerRound = 6
  /// If no peer can leave for this long, the server counts as stuck.
  private static let patience = 30 * second

  init(
    server: RunningServer, household: Household, seed: UInt64, transcripts: [[UInt8]], seconds: Int, counts: Counts
  ) throws {
    self.server = server
    self.household = household
    self.seed = seed
    self.seconds = seconds
    self.counts = counts
    loop = try Loop()
    let ops = try Self.ops(of: server)
    kinds = ops.isEmpty ? [] : ops + [LineMembers.durableSend, LineMembers.retainingBroadcast]
    source = DialogueMutator.Source(transcripts, ops: ops)
    load = SteadyLoad(at: server.place, hello: Household.hello(household.token))
  }

  private static func ops(of server: RunningServer) throws -> [String] {
    let help = try server.peer().ask(#"{"op":"help"}"#) ?? ""
    let examples = LineMembers(Array(help.utf8))?.value(of: "ops") ?? []
    return String(decoding: examples, as: UTF8.self).split(separator: "{").compactMap {
      LineMembers(Array("{\($0)".utf8), atMost: 1)?.op
    }.filter { $0 != DialogueMutator.Source.closing }
  }

  var controlRounds: Int { load.rounds }

  /// Returns when every connection of the run is closed.
  func run() throws {
    ticker = try UV.Timer(on: loop) { [unowned self] in tick() }
    tick()
    loop.run()
    loop.assertAllClosed()
  }

  private func tick() {
    let now = MonotonicClock.microseconds
    guard server.program.isRunning else { return fail("the server has ended") }
    if let trouble = load.trouble { return fail(trouble) }
    for peer in peers.values { peer.tick() }
    switch phase {
    case .ended: break
    case .raging:
      sampleMemory(at: now)
      if isOver(at: now) { leave() } else { bringNewcomers(at: now) }
    case .leaving:
      if peers.count != lastLeft.peers { lastLeft = (now, peers.count) }
      if now - lastLeft.time > Self.patience {
        let expectations = peers.values.map(\.expectation).filter { !$0.isEmpty }
        return fail("\(peers.count) peers cannot get away\(expectations.first ?? "")")
      }
      if peers.isEmpty { depart() }
    }
    if phase != .ended { ticker?.set(microseconds: now + Self.tick) }
  }

  /// A slow machine gets more time for the counts.
  private func isOver(at now: Int64) -> Bool {
    let time = Int64(seconds) * Self.second
    return now >= started + time && (shortfall == nil || now >= started + 20 * time)
  }

  /// What is below the counts; nil if nothing is.
  var shortfall: String? {
    unreached ?? ledger.shortfall(passed: counts.passed, accepted: counts.accepted, of: kinds)
  }

  private func sampleMemory(at now: Int64) {
    guard now >= nextSample else { return }
    nextSample = now + Self.second
    memory.sample(server.program)
  }

  private func bringNewcomers(at now: Int64) {
    let allowed = Self.peersAtOnce + Int((now - started) * Self.newcomersPerSecond / Self.second)
    for _ in 0..<max(0, min(allowed - peersEver, Self.peersAtOnce - peers.count)) {
      peersEver += 1
      do {
        peers[peersEver] = try MutantPeer(
          number: peersEver, seed: seed, source: source, server: server, household: household, loop: loop, owner: self)
      } catch {
        return fail("no connection: \(error)")
      }
    }
  }

  private func leave() {
    phase = .leaving
    lastLeft = (MonotonicClock.microseconds, peers.count)
    for peer in peers.values { peer.leave() }
  }

  /// The peers are gone. Their chains must be gone too.
  private func depart() {
    end(alone: true)
    if let trouble = load.trouble { failure = failure ?? trouble }
  }

  private func end(alone: Bool = false) {
    guard phase != .ended else { return }
    phase = .ended
    load.end(alone: alone)
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

  func settled(_ kind: String, _ fate: Exchange.Fate) {
    ledger.count(fate, of: kind)
    settledLines += 1
    if settledLines % Self.linesPerRound == 0 { load.permitRound() }
  }

  func reached(_ goal: String) { reach[goal, default: 0] += 1 }

  private static let goals = Approach.all + LateLine.goals

  /// A line for each goal.
  var reachTable: String {
    Self.goals.map { goal in
      goal + String(repeating: " ", count: max(1, 34 - goal.count)) + "\(reach[goal] ?? 0)"
    }.joined(separator: "\n")
  }

  /// The goals that were not reached often enough.
  private var unreached: String? {
    let short = Self.goals.filter { reach[$0] ?? 0 < counts.reached }
    return short.isEmpty ? nil : "reached fewer than \(counts.reached) times: \(short.joined(separator: "; "))"
  }

  func lostLine() { ledger.countUnknown() }

  func ended(_ stored: [UInt8]) {
    if ended.count >= 1000 { ended.removeFirst(500) }
    ended.append(stored)
  }

  func faulted(_ peer: MutantPeer, _ fault: String) { fail("peer \(peer.number): \(fault)") }

  func left(_ peer: MutantPeer) { peers[peer.number] = nil }
}
