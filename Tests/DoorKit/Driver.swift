package import BatonCore
package import BatonLasting

/// The core behind its door, in a network and with a clock that are moved by hand. Tests without sockets drive the core
/// through here, and through nothing else.
///
/// Connections are called 0, 1, 2 … in the order in which they come. `receive`, `end` and `close` reach the core at
/// once. What is put on the wire by `send` and `halfClose` reaches it piece by piece, by `deliver`, while it reads.
package final class Driver {
  /// Only tests of the core's inside use it directly.
  package var router: Router
  package private(set) var now: Instant
  /// By so many milliseconds the clock on the wall was set.
  package var wallOffset: Int64 = 0
  /// What that clock says.
  package var wall: Int64 { wallEpoch + wallOffset + now.microseconds / 1000 }
  /// What the configuration file says about peers when it is read anew.
  package var access: AccessRules?
  /// The chains that it declares then. `--guard` is among them.
  package var chains: [ChainDeclaration]
  /// The topics of which it keeps events then.
  package var topics: [KeptTopics]
  /// The settings that it brings then; nil: all stay as they are.
  package var settings: Settings?
  /// How often the file was read and taken.
  package private(set) var reloads = 0
  /// What is wrong with that file. If something is, it is not taken.
  package var mistakes: [ConfigurationFault] = []
  /// What a file with these bytes would change, or what is wrong with them.
  package var readText: ([UInt8]) -> ReloadNews = { _ in .read(ReloadedFile()) }
  /// The store, if there is one; and the keeper beside the core.
  package let store: MemoryStore?
  private var keeping: KeeperSide?
  /// The record, if the settings say what is recorded.
  package let record: MemoryRecord?
  private let ownSettings: Settings
  private var starts: UInt64 = 0
  private var wires: [Wire] = []
  /// The connection at each of the router's places.
  private var tenants: [Int] = []
  private let buffers = UnsafeMutableBufferPointer<UnsafeRawBufferPointer>.allocate(capacity: 64)

  /// One connection, and what its peer has sent and the core has not received yet.
  private struct Wire {
    let id: ConnectionID
    var sent: [UInt8] = []
    var delivered = 0
    /// The peer shuts down its writing side after what it has sent.
    var isEnding = false
    /// The core has been told that the peer has shut down its writing side.
    var hasEnded = false
    var isClosed = false
  }

  /// A core without connections.
  package init(
    settings: Settings, access: AccessRules? = nil, store: MemoryStore? = nil,
    at now: Instant = Instant(microseconds: 0), wallOffset: Int64 = 0
  ) {
    var settings = settings
    settings.hasStore = store != nil
    settings.process.wall = { wallEpoch * 1000 + $0.microseconds }
    (self.now, self.wallOffset) = (now, wallOffset)
    self.access = access
    self.store = store
    record = settings.record == nil ? nil : MemoryRecord()
    ownSettings = settings
    chains = settings.chains
    topics = settings.keptTopics
    router = Router(settings: settings, access: access, at: now)
    beginKeeping()
  }

  private func beginKeeping() {
    guard let store else { return }
    starts += 1
    keeping = KeeperSide(store, ownSettings, &router, start: starts, at: now, wall: wall)
    settle()
  }

  /// The server has ended without a word, and another one starts, with what its store has. All connections are lost.
  package func startAgain() {
    for connection in wires.indices where !wires[connection].isClosed { forget(connection) }
    record?.forget()
    var settings = self.settings ?? ownSettings
    (settings.chains, settings.keptTopics, settings.hasStore) = (chains, topics, store != nil)
    router = Router(settings: settings, access: access, at: now)
    tenants = []
    beginKeeping()
  }

  deinit { buffers.deallocate() }

  // MARK: In

  package func open(_ facts: PeerFacts = PeerFacts()) -> Int {
    fireDue()
    let id = router.opened(facts, at: now)
    settle()
    while tenants.count <= Int(id.index) { tenants.append(-1) }
    tenants[Int(id.index)] = wires.count
    wires.append(Wire(id: id))
    return wires.count - 1
  }

  package func receive(_ bytes: some Collection<UInt8>, from connection: Int) {
    let isDone: Void? = bytes.withContiguousStorageIfAvailable {
      fireDue()
      router.received(UnsafeRawBufferPointer($0), from: wires[connection].id, at: now)
      settle()
    }
    if isDone == nil { receive(Array(bytes), from: connection) }
  }

  package func end(_ connection: Int) {
    fireDue()
    wires[connection].hasEnded = true
    router.ended(wires[connection].id, at: now)
    settle()
  }

  package func close(_ connection: Int) {
    fireDue()
    forget(connection)
    router.closed(wires[connection].id, at: now)
    settle()
  }

  /// The network has lost the connection, and the core is not told. This is a planted fault.
  package func forget(_ connection: Int) {
    wires[connection].isClosed = true
    wires[connection].sent = []
    wires[connection].delivered = 0
  }

  package func drain() {
    fireDue()
    router.drain(at: now)
    settle()
  }

  // MARK: Turns

  /// Whether turns follow each call until no work is left. So each call comes to its end before the next one. If not,
  /// the caller of this driver says when a turn comes.
  package var settles = true

  /// One turn. Returns whether work is left.
  @discardableResult
  package func turn() -> Bool {
    var isMoreLeft = router.turn(at: now)
    if let keeping, keeping.turn(&router, at: now, wall: wall) { isMoreLeft = true }
    if let record, record.turn(&router, at: now) { isMoreLeft = true }
    // Read first: otherwise the compiler may hold on to the router while it is changed.
    let (wantsReload, wantsCheck) = (router.wantsReload, router.wantsCheck)
    guard wantsReload || wantsCheck else { return isMoreLeft }
    if wantsReload { reload() }
    if let text = router.textToCheck() { router.checked(readText(text), at: now) }
    return true
  }

  /// The configuration file is read anew. Returns false if it is refused, and nothing changes.
  @discardableResult
  package func reload() -> Bool {
    router.reloadBegins()
    let faults = mistakes
    var file = ReloadedFile()
    file.access = access
    file.chains = chains
    file.topics = topics
    file.settings = settings
    if faults.isEmpty { reloads += 1 }
    router.reload(faults.isEmpty ? .read(file) : .refused(faults), at: now)
    return faults.isEmpty
  }

  private func settle() { if settles { while turn() {} } }

  /// Timers fire before what comes at the same time.
  private func fireDue() { if settles, let due = wakeAt, due <= now { settle() } }

  // MARK: The network

  /// The peer puts bytes on the wire.
  package func send(_ bytes: some Collection<UInt8>, from connection: Int) { wires[connection].sent += bytes }

  /// The peer shuts down its writing side; the core is told after the bytes that are on the wire.
  package func halfClose(_ connection: Int) { wires[connection].isEnding = true }

  /// Bytes that are on the wire.
  package func undelivered(from connection: Int) -> Int { wires[connection].sent.count - wires[connection].delivered }

  /// Whether the peer may not send any more.
  package func isSilenced(_ connection: Int) -> Bool {
    wires[connection].isEnding || wires[connection].hasEnded || wires[connection].isClosed
  }

  /// How many connections there were until now.
  package var count: Int { wires.count }

  package func isClosed(_ connection: Int) -> Bool { wires[connection].isClosed }

  package func id(of connection: Int) -> ConnectionID { wires[connection].id }

  /// Whether the core has been told that the peer has shut down its writing side.
  package func hasEnded(_ connection: Int) -> Bool { wires[connection].hasEnded }

  /// Carries bytes from the wire to the core, or the end after them. Returns false if there is nothing to carry, or if
  /// the core does not read.
  @discardableResult
  package func deliver(atMost most: Int, from connection: Int) -> Bool {
    let wire = wires[connection]
    guard !wire.isClosed, !wire.hasEnded, wish(of: connection).reading else { return false }
    if wire.delivered < wire.sent.count {
      let piece = wire.sent[wire.delivered...].prefix(most)
      wires[connection].delivered = piece.endIndex
      if piece.endIndex == wire.sent.count {
        wires[connection].sent = []
        wires[connection].delivered = 0
      }
      receive(piece, from: connection)
      return true
    }
    guard wire.isEnding else { return false }
    end(connection)
    return true
  }

  // MARK: Time

  /// Moves the clock, and nothing else.
  package func pass(microseconds: Int) { now.microseconds += Int64(microseconds) }

  package func pass(milliseconds: Int) { now = now.advanced(milliseconds: milliseconds) }

  /// Turns until no work is left.
  package func wake() {
    while turn() {
      if let due = router.wakeAt, due <= now { hasSplitTimers = true }
    }
  }

  /// Whether one turn had no room for all timers that were due: peers had their turn between them.
  package private(set) var hasSplitTimers = false

  package var wakeAt: Instant? {
    guard let due = keeping?.bridge.wakeAt else { return router.wakeAt }
    return router.wakeAt.map { min($0, due) } ?? due
  }

  /// Moves the clock, and wakes the core whenever it wants to be woken; `look` is called after each time.
  package func advance(to target: Instant, _ look: () throws -> Void) rethrows {
    while let due = wakeAt, due <= target {
      now = max(now, due)
      wake()
      try look()
    }
    now = target
  }

  // MARK: Out

  /// A connection that has changed.
  package func nextChanged() -> Int? {
    guard let id = router.writeNext(atMost: { _ in 0 }, in: buffers, at: now, { _, _ in nil })?.id else { return nil }
    let connection = Int(id.index) < tenants.count ? tenants[Int(id.index)] : -1
    precondition(connection >= 0 && wires[connection].id == id, "the core names a connection that never was")
    return connection
  }

  package func wish(of connection: Int) -> Router.Wish { router.wish(for: wires[connection].id) }

  package func unsentCount(of connection: Int) -> Int { router.unsentCount(of: wires[connection].id) }

  /// What is unsent to the connection, without the first `known` bytes; the core keeps it.
  package func unsent(of connection: Int, from known: Int = 0) -> [UInt8] {
    router.unsent(of: wires[connection].id, from: known)
  }

  /// The kernel takes what is unsent: at most `most` bytes, from as many pieces of memory as `places` says.
  @discardableResult
  package func take(atMost most: Int = .max, places: Int = 64, of connection: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    show(connection, places: places) { unsent in
      for piece in unsent.pieces where bytes.count < most { bytes += piece.prefix(most - bytes.count) }
      return bytes.count
    }
    // As in the server: there, writing ends a turn.
    if !bytes.isEmpty, router.hasWork { settle() }
    return bytes
  }

  /// A door of HTTP takes the lines that are unsent and have marks.
  package func takeLines(of connection: Int) -> [(line: [UInt8], mark: LineMark)] {
    var (lines, line): ([(line: [UInt8], mark: LineMark)], [UInt8]) = ([], [])
    var isMore = true
    while isMore {
      isMore = false
      show(connection, places: buffers.count) { unsent in
        let bytes = Array(unsent.pieces.joined())
        // What is no part of a line with a mark stays.
        guard unsent.mark != nil || bytes.last != 10 else { return nil }
        isMore = true
        line += bytes
        guard let mark = unsent.mark else { return unsent.count }
        lines.append((line, mark))
        line = []
        return unsent.count
      }
    }
    if router.hasWork { settle() }
    return lines
  }

  /// The kernel takes everything that is unsent, `most` bytes at a time.
  @discardableResult
  package func takeAll(of connection: Int, piece most: Int = .max) -> [UInt8] {
    var bytes: [UInt8] = []
    while true {
      let piece = take(atMost: most, of: connection)
      if piece.isEmpty { return bytes }
      bytes += piece
    }
  }

  private func show(_ connection: Int, places: Int, _ take: (borrowing Unsent) -> Int?) {
    _ = router.write(
      to: wires[connection].id, atMost: .max, in: UnsafeMutableBufferPointer(rebasing: buffers[..<places]), at: now,
      take)
  }

  package var isDrained: Bool { router.isDrained }

  /// What the keeper counts of what is stored; nil if there is none.
  package var figures: DurableFigures? { keeping?.bridge.figures(of: nil) }

  /// What is in the core's tables, without zeroes.
  package var census: [String: Int] {
    Dictionary(uniqueKeysWithValues: router.census.filter { $0.count != 0 }.map { ($0.name, $0.count) })
  }

  /// The first difference between what was counted under all names together, and at all links; nil if there is none.
  package var meterDifference: String? { router.meterDifference }

  /// What is left in the core's tables and clocks, in words; nil if nothing is left.
  package var leftovers: String? {
    let left = census.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
    if !left.isEmpty { return "left behind: \(left.joined(separator: ", "))" }
    return wakeAt.map { "a wake-up at \($0.microseconds) µs is left" }
  }
}
