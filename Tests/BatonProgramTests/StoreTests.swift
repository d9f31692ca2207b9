import BatonLasting
import BatonStore
import Foundation
import ProgramKit
import Testing

/// `baton store`: what it prints of a file, also while a server has it open, and its exit codes.
@Suite struct StoreTests {
  private let folder = freshPath() + ".store"
  private var file: String { folder + "/store" }

  init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false) }

  /// A store with a message, a dead letter, a value and an event, which is still open.
  private func made() throws -> Store {
    let store = try Store(path: file)
    func message(_ row: UInt64) -> StoredMessage {
      StoredMessage(
        id: StoredID(start: StoredID.Start(random: 0, 0), count: row), identity: Array("web".utf8),
        chain: Array("orders".utf8),
        rules: TryRules(tries: 2, retryMilliseconds: 1, timeoutMilliseconds: 1, expiresMilliseconds: 1),
        acceptedAt: 17, resent: nil, byteCount: 1, state: TryState())
    }
    let content = DurableContent(
      head: Array(#"{"topic":"order.paid","meta":{"a":1}}"#.utf8), from: Array(#""web.1"t"#.utf8),
      key: Array("ann".utf8), payload: Array(#"{"order":17}"#.utf8))
    let kept = Publication(
      topic: Array("light".utf8), payload: Array("\"on\"".utf8), meta: [], from: Array("\"#5\"".utf8), identity: [],
      seq: 4, at: 18)
    let writes: [StoreChange] = [
      .insert(message(1), content, once: nil), .insert(message(2), content, once: nil),
      .dead(2, TryState(), result: TryResult(Array(#"{"status":"unhandled"}"#.utf8))),
    ]
    var least: UInt64 = 0
    var jobs = writes.enumerated().map {
      StoreJob.write(StoreWrite(generation: 1, number: UInt64($0.offset) + 1, change: $0.element))
    }
    jobs.append(.write(StoreWrite(generation: 1, number: 1, change: .stays(.setValue(kept, change: 1)))))
    jobs.append(.write(StoreWrite(generation: 1, number: 2, change: .stays(.addEvent(kept)))))
    guard case .storedUpTo = store.carryOut(jobs, from: &least).last else { throw Failed() }
    return store
  }

  private struct Failed: Error {}

  private let lines = [
    #"{"type":"message","stored":"0000000000000000-1","topic":"order.paid","meta":{"a":1},"chain":"orders","key":"ann","#
      + #""payload":{"order":17},"from":"web.1","identity":"web","accepted_ms":17,"tries":0}"#,
    #"{"type":"dead","stored":"0000000000000000-2","topic":"order.paid","meta":{"a":1},"chain":"orders","key":"ann","#
      + #""payload":{"order":17},"from":"web.1","identity":"web","accepted_ms":17,"tries":0,"#
      + #""result":{"status":"unhandled"}}"#,
    ##"{"type":"value","topic":"light","payload":"on","from":"#5","seq":4,"published_ms":18}"##,
    ##"{"type":"event","topic":"light","payload":"on","from":"#5","seq":4,"published_ms":18}"##,
  ]

  @Test func aStoreIsCheckedExportedAndCopiedWhileItIsOpen() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = try made()
    let check = try Program(["store", "check", "--store", file])
    #expect(check.remainingLines() == ["ok: 1 message, 1 dead letter, 0 names, 1 value, 1 event"])
    #expect(check.wait() == 0)
    let export = try Program(["store", "export", "--store", file])
    #expect(export.remainingLines() == lines)
    #expect(export.wait() == 0)
    let backup = try Program(["store", "backup", folder + "/copy", "--store", file])
    #expect(backup.remainingLines() + backup.remainingErrorLines() == [])
    #expect(backup.wait() == 0)
    #expect(try Program(["store", "export", "--store", folder + "/copy"]).remainingLines() == lines)
    let again = try Program(["store", "backup", folder + "/copy", "--store", file])
    #expect(again.errorLine() == "Error: \(folder)/copy is there already; name another file, or move it away")
    #expect(again.wait() == 1)
    let compact = try Program(["store", "compact", "--store", file])
    #expect(
      compact.errorLine()?.contains("is in use by another server, or baton store compact is at work; stop that one")
        == true)
    #expect(compact.wait() == 1)
    store.close()
  }

  @Test func theServersFileNamesTheStore() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try made().close()
    let config = folder + "/baton.yaml"
    try "store: store\n".write(toFile: config, atomically: true, encoding: .utf8)
    let check = try Program(["store", "check", "--config", config])
    #expect(check.remainingLines() == ["ok: 1 message, 1 dead letter, 0 names, 1 value, 1 event"])
    let compact = try Program(["store", "compact"], environment: ["BATON_CONFIG=\(config)"])
    #expect(compact.wait() == 0)
    let unnamed = try Program(["store", "check"], environment: ["BATON_CONFIG="])
    let wanted = "name the file of the store with --store, or the configuration file with"
    #expect(unnamed.errorLine()?.contains(wanted) == true)
    #expect(unnamed.wait() == 64)
  }

  @Test func aCopyDoesNotContinue() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = try made()
    #expect(try Program(["store", "backup", folder + "/copy", "--store", file]).wait() == 0)
    let epoch = store.start.epoch
    store.close()
    // The copy takes the place of the file. The mark beside it is still that of the copy's day.
    try FileManager.default.removeItem(atPath: file)
    try FileManager.default.moveItem(atPath: folder + "/copy", toPath: file)
    let other = try Store(path: file)
    #expect(!other.start.continues && other.start.epoch != epoch && other.start.secret == store.start.secret)
  }

  @Test func aStoreGetsSmall() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = try made()
    var least: UInt64 = 0
    let kept = Publication(
      topic: [97], payload: [UInt8](repeating: 49, count: 500_000), meta: [], from: [], identity: [], seq: 1, at: 1)
    _ = store.carryOut(
      [.write(StoreWrite(generation: 1, number: 1, change: .stays(.setValue(kept, change: 2))))], from: &least)
    _ = store.carryOut(
      [.write(StoreWrite(generation: 1, number: 2, change: .stays(.removeValue(topic: [97]))))], from: &least)
    store.close()
    let program = try Program(["store", "compact", "--store", file])
    let words = try #require(program.line()).split(separator: " ")
    #expect(program.wait() == 0)
    #expect(try #require(Int(words[0])) > 500_000 && #require(Int(words[3])) < 100_000)
    #expect(try Program(["store", "export", "--store", file]).remainingLines() == lines)
  }

  @Test func whatIsDamagedIsSaidAndTheRestIsExported() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try made().close()
    var bytes = try Data(contentsOf: URL(fileURLWithPath: file))
    let found = try #require(bytes.range(of: Data(#"{"order":17}"#.utf8)))
    bytes[found.lowerBound + 9] = UInt8(ascii: "9")
    try bytes.write(to: URL(fileURLWithPath: file))
    let check = try Program(["store", "check", "--store", file])
    let told = check.remainingLines()
    #expect(check.wait() == 1)
    #expect(
      told.count == 2 && told[0].hasPrefix("message 0000000000000000-") && told[0].hasSuffix("its bytes are damaged"))
    #expect(told.last?.hasPrefix("damaged: ") == true)
    let json = try Program(["store", "check", "--store", file, "--json"]).remainingLines()
    #expect(json.count == 1 && json[0].hasPrefix("{\"messages\":") && json[0].hasSuffix("are damaged\"]}"))
    let export = try Program(["store", "export", "--store", file])
    #expect(export.remainingLines().count == 3)
    #expect(export.remainingErrorLines().count == 1)
    #expect(export.wait() == 1)
  }

  @Test func whatIsNoStoreIsRefused() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let none = try Program(["store", "check", "--store", file])
    #expect(
      none.errorLine() == "Error: there is no store \(file); name the file that the server has (baton serve --store)")
    #expect(none.wait() == 1)
    #expect(!FileManager.default.fileExists(atPath: file))
    try Data(repeating: 97, count: 1000).write(to: URL(fileURLWithPath: file))
    for command in ["check", "export", "compact"] {
      let program = try Program(["store", command, "--store", file])
      #expect(
        program.errorLine()?.hasPrefix("Error: \(file) does not begin as a store does: it is another file") == true)
      #expect(program.wait() == 1)
    }
  }
}
