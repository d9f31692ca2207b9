import ProgramKit
import Synchronization
import Testing

@testable import BatonClient

/// Connections that are lost and made again.
@Suite struct ReconnectingTests {
  /// The server is killed and restarted under load. Every handler gets its old place. Every message has a result or an
  /// error.
  @Test func everythingStandsInItsOldPlaceAfterAKill() async throws {
    let server = try TestServer()
    var handlers: [Client] = []
    for (name, place) in [("b", Link.Place.back), ("c", .back), ("a", .front), ("bc", .after("b"))] {
      var link = Link(name)
      link.place = place
      handlers.append(try await server.baton(name).handler(link) { _ in .continue }.connect())
    }
    let sender = try await server.baton("sender").connect()
    let events = try await sender.subscribe("news")
    let load = (0..<8).map { _ in
      Task {
        var told = 0
        while !Task.isCancelled {
          do { if try await sender.send("t", trace: true).status == .unhandled { told += 1 } } catch { told += 1 }
        }
        return told
      }
    }
    for _ in 0..<3 {
      try server.restart()
      while try await order(sender) != ["a", "b", "bc", "c"] { await Task.yield() }
    }
    for task in load { task.cancel() }
    for task in load { #expect(await task.value > 0) }
    _ = try await handlers[0].broadcast("news")
    #expect(await events.first { _ in true }?.topic == "news")
  }

  /// The links of `main` in order: those that are there now.
  private func order(_ client: Client) async throws -> [String] {
    struct Chains: Decodable {
      struct Chain: Decodable { var links: [Link] }
      struct Link: Decodable { var handler: String }
      var chains: [Chain]
    }
    do {
      return try await client.request("inspect").decode(Chains.self).chains.first?.links.map(\.handler) ?? []
    } catch is BatonError {
      return []
    }
  }

  @Test func whatIsOpenIsToldOfTheLoss() async throws {
    let server = try TestServer()
    let (offered, tell) = AsyncStream.makeStream(of: Void.self)
    let handler = try await server.baton().handler("never") { _ in
      tell.yield()
      try await Task.sleep(for: .seconds(600))
      return .handled
    }.connect()
    let sender = try await server.baton().connect()
    let open = Task { try await sender.send("t") }
    _ = await offered.first { true }
    try server.restart()
    await #expect { try await open.value } throws: { error in
      guard case BatonError.connectionLost = error else { return false }
      return true
    }
    await handler.close()
    await #expect(throws: BatonError.closed) { try await handler.send("t") }
  }

  /// The server still has the old connection: the client takes the place over, and does not insert it again.
  @Test func takesOverFromItsOldConnection() async throws {
    let server = try FakeServer()
    async let connecting = Baton(at: server.place).named("porter").handler("porter", "door.*") { _ in .handled }
      .connect()
    var peer = await server.accept()
    #expect(await peer.line() == #"{"op":"hello","name":"porter","heartbeat_ms":15000,"id":1}"#)
    peer.say(#"{"op":"welcome","id":1}"#)
    #expect(await peer.line() == #"{"op":"insert","chain":"main","handler":"porter","accepts":["door.*"],"id":2}"#)
    peer.say(#"{"op":"ok","id":2,"rank":1.50}"#)
    let client = try await connecting

    peer.say(#"{"op":"moved","chain":"main","handler":"porter","rank":7}"#)
    peer.end()
    peer = await server.accept()
    _ = await peer.line()
    #expect(
      await peer.line() == #"{"op":"insert","chain":"main","handler":"porter","accepts":["door.*"],"rank":7,"id":4}"#)
    peer.say(#"{"op":"welcome","id":3}"#)
    peer.say(#"{"op":"error","id":4,"code":"name_taken","message":"…"}"#)
    #expect(await peer.line() == #"{"op":"replace","chain":"main","handler":"porter","accepts":["door.*"],"id":5}"#)
    peer.say(#"{"op":"ok","id":5,"rank":7}"#)

    // A handler that another one has replaced does not fight for the place.
    peer.say(#"{"op":"replaced","chain":"main","handler":"porter","by":"other"}"#)
    peer.say(#"{"op":"ping"}"#)
    #expect(await peer.line() == #"{"op":"pong"}"#)
    peer.end()
    peer = await server.accept()
    #expect(await peer.line()?.hasPrefix(#"{"op":"hello""#) == true)
    peer.say(#"{"op":"welcome","id":6}"#)
    async let told = client.broadcast("t")
    #expect(await peer.line() == #"{"op":"broadcast","topic":"t","id":7}"#)
    peer.say(#"{"op":"ok","id":7,"delivered":4,"news":[{}]}"#)
    #expect(try await told == 4)
    await client.close()
  }

  /// A server that welcomes and closes is asked ever more seldom, until a connection has stood for a while.
  @Test func aConnectionCountsOnceItHasStood() async throws {
    let server = try FakeServer()
    let start = ContinuousClock.now
    let passed = Mutex(Duration.zero)
    var backoff = Backoff()
    let waits = Mutex<[Int]>([])
    backoff.first = .milliseconds(1)
    backoff.chance = { ceiling in
      waits.withLock { $0.append(ceiling) }
      return ceiling
    }
    backoff.now = { start + passed.withLock { $0 } }
    let baton = Baton(at: server.place).backoff(backoff)
    let connecting = Task { try await baton.connect() }
    var peer = try await open(server)
    for _ in 0..<4 { peer = try await lose(peer, server) }
    passed.withLock { $0 = .seconds(5) }
    for _ in 0..<2 { peer = try await lose(peer, server) }
    try await connecting.value.close()
    #expect(waits.withLock { $0 } == [1, 2, 4, 8, 1, 2])
  }

  /// The next connection, once it is open.
  private func open(_ server: FakeServer) async throws -> FakeServer.Connection {
    let peer = await server.accept()
    let hello = try #require(await peer.line())
    let id = try #require(hello.split(separator: ":").last?.dropLast())
    peer.say(#"{"op":"welcome","id":\#(id)}"#)
    peer.say(#"{"op":"ping"}"#)
    #expect(await peer.line() == #"{"op":"pong"}"#)
    return peer
  }

  private func lose(_ peer: FakeServer.Connection, _ server: FakeServer) async throws -> FakeServer.Connection {
    peer.end()
    return try await open(server)
  }

  /// A client that sends faster than the server reads waits. Its memory does not grow.
  @Test func backpressureReachesTheCaller() async throws {
    let server = try FakeServer()
    async let connecting = Baton(at: server.place).patience(.seconds(600)).maxWaitingBytes(32 << 20).connect()
    let peer = await server.accept()
    _ = await peer.line()
    peer.say(#"{"op":"welcome","id":1}"#)
    let client = try await connecting
    let payload = Payload(text: String(repeating: "x", count: 1 << 19))
    let senders = (0..<24).map { _ in Task { try await client.broadcast("t", payload) } }
    // All of them get through once the server reads. Their ids come in order.
    for _ in 0..<24 {
      let line = try #require(await peer.line())
      let id = try #require(line.split(separator: ":").last?.dropLast())
      #expect(await client.session.unsentCount <= 3 << 20)
      peer.say(#"{"op":"ok","id":\#(id),"delivered":0}"#)
    }
    for sender in senders { #expect(try await sender.value == 0) }
  }

  /// Who outlasts the draining of the first server waits for the next one, but not longer than a request.
  @Test(arguments: ["", #","id":1"#])
  func theNextServerIsWaitedForWhileThereIsPatience(_ id: String) async throws {
    let server = try FakeServer()
    let baton = Baton(at: server.place).patience(.milliseconds(1)).outlastingDraining()
    let connecting = Task { try await baton.connect() }
    let peer = await server.accept()
    _ = await peer.line()
    peer.say(#"{"op":"error"\#(id),"code":"draining","message":"no"}"#)
    peer.end()
    await #expect(throws: BatonError.unreachable("there has been no connection for 0.001 seconds")) {
      _ = try await connecting.value
    }
  }

  /// Draining removes the links, answers what is open, and closes.
  @Test func drainingFinishesWhatIsOpen() async throws {
    let server = try FakeServer()
    let (gate, open) = AsyncStream.makeStream(of: Void.self)
    async let connecting = Baton(at: server.place).handler("h") { _ in
      _ = await gate.first { true }
      return .handled
    }.connect()
    let peer = await server.accept()
    _ = await peer.line()
    peer.say(#"{"op":"welcome","id":1}"#)
    _ = await peer.line()
    peer.say(#"{"op":"ok","id":2,"rank":1}"#)
    let client = try await connecting
    peer.say(#"{"op":"offer","id":1,"walk":1,"chain":"main","handler":"h","topic":"t","timeout_ms":1000,"from":"x"}"#)
    async let drained: Void = client.drain()
    #expect(await peer.line() == #"{"op":"remove","chain":"main","handler":"h","id":3}"#)
    peer.say(#"{"op":"ok","id":3}"#)
    open.yield()
    #expect(await peer.line() == #"{"op":"handled","id":1}"#)
    #expect(await peer.line() == nil)
    await drained
  }

  /// A task that is cancelled drains, and its `run` returns.
  @Test func aCancelledRunDrains() async throws {
    let server = try FakeServer()
    let running = Task { try await Baton(at: server.place).handler("h") { _ in .handled }.run() }
    let peer = await server.accept()
    _ = await peer.line()
    peer.say(#"{"op":"welcome","id":1}"#)
    _ = await peer.line()
    peer.say(#"{"op":"ok","id":2,"rank":1}"#)
    peer.say(#"{"op":"ping"}"#)
    #expect(await peer.line() == #"{"op":"pong"}"#)
    running.cancel()
    #expect(await peer.line() == #"{"op":"remove","chain":"main","handler":"h","id":3}"#)
    peer.say(#"{"op":"ok","id":3}"#)
    #expect(await peer.line() == nil)
    try await running.value
  }
}
