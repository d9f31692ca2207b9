import BatonLasting
import BatonStore
import Foundation
import Testing

/// The file of a node: what its log says is what a server alone would have written.
@Suite struct LogTests {
  static let name = LogName(high: 1, low: 2)

  static func position(_ number: UInt64, epoch: Int64 = 80) -> LogPosition {
    LogPosition(name: name, epoch: epoch, number: number, sequence: 100 + number)
  }

  static func body(_ changes: [StoreChange]) -> [UInt8] {
    var body = LogChanges()
    for change in changes { body.add(change) }
    return body.bytes()
  }

  /// Each kind of change, with what it may have and may lack.
  static var changes: [StoreChange] {
    var state = TryState()
    (state.tries, state.lastTry, state.nextAt, state.place, state.cause) = (2, 3, 77, 1, .timeout)
    (state.isStalled, state.isAgain, state.isUnderWay) = (true, true, true)
    let cut = TryResult([1, 2, 3], short: [1])
    return [
      .insert(
        Made.message(1, resent: StoredID(start: Made.start, count: 9)), Made.content(key: "ann"), once: Made.once(1)),
      .insert(Made.message(2), Made.content("\"é\""), once: nil),
      .insert(Made.message(3), Made.content(), once: Made.once(3, name: 3)),
      .insert(Made.message(4), Made.content(), once: Made.once(4, name: 4)),
      .insert(Made.message(5, identity: ""), Made.content(""), once: nil),
      .insert(Made.message(6), Made.content(), once: nil),
      .insert(Made.message(7), Made.content(), once: nil),
      .insert(Made.message(8), Made.content(), once: Made.once(8, name: 8)),
      .state(1, state, result: [7, 7]), .state(2, state, result: nil),
      .dead(3, state, result: cut), .dead(5, state, result: nil),
      .end(4, result: cut, rememberedUntil: 5000), .end(6, result: TryResult([9]), rememberedUntil: nil),
      .end(7, result: TryResult([9]), rememberedUntil: nil),
      .resend(Made.message(10), Made.content("18"), old: 3, rememberedUntil: -1),
      .discard(5, rememberedUntil: 0), .forget(Digest(high: 0, low: 8), of: 8), .remove(8),
      .stays(.setValue(Made.kept("a"), change: 3)), .stays(.setValue(Made.kept("b"), change: 4)),
      .stays(.removeValue(topic: Array("a".utf8))),
      .stays(.addEvent(Made.kept("e", seq: 5))), .stays(.addEvent(Made.kept("e", "", seq: 6))),
      .stays(.addEvent(Made.kept("e", seq: 7))), .stays(.removeEvents([5, 7])), .stays(.reserve(seq: 1000)),
      .stays(.end(seq: 17)),
    ]
  }

  private func shown(_ store: Store) throws -> [String] {
    let items = try store.items().map { "\($0)" }
    let results = (1...10).map { "\($0) \(String(describing: store.recall(UInt64($0))))" }
    return items + results + ([1, 2, 10] as [UInt64]).map { "\(String(describing: store.load($0)))" }
  }

  @Test(arguments: [1, 2]) func aRecordIsCarriedOutAsItsChangesAre(times: Int) throws {
    let (place, other) = (try Place(), try Place())
    let (alone, node) = (try place.open(), try Store(path: other.file, follows: true))
    for change in LogTests.changes { #expect(alone.write(change)) }
    let (first, second) = (LogTests.changes.prefix(12), LogTests.changes.dropFirst(12))
    for _ in 0..<times { #expect(node.write(.log(.commit(LogTests.body(Array(first)), LogTests.position(1))))) }
    for _ in 0..<times { #expect(node.write(.log(.commit(LogTests.body(Array(second)), LogTests.position(2))))) }
    #expect(try shown(node) == shown(alone))
    #expect(try node.logPosition() == LogTests.position(2))
    #expect(try alone.logPosition() == nil)
  }

  @Test func aRecordThatIsDamagedChangesNothing() throws {
    let place = try Place()
    let store = try Store(path: place.file, follows: true)
    let body = LogTests.body(LogTests.changes)
    for at in [0, 8, 9, body.count / 2, body.count - 1] {
      var damaged = body
      damaged[at] ^= 1
      #expect(LogChanges.read(damaged) == nil)
      #expect(!store.write(.log(.commit(damaged, LogTests.position(1)))))
    }
    #expect(LogChanges.read(Array(body.dropLast())) == nil && LogChanges.read([]) == nil)
    #expect(store.lastError?.contains("a record of the log is damaged") == true)
    #expect(try store.isEmpty() && store.logPosition() == nil)
  }

  @Test func factsAreThoseOfTheLog() throws {
    let (place, other) = (try Place(), try Place())
    let (leader, spare) = (try Store(path: place.file, follows: true), try Store(path: other.file, follows: true))
    guard case .base(let base?) = leader.ask(.readBase) else { throw Place.Missing() }
    for store in [leader, spare] { #expect(store.write(.log(.begins(base, LogTests.position(0))))) }
    #expect(leader.keep(.reserve(seq: 1000)) && spare.keep(.reserve(seq: 1000)))
    #expect(spare.write(.log(.leads(LogTests.position(0, epoch: 88)))))
    let start = try spare.leads()
    #expect(start.secret == leader.start.secret && start.epoch == leader.start.epoch && start.seq == 1000)
    #expect(!spare.write(.log(.begins(Array(base.dropLast()), LogTests.position(0, epoch: 96)))))
    spare.close()
    // A start as a node changes nothing of it; one without a cluster leaves the log.
    let again = try Store(path: other.file, follows: true)
    #expect(try again.logPosition() == LogTests.position(0, epoch: 88))
    #expect(again.start.epoch == start.epoch)
    again.close()
    let alone = try other.open()
    #expect(try alone.logPosition() == nil)
  }

  @Test func aPersonLetsALogBeginWithAFile() throws {
    let place = try Place()
    var store = try place.open()
    #expect(store.write(.insert(Made.message(1), Made.content(), once: nil)))
    try store.beginLog(wall: 1000)
    store.close()
    store = try Store(path: place.file, follows: true)
    #expect(try store.logPosition() == .toBegin(after: 8007) && !store.isEmpty())
  }

  @Test func whoLedIsKnownAfterADeathAndToNobodyElse() throws {
    let place = try Place()
    func led(by end: (Store) throws -> Void, follows: Bool = true) throws -> String? {
      do {
        let store = try Store(path: place.file, follows: true)
        store.remember(start: "1f")
        try end(store)
      }
      let next = try Store(path: place.file, follows: follows)
      defer { next.close() }
      return next.start.leads
    }
    // Without `close` it ends as a process does that is killed.
    #expect(try led { _ in } == "1f")
    #expect(try led { $0.close() } == nil)
    #expect(try led(by: { _ in }, follows: false) == nil)
    // A copy of any kind.
    let copy = place.folder + "/copy"
    _ = try led { _ in _ = try StoreFile(path: place.file).backup(to: copy) { Issue.record("\($0)") } }
    #expect(try sql(copy, "SELECT count(*) FROM fact WHERE name = 'leads'") == "0")
    #expect(
      try led { _ in
        let mark = URL(fileURLWithPath: place.file + ".mark")
        try Data(contentsOf: mark).write(to: mark)
      } == nil)
  }

  @Test func aLentStoreIsUsedByOneAtATime() throws {
    let place = try Place()
    nonisolated(unsafe) let store = try place.open()
    let thread = try StoreThread(store, wake: {})
    let write = StoreWrite(generation: 1, number: 1, change: .insert(Made.message(1), Made.content(), once: nil))
    thread.give([.write(write)])
    let rows = try thread.lend { try $0.rows() }
    #expect(rows == [1])
    thread.give([.write(StoreWrite(generation: 1, number: 2, change: .remove(1)))])
    #expect(try thread.lend { try $0.rows() } == [])
    thread.close()
    #expect(thread.waitForEnd(milliseconds: 10_000))
  }
}
