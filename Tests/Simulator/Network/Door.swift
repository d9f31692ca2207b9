import BatonCore

/// The simulated network at the router's door: every call goes through here, what comes out is collected after each,
/// shown to the ledger, and put on the wires. Faults are planted here, between the core and the network.
final class Door {
  var router: Router
  let ledger: Ledger
  var wires: [Wire] = []
  private(set) var now = Instant(microseconds: 0)
  var calls = 0
  /// Stands for all that was said and when: two runs of one seed must agree in it.
  private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325
  var planter: Planter
  let log: Log
  /// The connection at each of the router's places.
  var tenants: [Int] = []
  var buffers: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>

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
    let begun = !isInside ? nil : !wasInside || !lines.isEmpty ? now : ledger.accounts[connection].lineBegun
    ledger.accounts[connection].lineBegunNow = begun
    ledger.accounts[connection].unfinished = wires[connection].unfinished
    settle(.received(connection))
    ledger.accounts[connection].lineBegun = begun
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

  func mix(_ word: UInt64) { hash = (hash ^ word) &* 0x100_0000_01B3 }
}
