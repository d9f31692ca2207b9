import BatonCore

/// The simulated network at the router's door: every call goes through here, what comes out is collected after each,
/// shown to the ledger, and put on the wires. Faults are planted here, between the core and the network.
final class Door {
  private var router: Router
  let ledger: Ledger
  private(set) var wires: [Wire] = []
  private(set) var now = Instant(microseconds: 0)
  private(set) var calls = 0
  /// Stands for all that was said and when: two runs of one seed must agree in it.
  private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325
  var planter: Planter
  private let log: Log
  /// The connection at each of the router's places.
  private var tenants: [Int] = []
  private var buffers: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>

  init(settings: Settings, ledger: Ledger, planter: Planter, log: Log) {
    router = Router(settings: settings)
    self.ledger = ledger
    self.planter = planter
    self.log = log
    buffers = .allocate(capacity: 64)
  }

  deinit { buffers.deallocate() }

  // MARK: In

  /// Time passes.
  func pass(microseconds: Int) {
    now.microseconds += Int64(microseconds)
    ledger.now = now
  }

  func open() -> Int {
    begin(.opened(wires.count))
    let id = router.opened(at: now)
    let connection = wires.count
    while tenants.count <= Int(id.index) { tenants.append(-1) }
    tenants[Int(id.index)] = connection
    wires.append(Wire(id: id))
    log.note(now, "#\(connection) opened")
    ledger.opened()
    settle(.opened(connection))
    return connection
  }

  private func begin(_ call: Ledger.Call) {
    ledger.isLate = router.wakeAt.map { $0 <= now } ?? false
    ledger.begin(call)
  }

  /// The peer puts a line on its wire.
  func send(_ line: SentLine, from connection: Int) {
    var line = line
    planter.alter(&line, from: connection, ledger)
    wires[connection].send(line)
  }

  func send(part: [UInt8], from connection: Int) {
    wires[connection].send(part: part)
  }

  func change(_ connection: Int, _ body: (inout Wire) -> Void) { body(&wires[connection]) }

  /// The next `count` bytes of the peer reach the server.
  func deliver(_ count: Int, from connection: Int) {
    begin(.received(connection))
    let id = wires[connection].id
    let outgoing = wires[connection]
    outgoing.withNext(count) { bytes in
      log.note(now, "#\(connection) → \(String(decoding: bytes, as: UTF8.self).logged)")
      router.received(bytes, from: id, at: now)
    }
    let wasInside = ledger.accounts[connection].lineBegun != nil
    let lines = wires[connection].delivered(count)
    for line in lines { ledger.hears(line, from: connection) }
    let isInside = wires[connection].isInsideLine
    settle(.received(connection))
    if !isInside {
      ledger.accounts[connection].lineBegun = nil
    } else if !wasInside || !lines.isEmpty {
      ledger.accounts[connection].lineBegun = now
    }
  }

  func end(_ connection: Int) {
    wires[connection].isEnded = true
    log.note(now, "#\(connection) half-closes")
    begin(.ended(connection))
    router.ended(wires[connection].id, at: now)
    settle(.ended(connection))
  }

  func close(_ connection: Int) {
    wires[connection].close()
    log.note(now, "#\(connection) closes")
    begin(.closed(connection))
    if !planter.forgetsClose() { router.closed(wires[connection].id, at: now) }
    settle(.closed(connection))
  }

  /// The kernel takes up to `count` bytes, from `places` buffers at most; hands back the lines that the peer has read.
  func take(_ count: Int, places: Int, of connection: Int) -> [ServerLine] {
    let id = wires[connection].id
    let used = router.unsent(of: id, into: UnsafeMutableBufferPointer(rebasing: buffers[..<places]))
    let known = wires[connection].unsent.waiting
    var offset = known.startIndex
    var taken = 0
    for buffer in buffers[..<used] where taken < count {
      let part = buffer.prefix(count - taken)
      guard offset + part.count <= known.endIndex, part.elementsEqual(known[offset..<(offset + part.count)]) else {
        ledger.fail(.coherentDoor, "unsent bytes of #\(connection) have changed")
        return []
      }
      offset += part.count
      taken += part.count
    }
    guard taken > 0 else {
      if !known.isEmpty { ledger.fail(.coherentDoor, "unsent bytes of #\(connection) are not shown") }
      return []
    }
    log.note(now, "#\(connection) reads \(taken) bytes of \(known.count)")
    let lines = wires[connection].taken(taken)
    begin(.wrote(connection))
    router.wrote(taken, to: id, at: now)
    settle(.wrote(connection), recheck: connection)
    return lines
  }

  func drain() {
    log.note(now, "drain")
    begin(.drain)
    router.drain(at: now)
    settle(.drain)
  }

  func wake() {
    log.note(now, "wake")
    begin(.wake)
    router.wake(at: now)
    settle(.wake)
    ledger.auditAfterWake()
    if let next = wakeAt, next <= now { ledger.fail(.onTime, "wakes at \(now.microseconds) for \(next.microseconds)") }
  }

  // MARK: Out

  var wakeAt: Instant? { planter.wakeAt(router.wakeAt, now) }
  var isDrained: Bool { router.isDrained }

  /// Collects everything that the call has brought out, and lets the ledger account for it.
  private func settle(_ call: Ledger.Call, recheck: Int? = nil) {
    calls += 1
    mix(UInt64(bitPattern: now.microseconds))
    if let recheck { collect(recheck) }
    var names = 0
    while let id = router.nextChanged() {
      names += 1
      guard names <= wires.count + 1 else { return ledger.fail(.coherentDoor, "connections are named without end") }
      let place = Int(id.index)
      guard place < tenants.count, tenants[place] >= 0, wires[tenants[place]].id == id else {
        return ledger.fail(.coherentDoor, "a connection is named that never was")
      }
      if wires[tenants[place]].isClosed {
        if planter.hasPlanted { continue }
        return ledger.fail(.coherentDoor, "#\(tenants[place]) is named and was closed")
      }
      collect(tenants[place])
    }
    ledger.settle()
  }

  /// Takes in what is new about a connection: its wish and its unsent bytes.
  private func collect(_ connection: Int) {
    let wish = router.wish(for: wires[connection].id)
    let known = wires[connection].unsent.count
    let count = router.unsentCount(of: wires[connection].id)
    guard count >= known else { return ledger.fail(.coherentDoor, "unsent bytes of #\(connection) are gone") }
    ledger.accounts[connection].unsent = count
    if count > known { readNew(of: connection, from: known, to: count) }
    follow(wish, of: connection)
  }

  private func follow(_ wish: Router.Wish, of connection: Int) {
    let old = wires[connection].ending
    guard wish != wires[connection].wish else { return }
    wires[connection].wish = wish
    log.note(now, "#\(connection) is to \(wish.ending), reading \(wish.reading)")
    if wish.ending.severity < old.severity {
      ledger.fail(.coherentDoor, "#\(connection) was to \(old) and is now to \(wish.ending)")
    }
    ledger.accounts[connection].isRead = wish.reading
    if !wish.reading {
      ledger.accounts[connection].wasPaused = true
      ledger.coverage.insert(.paused)
    }
    if old == .open, wish.ending != .open {
      ledger.accounts[connection].endReason = wish.reason
      ledger.isToEnd(connection, for: wish.reason)
    }
  }

  /// Reads the bytes that were appended, line by line.
  private func readNew(of connection: Int, from known: Int, to count: Int) {
    if ledger.accounts[connection].isLeaving {
      ledger.fail(.coherentDoor, "#\(connection) is said more after its end")
    }
    let fresh = appended(to: connection, from: known, to: count)
    guard fresh.count == count - known, fresh.last == UInt8(ascii: "\n") else {
      return ledger.fail(.coherentDoor, "\(count - known) new bytes of #\(connection) are not whole lines")
    }
    for byte in fresh { mix(UInt64(byte)) }
    mix(UInt64(connection))
    var end = wires[connection].collectedTotal
    wires[connection].collected(fresh)
    var lines: [(bytes: [UInt8], end: Int)] = []
    for line in fresh.dropLast().split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      end += line.count + 1
      lines.append((Array(line), end))
    }
    planter.alter(&lines, to: connection)
    for line in lines {
      log.note(now, "#\(connection) ← \(String(decoding: line.bytes, as: UTF8.self))")
      do {
        let read = try LineReader.read(line.bytes)
        if line.bytes.count >= ledger.settings.maxLine, read.op != .chains, read.op != .help {
          ledger.fail(.coherentDoor, "a line of \(line.bytes.count + 1) bytes to #\(connection)")
        }
        ledger.said(read, to: connection)
        wires[connection].fly(read, end: line.end)
      } catch {
        let text = String(decoding: line.bytes, as: UTF8.self)
        ledger.fail(.coherentDoor, "\(error.what) at \(error.offset) in a line to #\(connection): \(text)")
      }
    }
  }

  private func appended(to connection: Int, from known: Int, to count: Int) -> [UInt8] {
    var used = router.unsent(of: wires[connection].id, into: buffers)
    while buffers[..<used].reduce(0, { $0 + $1.count }) < count, used == buffers.count {
      let capacity = buffers.count * 2
      buffers.deallocate()
      buffers = .allocate(capacity: capacity)
      used = router.unsent(of: wires[connection].id, into: buffers)
    }
    var fresh: [UInt8] = []
    fresh.reserveCapacity(count - known)
    var offset = 0
    for buffer in buffers[..<used] {
      if offset + buffer.count > known { fresh.append(contentsOf: buffer.dropFirst(max(0, known - offset))) }
      offset += buffer.count
    }
    return fresh
  }

  /// A connection that was not named must be as it was.
  func auditSilence() {
    for connection in wires.indices where !wires[connection].isClosed {
      let id = wires[connection].id
      let wish = router.wish(for: id)
      if wish.reading != wires[connection].isRead || wish.ending != wires[connection].ending
        || router.unsentCount(of: id) != wires[connection].unsent.count
      {
        let wire = wires[connection]
        let now = "\(wish.ending), reading \(wish.reading), \(router.unsentCount(of: id)) bytes, and before "
          + "\(wire.ending), reading \(wire.isRead), \(wire.unsent.count) bytes"
        ledger.fail(.coherentDoor, "#\(connection) has changed and was not named: \(now)")
      }
    }
  }

  /// Without peers nothing may be left, and nothing may be due.
  func auditEmpty() {
    let left = router.census.filter { $0.count != 0 }.map { "\($0.count) \($0.name)" }
    if !left.isEmpty { ledger.fail(.nothingLeft, "left behind: \(left.joined(separator: ", "))") }
    if let due = router.wakeAt { ledger.fail(.nothingLeft, "a wake-up at \(due.microseconds) µs is left") }
  }

  private func mix(_ word: UInt64) { hash = (hash ^ word) &* 0x100_0000_01B3 }
}

extension Router.Wish.Ending {
  /// Endings only get more definite.
  fileprivate var severity: Int {
    switch self {
    case .open: 0
    case .shutDown: 1
    case .closeWhenWritten: 2
    case .close: 3
    }
  }
}
