package import BatonCore
import DoorKit

/// The core in a simulated network, with a clock that stands still until it is moved.
///
/// `grain` is how many bytes the network carries at once, in either direction. With `creep`, the clock moves by that
/// many microseconds whenever a peer sends, as real clocks do. Times then have fractions of a millisecond.
package final class CoreStage: Stage {
  private let driver: Driver
  private let grain: Int
  private let creep: Int64
  /// The chains of `--guard`, which no file changes.
  private let guards: [ChainDeclaration]
  /// The settings of the head.
  private let named: Settings
  private var peers: [String: SimulatedPeer] = [:]
  /// The peers by the numbers of their connections.
  private var names: [String] = []

  /// One end of a simulated connection.
  private struct SimulatedPeer {
    let connection: Int
    /// The bytes that the server has written; the player has been told the first `told` of them.
    var incoming: [UInt8] = []
    var told = 0
    var reads = true
    /// The peer has closed its socket: the first byte written to it breaks the connection.
    var hasLeft = false
    /// The server has shut down its writing side.
    var serverEnded = false
  }

  /// The server of a transcript, without connections.
  package init(_ transcript: Transcript, grain: Int, creep: Int64 = 0) throws {
    var named = try Settings(transcript.settings)
    for place in transcript.guards {
      do throws(GuardedPlaceError) {
        named.declareGuard(try GuardedPlace(place))
      } catch {
        throw StageError(error.description)
      }
    }
    guards = named.chains
    named.chains += transcript.file.chains.map(\.declaration)
    named.keptTopics = transcript.file.topics
    named.trace = transcript.file.trace
    if let node = transcript.node { node.tell(&named.process) }
    if transcript.hasRecord { named.record = RecordRule() }
    self.named = named
    let access = try AccessRules(transcript.file.entries)
    driver = Driver(
      settings: named, access: access, store: transcript.hasStore ? MemoryStore() : nil,
      at: Instant(microseconds: 1_000_000))
    driver.router.standAside(for: transcript.node?.otherLeader)
    self.grain = grain
    self.creep = creep
  }

  /// What a file with these bytes would change, or what is wrong with them.
  package var readText: ([UInt8]) -> ReloadNews {
    get { driver.readText }
    set { driver.readText = newValue }
  }

  package var clockRuns: Bool { creep > 0 }

  package func connect(_ peer: String, _ facts: PeerFacts) throws {
    peers[peer] = SimulatedPeer(connection: driver.open(facts))
    names.append(peer)
    run()
  }

  package func send(_ bytes: [UInt8], from peer: String) throws {
    let connection = try connection(of: peer)
    if driver.isSilenced(connection) { throw StageError("\(peer) has ended its writing side") }
    driver.send(bytes, from: connection)
    driver.pass(microseconds: Int(creep))
    run()
  }

  package func halfClose(_ peer: String) throws {
    driver.halfClose(try connection(of: peer))
    run()
  }

  package func close(_ peer: String) throws {
    peers[peer]?.hasLeft = true
    try halfClose(peer)
  }

  package func reset(_ peer: String) throws {
    lose(try connection(of: peer))
    run()
  }

  package func setReading(_ reading: Bool, of peer: String) throws {
    peers[peer]?.reads = reading
    serve(try connection(of: peer))
    run()
  }

  package func receive(_ peer: String) throws -> Received {
    var got = try received(peer)
    try wait {
      if got == .nothing { got = try received(peer) }
      return got != .nothing
    }
    return got
  }

  package func received(_ peer: String) throws -> Received {
    let connection = try connection(of: peer)
    guard var state = peers[peer], state.reads else { return .nothing }
    let rest = state.incoming[state.told...]
    if let end = rest.firstIndex(of: 0x0A) {
      state.told = end + 1
      peers[peer] = state
      return .line(Array(rest[..<end]))
    }
    return state.serverEnded || driver.isClosed(connection) ? .end(unfinished: Array(rest)) : .nothing
  }

  package func settle() throws {}

  package func advance(milliseconds: Int) throws {
    var wakes = 0
    try driver.advance(to: driver.now.advanced(milliseconds: milliseconds)) {
      run()
      wakes += 1
      if wakes > 100_000 { throw StageError("the core asks to be woken for ever") }
    }
  }

  /// If the clock creeps, this waits a little: timers go by whole milliseconds, and each may be one millisecond late.
  private func wait(until isDone: () throws -> Bool) throws {
    for _ in 0..<10 where try clockRuns && !isDone() { try advance(milliseconds: 1) }
  }

  package func isGone(_ peer: String) throws -> Bool {
    let connection = try connection(of: peer)
    try wait { driver.isClosed(connection) }
    return driver.isClosed(connection)
  }

  package func write(_ file: Transcript.File) throws {
    driver.access = try AccessRules(file.entries)
    driver.access?.authorities = file.authorities.map { Set($0.map(TestToken.digest(of:))) }
    driver.chains = guards + file.chains.map(\.declaration)
    driver.topics = file.topics
    var settings = file.settings.isEmpty ? named : try Settings(file.settings)
    settings.record = named.record
    settings.trace = file.trace
    driver.settings = settings
    driver.mistakes = []
  }

  package func reload(_ file: Transcript.File) throws {
    try write(file)
    guard driver.reload() else { throw StageError("the reload is refused") }
    driver.wake()
    run()
  }

  package func spoilFile() {
    driver.mistakes = [ConfigurationFault(line: 1, column: 1, message: "a mistake")]
  }

  package func set(_ store: Transcript.StoreState) throws {
    switch store {
    case .fails: driver.store?.mode = .fails
    case .holds: driver.store?.mode = .holds
    case .works:
      driver.store?.mode = .works
      driver.store?.isUnreadable = false
      driver.store?.hasFree(bytes: .max)
    case .lacksRoom: driver.store?.hasFree(bytes: 0)
    case .damaged: driver.store?.damage()
    case .unreadable: driver.store?.isUnreadable = true
    case .recordHolds: driver.record?.holds = true
    case .recordFails: driver.record?.failure = "its disk is full"
    case .recordWorks:
      driver.record?.holds = false
      driver.record?.failure = nil
    }
    driver.wake()
    run()
  }

  package func startAgain() throws {
    driver.startAgain()
    peers = [:]
  }

  package func drain() throws {
    driver.drain()
    run()
  }

  package func hasEnded() throws -> Bool { driver.isDrained && names.indices.allSatisfy(driver.isClosed) }

  private func connection(of peer: String) throws -> Int {
    guard let peer = peers[peer] else { throw StageError("there is no peer \(peer)") }
    return peer.connection
  }

  /// Carries bytes both ways, and wakes the core if that is due at once, until nothing moves.
  private func run() {
    var moved = true
    while moved {
      moved = false
      while let connection = driver.nextChanged() {
        serve(connection)
        moved = true
      }
      for connection in names.indices
      where driver.deliver(atMost: size(of: driver.undelivered(from: connection)), from: connection) { moved = true }
      if let due = driver.wakeAt, due <= driver.now {
        driver.wake()
        moved = true
      }
    }
  }

  /// Does what the core wishes for one connection.
  private func serve(_ connection: Int) {
    let peer = names[connection]
    guard let state = peers[peer], !driver.isClosed(connection) else { return }
    var fresh: [UInt8] = []
    if state.reads {
      fresh = driver.takeAll(of: connection, piece: size(of: driver.unsentCount(of: connection)))
      peers[peer]?.incoming += fresh
    }
    let isWritten = driver.unsentCount(of: connection) == 0
    switch driver.wish(of: connection).ending {
    case .open: break
    case .shutDown: if isWritten { peers[peer]?.serverEnded = true }
    case .closeWhenWritten: if isWritten { lose(connection) }
    case .close: lose(connection)
    }
    if state.hasLeft, !fresh.isEmpty { lose(connection) }
  }

  /// How many of `count` bytes go at once. Long texts go in larger pieces, or a test would take minutes.
  private func size(of count: Int) -> Int { max(grain, count / 1024) }

  private func lose(_ connection: Int) {
    if !driver.isClosed(connection) { driver.close(connection) }
  }
}

extension Settings {
  /// The defaults, except those that a transcript names.
  fileprivate init(_ named: [Transcript.Setting]) throws {
    self.init()
    for setting in named {
      do throws(SettingError) {
        try set(setting.name, to: setting.value)
      } catch {
        throw StageError(error.description)
      }
    }
  }
}
