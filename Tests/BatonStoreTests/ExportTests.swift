import BatonLasting
import BatonStore
import Foundation
import Testing

/// `baton store export` beside a server that goes on.
@Suite struct ExportTests {
  private let place: Place
  private let store: Store

  init() throws {
    place = try Place()
    store = try place.open()
    for number in UInt64(1)...300 {
      #expect(store.write(.insert(Made.message(number), Made.content(), once: nil)))
      #expect(store.keep(.setValue(Made.kept(topic(number)), change: number)))
      #expect(store.keep(.addEvent(Made.kept("event", seq: number))))
    }
  }

  private func topic(_ number: UInt64) -> String { "value.\(1000 + number)" }

  @Test func whoIsToldHoldsNothingOfTheFile() throws {
    var (told, busy): (UInt64, [String]) = (0, [])
    _ = try StoreFile(path: place.file).export { _ in
      told += 1
      guard told % 100 == 50 else { return }
      #expect(store.write(.insert(Made.message(1000 + told), Made.content(), once: nil)))
      busy.append(try sql(place.file, "PRAGMA wal_checkpoint(TRUNCATE)"))
    }
    #expect(busy == Array(repeating: "0", count: 9))
  }

  @Test func whatIsThereAllTheTimeIsToldOnce() throws {
    var (rows, topics, seqs): ([UInt64], [String], [UInt64]) = ([], [], [])
    let counts = try StoreFile(path: place.file).export { item in
      switch item {
      case .message(let message, _, _, _):
        rows.append(message.row)
        guard message.row == 100 else { return }
        #expect(store.write(.end(5, result: TryResult([]), rememberedUntil: nil)))
        #expect(store.write(.end(290, result: TryResult([]), rememberedUntil: nil)))
        #expect(store.write(.insert(Made.message(301), Made.content(), once: nil)))
      case .value(let kept):
        topics.append(String(decoding: kept.topic, as: UTF8.self))
        guard topics.count == 100 else { return }
        // The first one has been told, the second one has not.
        #expect(store.keep(.setValue(Made.kept(topic(50), "new"), change: 301)))
        #expect(store.keep(.setValue(Made.kept(topic(290), "new"), change: 302)))
      case .event(let kept):
        seqs.append(kept.seq)
        if kept.seq == 100 { #expect(store.keep(.addEvent(Made.kept("event", seq: 301)), .removeEvents([290]))) }
      case .damaged(let words): Issue.record("\(words)")
      }
    }
    let all = UInt64(1)...300
    #expect(rows == all.filter { $0 != 290 })
    #expect(topics == all.map(topic))
    #expect(seqs == all.filter { $0 != 290 })
    #expect((counts.messages, counts.values, counts.events, counts.damaged) == (299, 300, 299, 0))
  }

  @Test func aMessageIsExportedThoughItsNameIsDamaged() throws {
    #expect(store.write(.insert(Made.message(301), Made.content(), once: Made.once(301))))
    try sql(place.file, "UPDATE message SET once = x'00' WHERE row = 301")
    var told: [String] = []
    let counts = try StoreFile(path: place.file).export { item in
      switch item {
      case .message(let message, _, _, _): if message.row == 301 { told.append("message") }
      case .damaged(let words): told.append(words)
      default: break
      }
    }
    let stored = String(decoding: Made.message(301).id.text, as: UTF8.self)
    #expect(
      told == [
        "message", "message \(stored): its name (once) is damaged; sent again with it, it is taken in twice",
      ])
    #expect((counts.messages, counts.names, counts.damaged) == (301, 0, 1))
  }

  /// The pages of a table, in the order of their rows.
  private func leaves(of table: String) throws -> [Int] {
    let root = try #require(Int(try sql(place.file, "SELECT rootpage FROM sqlite_schema WHERE name = '\(table)'")))
    let data = [UInt8](try Data(contentsOf: URL(fileURLWithPath: place.file)))
    func number(_ at: Int, _ count: Int) -> Int { data[at..<at + count].reduce(0) { $0 << 8 | Int($1) } }
    let page = (root - 1) * 4096
    // An interior page, as this small table has one.
    try #require(data[page] == 5)
    let cells = (0..<number(page + 3, 2)).map { number(page + 12 + 2 * $0, 2) }
    return cells.map { number(page + $0, 4) } + [number(page + 8, 4)]
  }

  /// In the middle, at both ends, and some of them.
  @Test(arguments: [[0], [2], [1, 2, 3], [-1], [0, 1, -1]])
  func whatStandsBehindADamagedPageIsTold(damaged: [Int]) throws {
    store.close()
    let all = try leaves(of: "message")
    let pages = damaged.map { all[$0 < 0 ? all.count - 1 : $0] }
    let rows = try pages.map(rowsOfLeaf)
    var data = try Data(contentsOf: URL(fileURLWithPath: place.file))
    for page in pages { data.replaceSubrange((page - 1) * 4096..<page * 4096, with: Data(count: 4096)) }
    try data.write(to: URL(fileURLWithPath: place.file))
    var (told, numbers): ([String], [UInt64]) = ([], [])
    let counts = try StoreFile(path: place.file).export { item in
      if case .message(let message, _, _, _) = item { numbers.append(message.row) }
      if case .damaged(let words) = item { told.append(words) }
    }
    #expect(counts.messages == 300 - rows.reduce(0, +))
    #expect(numbers == numbers.sorted() && counts.values == 300 && counts.events == 300)
    #expect(told.contains { $0.hasPrefix("table message: ") })
  }

  /// What stands in the pages that are left. As if the pages that are gone were empty.
  @Test(arguments: [1, 5, 1.5]) func ofAFileThatWasCutTheRestIsTold(pages: Double) throws {
    store.close()
    let url = URL(fileURLWithPath: place.file)
    let whole = try Data(contentsOf: url)
    let cut = whole.dropLast(Int(pages * 4096))
    try (cut + Data(count: whole.count - cut.count)).write(to: url)
    let expected = try StoreFile(path: place.file).export { _ in }
    #expect(expected.messages + expected.values + expected.events > 900 - 60 * 6)
    try cut.write(to: url)
    var told: [String] = []
    let counts = try StoreFile(path: place.file).export { if case .damaged(let words) = $0 { told.append(words) } }
    #expect(counts.messages == expected.messages)
    #expect((counts.values, counts.events) == (expected.values, expected.events))
    #expect(told.contains { $0.hasPrefix("it was cut, or its first page is damaged (") })
    #expect(place.refusal()?.contains("is damaged: database disk image is malformed") == true)
    #expect(slip { _ = try StoreFile.compact(path: place.file) }?.contains("it is not compacted") == true)
    #expect(try Data(contentsOf: url) == cut)
  }

  private func rowsOfLeaf(_ leaf: Int) throws -> Int {
    let data = [UInt8](try Data(contentsOf: URL(fileURLWithPath: place.file)))
    let page = (leaf - 1) * 4096
    try #require(data[page] == 13)
    return Int(data[page + 3]) << 8 | Int(data[page + 4])
  }

  /// What has become of messages is lost with it.
  @Test func messagesAreToldThoughTheirStatesAreDamaged() throws {
    #expect(store.write(.state(7, TryState(), result: nil)))
    store.close()
    let root = try #require(Int(try sql(place.file, "SELECT rootpage FROM sqlite_schema WHERE name = 'state'")))
    try place.overwrite(page: root)
    var told: [String] = []
    let counts = try StoreFile(path: place.file).export { if case .damaged(let words) = $0 { told.append(words) } }
    #expect(counts.messages == 300)
    #expect(told.first?.contains("dead letters are told as messages that wait") == true)
  }

  @Test func valuesAreToldThoughTheirIndexIsDamaged() throws {
    store.close()
    let root = try #require(Int(try sql(place.file, "SELECT rootpage FROM sqlite_schema WHERE type = 'index'")))
    try place.overwrite(page: root)
    #expect(try StoreFile(path: place.file).export { _ in }.values == 300)
  }

  /// Bits of the heads of pages, and of the places of rows in them: SQLite passes some of them over, or goes round in
  /// circles.
  @Test func noDamagedPageIsPassedOverOrReadForEver() throws {
    store.close()
    let whole = try Data(contentsOf: URL(fileURLWithPath: place.file))
    var incomplete = 0
    for flip in 0..<200 {
      var data = whole
      let page = 1 + flip * 7 % (whole.count / 4096 - 1)
      data[page * 4096 + flip * 5 % 48] ^= 1 << UInt8(flip % 8)
      try data.write(to: URL(fileURLWithPath: place.file))
      var told: Set<String> = []
      // One that cannot even be opened is told by an error.
      guard let file = try? StoreFile(path: place.file) else { continue }
      let counts = try file.export { item in
        switch item {
        case .message(let message, _, _, _): #expect(told.insert("message \(message.row)").inserted)
        case .value(let kept): #expect(told.insert("value \(String(decoding: kept.topic, as: UTF8.self))").inserted)
        case .event(let kept): #expect(told.insert("event \(kept.seq)").inserted)
        case .damaged: break
        }
      }
      if told.count < 900 { incomplete += 1 }
      #expect(told.count == 900 || counts.damaged > 0, "flip \(flip)")
      var damages = 0
      #expect(try file.check { _ in damages += 1 }.damaged == damages && (damages > 0 || told.count == 900))
      if damages == 0 { continue }
      let copy = place.folder + "/copy"
      // It is refused, or it lacks nothing.
      if let counts = try? file.backup(to: copy, { _ in }) {
        #expect(counts.messages + counts.values + counts.events + counts.damaged == 900)
      }
    }
    #expect(incomplete > 20)
  }
}
