import BatonCore
import DoorKit
import WorldKit

/// The simulated network. Every call of the core goes through here. After each call, what comes out is checked, shown
/// to the ledger, and put on the wires. Faults are planted here, between the core and the network.
final class Network {
  let driver: Driver
  let ledger: Ledger
  var wires: [Wire] = []
  private(set) var calls = 0
  /// A hash of everything that was sent, and when. Two runs of one seed must have the same hash.
  private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325
  var planter: Planter
  let log: Log
  /// What the operator has written about chains, whether it was read or not.
  var file: [ChainDeclaration]
  /// How often the server has read the file.
  private var reloads = 0
  /// Whether the observer is looking, or is to look later.
  var isLooking = false
  /// The connections that are to end, or have ended.
  private(set) var endings = 0
  var endingsBefore = 0
  /// Whether the observer of what stays is reading.
  var isHearing = false

  init(settings: Settings, access: AccessRules?, ledger: Ledger, planter: Planter, log: Log) {
    file = settings.chains
    var planter = planter
    var told = planter.alter(settings)
    told.chains = planter.alter(settings.chains, before: [])
    driver = Driver(settings: told, access: planter.alter(access, ledger.limits))
    self.ledger = ledger
    self.planter = planter
    self.log = log
    driver.record?.meddle = { [unowned self] in self.planter.alter($0) }
    driver.record?.answersEarly = self.planter.tellsEarly()
  }

  var now: Instant { driver.now }
  var wakeAt: Instant? { planter.wakeAt(driver.wakeAt, now) }

  // MARK: In

  func open(at address: UInt64 = 0) -> Int {
    var facts = PeerFacts()
    facts.address = address
    let connection = driver.open(facts)
    wires.append(Wire())
    ledger.opens()
    settle("#\(connection) opened")
    return connection
  }

  /// The peer puts a line on its wire.
  func send(_ line: SentLine, from connection: Int) {
    wires[connection].send(line)
    driver.send(line.bytes, from: connection)
    ledger.asks(line, connection)
  }

  func send(part: [UInt8], from connection: Int) {
    wires[connection].send(part: part)
    driver.send(part, from: connection)
    ledger.cuts(connection)
  }

  /// The next `count` bytes of the peer reach the server, or its half-close does.
  func deliver(_ count: Int, from connection: Int) {
    let count = min(count, driver.undelivered(from: connection))
    if let line = wires[connection].next, line.end <= wires[connection].deliveredTotal + count {
      ledger.comes(line, connection)
    }
    guard driver.deliver(atMost: count, from: connection) else { return }
    let lines = wires[connection].delivered(count)
    // Those who read at once are heard, and judged, within this.
    for line in lines { ledger.answers(line, from: connection) }
    if count == 0 { ledger.halfCloses(connection) }
    settle("#\(connection) → \(count > 0 ? "\(count) bytes" : "half-closes"), with \(lines.map(\.text))")
    for line in lines { ledger.heard(line, from: connection, now) }
    watch(mayHaveChanged: count == 0 || lines.contains(where: \.changesChains))
  }

  func close(_ connection: Int) {
    if planter.forgetsClose() { driver.forget(connection) } else { driver.close(connection) }
    wires[connection] = Wire()
    ledger.closes(connection)
    settle("#\(connection) closes")
    watch(mayHaveChanged: true)
  }

  /// The kernel takes up to `count` bytes, from at most `places` buffers. Returns the lines that the peer has read.
  func take(_ count: Int, places: Int, of connection: Int) -> [SaidLine] {
    let known = wires[connection].unsent.waiting
    let taken = driver.take(atMost: count, places: places, of: connection)
    if !known.starts(with: taken) { ledger.fail(.coherentDoor, "unsent bytes of #\(connection) have changed") }
    if wires[connection].ending == .close {
      if !taken.isEmpty { ledger.fail(.coherentDoor, "#\(connection) is to be closed at once, and is shown bytes") }
      return []
    }
    if taken.isEmpty {
      if !known.isEmpty { ledger.fail(.coherentDoor, "unsent bytes of #\(connection) are not shown") }
      return []
    }
    let lines = wires[connection].taken(taken.count)
    settle("#\(connection) reads \(taken.count) bytes of \(known.count)")
    watch(mayHaveChanged: false)
    return lines
  }

  func drain() {
    driver.drain()
    settle("drain")
    watch(mayHaveChanged: true)
  }

  func wake() {
    driver.wake()
    settle("wake")
    watch(mayHaveChanged: false)
    ledger.checkTimes(now)
    if let next = wakeAt, next <= now { ledger.fail(.onTime, "wakes at \(now.microseconds) for \(next.microseconds)") }
  }

  // MARK: Out

  /// Collects everything that has come out of the call.
  func settle(_ text: @autoclosure () -> String) {
    log.note(now, text())
    calls += 1
    ledger.watch?.call = calls
    if !isHearing { ledger.stays?.call = calls }
    if driver.reloads != reloads {
      reloads = driver.reloads
      ledger.watch?.reloaded(file)
    }
    mix(UInt64(bitPattern: now.microseconds))
    releaseRecord()
    collectAll()
    holdRecord()
    hearWhatStays()
  }

  /// Takes in what is new about all connections that have changed.
  func collectAll() {
    var names = 0
    while let connection = driver.nextChanged() {
      names += 1
      if names > wires.count { return ledger.fail(.coherentDoor, "connections are named without end") }
      if !driver.isClosed(connection) { collect(connection) }
    }
  }

  /// Takes in what is new about a connection: its unsent bytes and its wish.
  private func collect(_ connection: Int) {
    let known = wires[connection].unsent.count
    let count = driver.unsentCount(of: connection)
    if count < known { return ledger.fail(.coherentDoor, "unsent bytes of #\(connection) are gone") }
    if count > known { readNew(driver.unsent(of: connection, from: known), of: connection) }
    let (old, wish) = (wires[connection].ending, driver.wish(of: connection))
    if wish == wires[connection].wish { return }
    wires[connection].wish = wish
    log.note(now, "#\(connection) is to \(wish.ending), reading \(wish.reading)")
    if wish.ending.severity < old.severity {
      ledger.fail(.coherentDoor, "#\(connection) was to \(old) and is now to \(wish.ending)")
    }
    if wish.ending != .open, wish.reason == nil { ledger.fail(.coherentDoor, "#\(connection) is to end, and not why") }
    if !wish.reading { ledger.cover("reading paused") }
    guard wish.ending != .open, old == .open else { return }
    endings += 1
    ledger.isToEnd(connection, wish.reason)
  }

  /// Reads the bytes that were appended, line by line.
  private func readNew(_ fresh: [UInt8], of connection: Int) {
    if wires[connection].ending != .open {
      ledger.fail(.coherentDoor, "#\(connection) is said more after its end")
    }
    if fresh.last != UInt8(ascii: "\n") { ledger.fail(.coherentDoor, "no whole lines to #\(connection)") }
    for byte in fresh { mix(UInt64(byte)) }
    mix(UInt64(connection))
    wires[connection].collected(fresh)
    let isListener = ledger.stays?.isListener(connection) ?? false
    var behind = fresh.count
    for said in fresh.dropLast().split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      behind -= said.count + 1
      for line in planter.alter(Array(said), toListener: isListener) { hear(line, bytesBehind: behind, connection) }
    }
  }

  private func hear(_ line: [UInt8], bytesBehind: Int, _ connection: Int) {
    log.note(now, "#\(connection) ← \(String(decoding: line, as: UTF8.self))")
    do {
      let read = try SaidLine.read(line)
      if !read.isKnown { ledger.fail(.coherentDoor, "no known op: \(read.spelled)") }
      if line.count >= ledger.settings.maxLine, !read.mayBeLong {
        ledger.fail(.coherentDoor, "a line of \(line.count + 1) bytes to #\(connection)")
      }
      ledger.said(read, to: connection, now)
      wires[connection].fly(read, bytesBehind: bytesBehind)
    } catch {
      let text = String(decoding: line, as: UTF8.self)
      ledger.fail(.coherentDoor, "\(error.what) at \(error.offset) in a line to #\(connection): \(text)")
    }
  }

  // MARK: Audits

  /// A connection that the core did not name as changed must be as it was. The tables must keep to their limits.
  func audit() {
    for connection in wires.indices where !driver.isClosed(connection) {
      let (wish, wire) = (driver.wish(of: connection), wires[connection])
      if wish != wire.wish || driver.unsentCount(of: connection) != wire.unsent.count {
        ledger.fail(.coherentDoor, "#\(connection) has changed and was not named: it is to \(wish.ending)")
      }
      if driver.hasEnded(connection) { ledger.checkHalfClosed(connection, wish) }
    }
    let there = wires.indices.filter { !driver.isClosed($0) }
    if let due = ledger.earliestDue, wakeAt.map({ $0 > due }) ?? true {
      ledger.fail(.onTime, "a message must end by \(due.microseconds) µs, and no wake-up is set for it")
    }
    if let difference = driver.router.historyDifference { ledger.fail(.counted, difference) }
    if let difference = driver.router.unsentDifference { ledger.fail(.counted, difference) }
    var census = driver.census
    if ledger.observer != nil, census["walks"] == nil, census["copies"] == nil {
      look()
      census = driver.census
      if ledger.observer != nil { ledger.checkLinks(planter.alter(census)) }
    }
    ledger.checkTables(census, connections: there.count, unsent: there.reduce(0) { $0 + wires[$1].unsent.count })
  }

  /// What each identity or address has is what is counted for it, and no more than it may have.
  func auditAccounts() {
    planter.miscount(&driver.router)
    for figure in driver.router.accountFigures {
      if figure.counted != figure.found {
        ledger.fail(
          .accountsCount,
          "\(figure.counted) \(figure.name) of \(figure.identity) are counted, and \(figure.found) are there")
      }
      let limits = ledger.limits?.limits[figure.identity]
      let most =
        switch figure.name {
        case "links": limits?.links
        case "patterns": limits?.patterns
        case "open messages": limits?.openMessages
        default: nil as Int?
        }
      if let most, figure.found > most {
        ledger.fail(.limitsHold, "\(figure.identity) has \(figure.found) \(figure.name), and may have \(most)")
      }
      if most == figure.found { ledger.cover("an identity is at its limit of \(figure.name)") }
      if figure.found > 0 { ledger.cover("counted: \(figure.name)") }
    }
  }

  private func mix(_ word: UInt64) { hash = (hash ^ word) &* 0x100_0000_01B3 }
}

extension Router.Wish.Ending {
  /// How definite an ending is: a connection's ending only gets more definite.
  fileprivate var severity: Int {
    switch self {
    case .open: 0
    case .shutDown: 1
    case .closeWhenWritten: 2
    case .close: 3
    }
  }
}

extension SaidLine {
  /// Replies that tell everything may be longer than the lines that the server takes.
  fileprivate var mayBeLong: Bool {
    op == "chains" || op == "explained" || has("trace") || text("topic") == "$baton.trace"
  }
}
