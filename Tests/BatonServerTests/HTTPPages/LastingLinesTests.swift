import BatonCore
import DoorKit
import Foundation
import Testing

@testable import BatonServer

/// Requests about durable messages, their lines, and what the router and its keeper answer to these.
@Suite struct LastingLinesTests {
  private let driver: Driver

  init() {
    var settings = Settings()
    settings.chains = [ChainDeclaration(chain: "orders", links: [DeclaredLink("bill")])]
    driver = Driver(settings: settings, store: MemoryStore())
  }

  private func open(_ driver: Driver) -> Int {
    var facts = PeerFacts()
    facts.door = .request
    return driver.open(facts)
  }

  /// The lines that the router says on a connection, and what they are to a request.
  private func hear(_ connection: Int) -> (lines: [String], marks: [LineMark]) {
    while driver.turn() {}
    let lines = driver.takeLines(of: connection)
    return (lines.map { String(decoding: $0.line, as: UTF8.self) }, lines.map { $0.mark })
  }

  /// Asks on a connection of its own.
  private func ask(_ first: String, _ body: String = "") throws -> (
    connection: Int, lines: [String], marks: [LineMark]
  ) {
    let connection = open(driver)
    let length = body.isEmpty ? [] : ["Content-Length: \(body.utf8.count)"]
    driver.receive(try Asked.request(first, length).line(body: Array(body.utf8)).get(), from: connection)
    let heard = hear(connection)
    return (connection, heard.lines, heard.marks)
  }

  /// The name of a stored message in a line.
  private func name(in line: String?) -> String {
    let words = (line ?? "").components(between: "\"stored\":\"", and: "\"")
    return words ?? "none"
  }

  /// A handler of the chain.
  private func bill() -> Int {
    let handler = driver.open()
    driver.receive(Array("{\"op\":\"insert\",\"handler\":\"bill\",\"chain\":\"orders\"}\n".utf8), from: handler)
    _ = hear(handler)
    return handler
  }

  private func say(_ line: String, _ connection: Int) -> [String] {
    driver.receive(Array((line + "\n").utf8), from: connection)
    return hear(connection).lines
  }

  @Test func itIsStoredAndThenItEnds() throws {
    let sent = try ask("POST /send/a?chain=orders&durable=true&once=o&wait=true", "1")
    #expect(sent.marks == [.accepted])
    let stored = name(in: sent.lines.first)
    #expect(try ask("GET /stored?stored=\(stored)").marks == [.told])
    let again = try ask("POST /send/a?chain=orders&durable=true&once=o", "1")
    #expect(again.marks == [.accepted] && again.lines[0].contains("\"known\":true"))
    #expect(try ask("POST /send/a?chain=orders&durable=true&once=o", "2").marks == [.error(.onceMismatch)])
    let handler = bill()
    _ = say("{\"op\":\"handled\",\"payload\":\"billed\"}", handler)
    #expect(hear(sent.connection).marks == [.result(.handled)])
    #expect(try ask("GET /stored?stored=\(stored)").marks == [.error(.noSuchMessage)])
  }

  @Test func aDeadLetterIsToldResentAndDiscarded() throws {
    let handler = bill()
    let sent = try ask("POST /send/a?chain=orders&durable=true&tries=1&wait=true", "{\"dead\":false}")
    _ = say("{\"op\":\"continue\"}", handler)
    let end = hear(sent.connection)
    #expect(end.marks == [.dead(.unhandled)], "\(end.lines)")
    let stored = name(in: sent.lines.first)
    #expect(try ask("GET /dead?chain=orders&limit=1").marks == [.told])
    let one = try ask("GET /dead?stored=\(stored)")
    #expect(one.marks == [.told] && one.lines[0].contains("{\"dead\":false}"))
    let resent = try ask("POST /resend?stored=\(stored)", "7")
    #expect(resent.marks == [.ok], "\(resent.lines)")
    #expect(name(in: resent.lines.first) != stored)
    #expect(try ask("POST /discard?stored=\(stored)").marks == [.error(.noSuchMessage)])
    _ = say("{\"op\":\"continue\"}", handler)
  }

  @Test func whatIsNotStoredIsToldSo() throws {
    #expect(try ask("POST /send/a?chain=main&durable=true").marks == [.error(.notDeclared)])
    driver.store?.mode = .fails
    let sent = try ask("POST /send/a?chain=orders&durable=true")
    driver.store?.mode = .works
    driver.pass(milliseconds: 1000)
    #expect(sent.marks + hear(sent.connection).marks == [.error(.storeFailed)])
  }

  @Test func aServerWithoutAStoreHasNone() throws {
    let bare = Driver(settings: Settings())
    for request in [
      "POST /send/a?durable=true", "GET /stored?stored=0123456789abcdef-1", "GET /dead",
      "POST /resend?stored=0123456789abcdef-1", "POST /discard?stored=0123456789abcdef-1",
    ] {
      let connection = open(bare)
      bare.receive(try Asked.request(request).line(body: []).get(), from: connection)
      #expect(bare.takeLines(of: connection).map { $0.mark } == [.error(.noStore)], "\(request)")
    }
  }
}

extension String {
  /// What stands between two texts, the first time.
  fileprivate func components(between start: String, and end: String) -> String? {
    guard let from = range(of: start)?.upperBound, let to = self[from...].range(of: end)?.lowerBound else { return nil }
    return String(self[from..<to])
  }
}
