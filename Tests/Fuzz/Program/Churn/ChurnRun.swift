import FuzzKit
import ProgramKit
import UV

/// One run against one server. Control clients keep up a steady load and must lose nothing. Beside them, peers come and
/// go as fast as they can.
final class ChurnRun: ChurnPeerOwner {
  private let server: RunningServer
  private let seed: UInt64
  private let seconds: Int
  private let peersAtOnce: Int
  private let loop: Loop
  private let loads: [SteadyLoad]
  private var ticker: UV.Timer?
  private var peers: [Int: ChurnPeer] = [:]
  private var started = MonotonicClock.microseconds
  /// When a peer left last, and how many peers there were then, once all are leaving.
  private var lastLeft = (time: Int64.max, peers: 0)
  private var phase = Phase.churning

  private(set) var peersEver = 0
  private var peersOverTCP = 0
  private var answers = 0
  private(set) var ledger = ChurnLedger()
  private(set) var memory = ResidentMemory()
  /// Resident kilobytes when all peers were gone.
  private(set) var left = 0
  /// What went wrong first.
  private(set) var failure: String?

  private enum Phase {
    case churning, leaving, ended
  }

  private static let second: Int64 = 1_000_000
  private static let tick = second / 10
  /// The most newcomers over TCP in a second: each blocks a port for a minute. The others come over a Unix socket.
  private static let newcomersOverTCP: Int64 = 100
  /// If no peer can leave for this long, the server counts as stuck.
  private static let patience = 30 * second
  private static let steadyClients = 4
  /// How many answers to peers allow one round of one of the control clients.
  private static let answersPerRound = 8

  /// The server listens on TCP and on a Unix socket.
  init(server: RunningServer, seed: UInt64, seconds: Int, peersAtOnce: Int) throws {
    self.server = server
    self.seed = seed
    self.seconds = seconds
    self.peersAtOnce = peersAtOnce
    loop = try Loop()
    loads = (0..<Self.steadyClients).map { _ in SteadyLoad(at: server.place) }
  }

  /// Messages and broadcasts that have come back to the control clients.
  var controlRounds: Int { loads.reduce(0) { $0 + $1.rounds } }

  /// Returns when every connection of the run is closed.
  func run() throws {
    try warmUp()
    ticker = try UV.Timer(on: loop) { [unowned self] in tick() }
    started = MonotonicClock.microseconds
    bringNewcomers()
    tick()
    loop.run()
    loop.assertAllClosed()
  }

  /// Asks for so much at once that afterwards the server's store of memory for unsent lines is full. Then the memory
  /// that it keeps for later does not look like growth.
  private func warmUp() throws {
    let peer = try Peer(server.places[1])
    let questions = 4096
    peer.say(String(repeating: "{\"op\":\"help\"}\n", count: questions))
    for _ in 0..<questions where peer.line() == nil { throw Deviation("the server gives no help") }
  }

  private func tick() {
    let now = MonotonicClock.microseconds
    guard server.program.isRunning else { return fail("the server has ended") }
    if let trouble = loads.compactMap(\.trouble).first { return fail(trouble) }
    switch phase {
    case .ended: break
    case .churning:
      memory.sample(server.program)
      if now - started >= Int64(seconds) * Self.second { leave() }
    case .leaving:
      if peers.count != lastLeft.peers { lastLeft = (now, peers.count) }
      if now - lastLeft.time > Self.patience { return fail("\(peers.count) peers cannot get away") }
      if peers.isEmpty { depart() }
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
          number: peersEver, seed: seed, at: server.places[isOverTCP ? 0 : 1], loop: loop, owner: self)
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

  /// All peers are gone, except the control clients.
  private func depart() {
    left = server.program.residentKilobytes ?? 0
    end()
  }

  private func end() {
    phase = .ended
    for load in loads { load.end() }
    for peer in peers.values { peer.close() }
    ticker?.close()
  }

  private func fail(_ failure: String) {
    if self.failure == nil { self.failure = failure }
    if phase != .ended { end() }
  }

  // MARK: From the peers

  func answered(_ id: String, refusedFor code: String?) {
    ledger.count(id, refusedFor: code)
    answers += 1
    if answers % Self.answersPerRound == 0 { loads[answers / Self.answersPerRound % loads.count].permitRound() }
  }

  func faulted(_ peer: ChurnPeer, _ fault: String) { fail("peer \(peer.number): \(fault)") }

  func left(_ peer: ChurnPeer) {
    peers[peer.number] = nil
    bringNewcomers()
  }
}
