import Foundation
import ProgramKit
import Testing

@testable import BatonClient

/// Encrypted connections of the library with the real server.
@Suite struct EncryptionTests {
  private let made: Certificates
  /// A certificate and its key that a test changes, for one side.
  private let own = freshPath()

  init() throws { made = try Certificates.shared() }

  /// Makes these files the own ones.
  private func put(_ name: String, key: String) throws {
    for (from, to) in [("\(name).pem", "\(own).pem"), ("\(key).key", "\(own).key")] {
      try Data(contentsOf: URL(fileURLWithPath: made.path(from))).write(to: URL(fileURLWithPath: to))
    }
  }

  private func forget() { for end in ["pem", "key", "yaml"] { unlink("\(own).\(end)") } }

  private func place(_ server: RunningServer) -> String { "tls:localhost:\(server.port)" }

  @Test func thePlace() throws {
    for (text, host, described) in [
      ("tls:a.example:1", "a.example", "tls a.example:1"), ("tls:[::1]:22867", "::1", "tls [::1]:22867"),
    ] {
      let place = try Endpoint(reading: text)
      #expect(place.host == host && place.isEncrypted && place.isPrivate && place.description == described)
    }
    #expect(try !Endpoint(reading: "a.example:1").isEncrypted)
    for text in ["tls:22867", "tls::1", "tls:a", "TLS:a:1", "tls:unix:/a", "tls:tls:a:1", "tls:a:65536"] {
      #expect(throws: BatonError.notAPlace(text)) { try Endpoint(reading: text) }
    }
  }

  @Test func longLinesGoBothWays() async throws {
    let file = try made.serverFile()
    defer { unlink(file) }
    let server = try RunningServer(["--config", file], at: ["tls:127.0.0.1:0"])
    let baton = Baton(at: place(server)).ca(made.path("authority.pem"))
    let handler = try await baton.handler("echo") { $0.payload.map { .handled($0) } ?? .handled }.connect()
    let sender = try await baton.connect()
    let texts = [1, 16_000, 16_384, 500_000].map { String(repeating: "é🚪", count: $0 / 6 + 1) }
    try await withThrowingTaskGroup { group in
      for text in texts + texts + texts {
        group.addTask {
          let answer = try await sender.send("t", text).value(String.self)
          #expect(answer == text)
        }
      }
      try await group.waitForAll()
    }
    await sender.close()
    await handler.drain()
    #expect(server.end() == 0)
    // The client said goodbye.
    let log = server.program.remainingErrorLines()
    #expect(!log.contains { $0.contains("encryption failed") }, "\(log)")
  }

  @Test func filesAndPinsThatAreWrongAreToldBeforeConnecting() async throws {
    let baton = Baton(at: "tls:192.0.2.1:1")
    let right = try made.pin("server")
    let wrong = [
      baton.ca("/nowhere"), baton.ca(""), baton.ca(made.path("client.key")), baton.certificate(made.path("client.pem")),
      baton.key(made.path("client.key")), baton.certificate(made.path("client.pem")).key(made.path("server.key")),
      baton.certificate(made.path("client.pem")).key(made.path("locked.key")), baton.pins(right, right, right),
      baton.pins(String(right.dropLast())), baton.pins("sha256/" + right), baton.pins(right + "\n"), baton.pins(""),
      Baton(at: "127.0.0.1:1").ca("x"), Baton(at: "unix:/nowhere").pins(right), Baton(at: "127.0.0.1:1").key("x"),
    ]
    for baton in wrong {
      for start in [{ _ = try await baton.connect() }, { try await baton.run() }] {
        let error = await #expect(throws: BatonError.self) { try await start() }
        #expect(error?.code == "bad_tls", "\(error?.description ?? "")")
      }
    }
  }

  @Test func aHandshakeThatDoesNotEndIsNotWaitedFor() async throws {
    let server = try FakeServer()
    var plan = Plan(place: "tls:\(server.place)")
    plan.attempt = .milliseconds(50)
    let client = try Session(plan)
    await #expect(throws: BatonError.unreachable("no answer within 0.05 seconds")) {
      try await client.open(isPatient: false)
    }
  }

  @Test func aClientThatWasConnectedWaitsForACertificateThatCounts() async throws {
    defer { forget() }
    try put("server", key: "server")
    let server = try RunningServer(
      ["--tls-certificate", "\(own).pem", "--tls-key", "\(own).key"], at: ["tls:127.0.0.1:0"])
    let (said, say) = AsyncStream.makeStream(of: String.self)
    let client = try await Baton(at: place(server)).ca(made.path("authority.pem")).reporting { say.yield($0) }.connect()
    var lines = said.makeAsyncIterator()
    #expect(await lines.next() == "connected to tls localhost:\(server.port)")
    try put("expired", key: "server")
    try server.kill()
    try server.startAgain()
    while let line = await lines.next(), !line.contains("has expired; its operator has to renew it") {}
    try put("server", key: "server")
    try server.kill()
    try server.startAgain()
    while let line = await lines.next(), !line.hasPrefix("connected to ") {}
    #expect(try await client.broadcast("t") == 0)
    await client.close()
  }

  @Test func filesAreReadAgainAfterALoss() async throws {
    defer { forget() }
    let file = try made.serverFile(
      """
      peers:
        web: { certificate: "dns:web.example", may: [] }
        named: { certificate: "dns:baton.example", may: [] }
      """, clients: true)
    defer { unlink(file) }
    let server = try RunningServer(["--config", file], at: ["tls:127.0.0.1:0"])
    try put("client", key: "client")
    let (said, say) = AsyncStream.makeStream(of: String.self)
    let client = try await Baton(at: place(server)).ca(made.path("authority.pem")).certificate("\(own).pem")
      .key("\(own).key").reporting { say.yield($0) }.connect()
    var lines = said.makeAsyncIterator()
    #expect(await lines.next()?.hasPrefix("connected to ") == true)
    #expect(await client.identity == "web")
    var starts = [await client.serverStart]
    for (name, key, identity) in [
      // Half of the files is new: the old ones count.
      ("named", "client", "web"), ("named", "server", "named"),
    ] {
      try put(name, key: key)
      try server.kill()
      try server.startAgain()
      while let line = await lines.next(), !line.hasPrefix("connected to ") {}
      #expect(await client.identity == identity)
      starts.append(await client.serverStart)
    }
    // Each start of the server draws bits of its own.
    #expect(Set(starts).count == 3)
    #expect(starts.allSatisfy { $0?.wholeMatch(of: /[0-9a-f]{32}/) != nil })
    await client.close()
  }
}
