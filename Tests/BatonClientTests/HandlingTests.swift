import BatonClient
import Testing

/// What handlers answer, and what senders get, over the real server.
@Suite struct HandlingTests {
  struct DoorOpen: BatonMessage, Equatable {
    static let topic = "door.open"
    var door: Int
  }
  struct Opened: Codable, Equatable {
    var opened: Bool
  }
  struct Broken: Error, CustomStringConvertible {
    let description = "the key is stuck"
  }

  @Test func eachVerdictHasItsResult() async throws {
    let server = try TestServer()
    let handler = try await server.baton("porter").handler("porter", "door.*") { message in
      switch message.topic {
      case "door.open": .handled(Opened(opened: true))
      case "door.plain": .handled
      case "door.pass": .continue
      case "door.rewrite": .continue(rewriting: ["b": 2])
      case "door.reject": .reject("closed at night", code: 403)
      case "door.no": .reject(code: "never")
      default: throw Broken()
      }
    }.connect()
    let sender = try await server.baton("cli").connect()

    #expect(try await sender.send(DoorOpen(door: 3)).value(Opened.self) == Opened(opened: true))
    let plain = try await sender.send("door.plain")
    #expect(plain.status == .handled && plain.payload == nil && plain.by == "porter" && plain.hops == 1)
    #expect(try await sender.send("door.pass", 1).status == .unhandled)
    #expect(try await sender.send("door.rewrite", 1).payload?.json == #"{"b":2}"#)
    let rejected = try await sender.send("door.reject")
    #expect(rejected.status == .rejected && rejected.message == "closed at night" && rejected.code?.json == "403")
    #expect(try await sender.send("door.no").code?.json == "\"never\"")
    // Its policy lets the walk go on.
    #expect(try await sender.send("door.broken").status == .unhandled)
    #expect(try await sender.send("window").hops == 0)
    await handler.drain()
    #expect(try await sender.send("door.plain").status == .unhandled)
  }

  @Test func whatIsThrownIsToldToTheSender() async throws {
    let server = try TestServer()
    var link = Link("porter")
    link.onFailure = .stop
    let handler = try await server.baton().handler(link) { _ in throw Broken() }.connect()
    let result = try await handler.send("a")
    #expect(result.status == .failed && result.cause == "failed" && result.message == "the key is stuck")
    #expect(throws: BatonError.notHandled(result)) { try result.value(Int.self) }
  }

  @Test func whatIsThrownIsLoggedAndHiddenIfAskedFor() async throws {
    let server = try TestServer()
    var link = Link("porter")
    link.onFailure = .stop
    let (logged, log) = AsyncStream.makeStream(of: String.self)
    let handler = try await server.baton().exposeErrors(false).loggingErrors { log.yield($0) }
      .handler(link) { _ in throw Broken() }.connect()
    let result = try await handler.send("a")
    #expect(result.status == .failed && result.message?.contains("stuck") != true)
    var lines = logged.makeAsyncIterator()
    #expect(await lines.next()?.contains("main/porter at a (walk \(result.walk)) threw: the key is stuck") == true)
  }

  /// What a handler says to a payload of another shape: the name of the member.
  @Test(arguments: [
    (#"{"name":"a"}"#, "payload.doors: it is missing"),
    (#"{"doors":5}"#, "payload.doors: expected a list"),
    (#"{"doors":[{"door":1},{"door":"x"}]}"#, "payload.doors[1].door: expected a number"),
    (#"{"doors":[{"door":null}]}"#, "payload.doors[0].door: expected a number, and there is none"),
    (#"{"doors":[7]}"#, "payload.doors[0]: expected an object"),
    (#"{"doors":[],"name":{}}"#, "payload.name: expected a string"),
    ("7", "payload: expected an object"),
  ])
  func aMemberOfAnotherShapeIsNamed(json: String, why: String) async throws {
    struct Doors: Decodable {
      var doors: [DoorOpen]
      var name: String?
    }
    let server = try TestServer()
    var link = Link("doors")
    link.onFailure = .stop
    let handler = try await server.baton().loggingErrors { _ in }.handler(link) { message in
      _ = try message.decode(Doors.self)
      return .handled
    }.connect()
    #expect(try await handler.send("t", Payload(json: json)).message == why)
  }

  @Test func typedHandlersGetTheirValues() async throws {
    let server = try TestServer()
    let handler = try await server.baton()
      .handler("porter", DoorOpen.self) { door, message in .handled([door.door, message.hopsLike]) }
      .connect()
    #expect(try await handler.send(DoorOpen(door: 3)).value([Int].self) == [3, 0])
    // A payload that is not such a value fails there, and disturbs nothing else.
    #expect(try await handler.send("door.open", "shut").status == .unhandled)
  }

  @Test func payloadsPassByteForByte() async throws {
    let server = try TestServer()
    let handler = try await server.baton().handler("echo") { .handled($0.payload ?? Payload(text: "none")) }.connect()
    for text in ["12345678901234567890123", "1.0", #"{"b":1,"a":2,"b":3}"#, #""\u00e9\/""#, "[]", "null"] {
      #expect(try await handler.send("t", Payload(json: text)).payload?.json == text)
    }
    #expect(try await handler.send("t").payload?.json == "\"none\"")
    #expect(try await handler.send("t", Payload(json: "{\n\t\"a\":\r\n1\n}")).payload?.json == "{ \t\"a\":  1 }")
    for text in ["", "{", "1 2", "1\n2", "1,\"topic\":2", "\"a\nb\"", "nul"] {
      #expect(throws: BatonError.self) { try Payload(json: text) }
    }
  }

  @Test func aHandlerIsCancelledWhenItsOfferLapses() async throws {
    let server = try TestServer()
    let (cancelled, tell) = AsyncStream.makeStream(of: String.self)
    let handler = try await server.baton().handler("slow") { message in
      do { try await Task.sleep(for: .seconds(600)) } catch { tell.yield(message.topic) }
      return .handled
    }.connect()
    let result = try await handler.send("late", timeout: .milliseconds(1))
    #expect(result.status == .timeout && result.by == "slow")
    #expect(await cancelled.first { _ in true } == "late")
    // The late verdict was refused and did no harm.
    #expect(try await handler.notify("x") == 1)
  }

  @Test func workingKeepsAnOfferOpen() async throws {
    let server = try TestServer()
    var link = Link("slow")
    link.timeout = .seconds(20)
    let handler = try await server.baton().handler(link) { message in
      await message.working()
      return .handled
    }.connect()
    #expect(try await handler.send("t").status == .handled)
  }

  @Test func refusalsAreErrorsWithTheirCodes() async throws {
    let server = try TestServer()
    let client = try await server.baton().connect()
    await #expect { try await client.send("a..b") } throws: { error in
      guard case BatonError.refused(let code, let message) = error else { return false }
      return code == "bad_topic" && message.contains("a..b")
    }
    await #expect { try await server.baton().handler("a b") { _ in .handled }.connect() } throws: { error in
      guard case BatonError.refused(code: "bad_name", _) = error else { return false }
      return true
    }
    await #expect { try await Baton(at: "127.0.0.1:1").connect() } throws: { error in
      guard case BatonError.unreachable = error else { return false }
      return true
    }
    await #expect(throws: BatonError.notAPlace("nowhere")) { try await Baton(at: "nowhere").connect() }
  }

  /// A verdict that is too long becomes a failure of the handler. The offer does not stay open for ever.
  @Test func aVerdictThatTheServerRefusesIsAFailure() async throws {
    let server = try TestServer()
    var link = Link("big")
    link.onFailure = .stop
    let handler = try await server.baton().handler(link) { _ in .handled(String(repeating: "x", count: 1 << 20)) }
      .connect()
    await #expect(throws: (any Error).self) { try await handler.send("t").value(String.self) }
  }
}

extension Message {
  /// A number from the message: it shows that the closure got one.
  fileprivate var hopsLike: Int { isAgain ? 1 : 0 }
}
