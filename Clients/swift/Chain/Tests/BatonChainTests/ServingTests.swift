public import BatonChain
import Foundation
import Testing

struct Post: Codable, Equatable {
  var text: String
  var tags: [String] = []
}

/// Every shape of method, under words of its own; and names that are words of Swift.
@Chain("house.desk") protocol Desk: Sendable {
  func count(_ name: String) async throws -> Int?
  func shorten(_ post: Post, to length: Int, for reader: String?) async throws -> Post?
  func maybe(_ name: String?) async throws -> [String]?
  func raw(_ payload: Payload) async throws -> Payload?
  func `repeat`(in place: String) async throws -> Bool?
  func every() async throws -> Optional<Bool>
  func fails(_ why: String) async throws -> Bool?
  func rang(at place: String, _ times: Int) async
  func told() async throws
}

/// One that the macro makes public.
@Chain public protocol URLWatch: Sendable {
  func seen(_ address: String) async throws -> Bool?
}

struct Refusal: Error, CustomStringConvertible {
  let description: String
}

/// A desk that knows one name, and tells what it hears.
struct OneDesk: Desk {
  let name: String
  let heard: AsyncStream<String>.Continuation

  func count(_ name: String) async throws -> Int? { name == self.name ? name.count : nil }
  func shorten(_ post: Post, to length: Int, for reader: String?) async throws -> Post? {
    Post(text: String(post.text.prefix(length)), tags: [reader ?? "nobody"])
  }
  func maybe(_ name: String?) async throws -> [String]? { [name ?? "nil"] }
  func raw(_ payload: Payload) async throws -> Payload? { payload }
  func `repeat`(in place: String) async throws -> Bool? { place == name }
  func every() async throws -> Bool? { true }
  func fails(_ why: String) async throws -> Bool? { throw Refusal(description: why) }
  func rang(at place: String, _ times: Int) async { heard.yield("\(name): \(times) at \(place)") }
  func told() async throws { heard.yield("\(name) was told") }
}

/// Senders and handlers of a protocol, over the real server. One after the other, because a program that is started
/// beside another one would hold its pipes.
@Suite(.serialized, .timeLimit(.minutes(2))) struct ServingTests {
  @Test func methodsAreMessages() async throws {
    let server = try Server()
    defer { server.end() }
    let (heard, tell) = AsyncStream.makeStream(of: String.self)
    var link = Link("Bob")
    link.onFailure = .stop
    let handlers = try await Baton(at: server.place)
      .handler("Ann", DeskHandler(OneDesk(name: "Ann", heard: tell)))
      .handler(link, DeskHandler(OneDesk(name: "Bob", heard: tell)))
      .connect()
    let client = try await Baton(at: server.place).connect()
    let desk: any Desk = DeskSender(client)

    #expect(try await desk.count("Ann") == 3)
    #expect(try await desk.count("Bob") == 3)
    #expect(try await desk.count("Cid") == nil)
    // nil is for the next link: the second one has it.
    #expect(try await client.send("house.desk.count", "Bob").by == "Bob")
    #expect(try await desk.shorten(Post(text: "long"), to: 2, for: nil) == Post(text: "lo", tags: ["nobody"]))
    #expect(try await desk.shorten(Post(text: "long"), to: 9, for: "Eve") == Post(text: "long", tags: ["Eve"]))
    #expect(try await desk.maybe(nil) == ["nil"])
    #expect(try await desk.maybe("x") == ["x"])
    #expect(try await desk.raw(Payload(json: #"{"b":1.0,"a":2}"#))?.json == #"{"b":1.0,"a":2}"#)
    #expect(try await desk.repeat(in: "Ann") == true)
    #expect(try await desk.every() == true)
    // What others see: the members, under their labels and names.
    let result = try await client.send(
      "house.desk.shorten", Payload(json: #"{"post":{"text":"abc","tags":[]},"to":1}"#))
    #expect(try result.value(Post.self) == Post(text: "a", tags: ["nobody"]))

    await desk.rang(at: "front", 2)
    try await desk.told()
    var all: Set<String> = []
    for await line in heard {
      all.insert(line)
      if all.count == 4 { break }
    }
    #expect(all == ["Ann: 2 at front", "Bob: 2 at front", "Ann was told", "Bob was told"])
    await handlers.drain()
    #expect(try await desk.count("Ann") == nil)
  }

  @Test func whatIsThrownIsFailed() async throws {
    let server = try Server()
    defer { server.end() }
    var link = Link("Ann")
    link.onFailure = .stop
    let (_, tell) = AsyncStream.makeStream(of: String.self)
    let desk = OneDesk(name: "Ann", heard: tell)
    let client = try await Baton(at: server.place).loggingErrors { _ in }.handler(link, DeskHandler(desk)).connect()
    await #expect { try await DeskSender(client).fails("the lamp is broken") } throws: { error in
      guard case BatonError.notHandled(let result) = error else { return false }
      return result.status == .failed && result.message == "the lamp is broken"
    }
    // A payload of another shape, too.
    #expect(try await client.send("house.desk.count", 7).message == "payload: expected a string")
    await client.close()
  }

  /// A notice cannot throw. Its sender tells what went wrong.
  @Test func aNoticeThatIsNotSentIsTold() async throws {
    let server = try Server()
    defer { server.end() }
    let client = try await Baton(at: server.place).connect()
    await client.close()
    let (faults, tell) = AsyncStream.makeStream(of: String.self)
    await DeskSender(client, onError: { tell.yield("\($0)") }).rang(at: "front", 1)
    #expect(await faults.first { _ in true } == "the client is closed")
  }

  @Test func aHandlerIsTriedWithoutAServer() async throws {
    let (_, tell) = AsyncStream.makeStream(of: String.self)
    let handler = Handler("desk", DeskHandler(OneDesk(name: "Ann", heard: tell)))
    #expect(handler.link.accepts.first == "house.desk.count" && handler.link.accepts.count == 9)
    #expect(try await handler.offer("house.desk.count", "Ann") == .handled(3))
    #expect(try await handler.offer("house.desk.count", "Bob") == .continue)
    #expect(try await handler.offer("house.desk.fails", "no") == .failed("no"))
    await #expect(throws: BatonError.self) { try await handler.offer("house.desk.other") }
    #expect(URLWatchHandler(NoWatch()).accepts == ["urlWatch.seen"])
  }

  struct NoWatch: URLWatch {
    func seen(_ address: String) async throws -> Bool? { nil }
  }

  /// The page's program is the example, and does what the page says.
  @Test func thePagesExampleWorks() async throws {
    let folder = URL(filePath: #filePath).appending(path: "../../..").standardized
    let page = try String(contentsOf: folder.appending(path: "README.md"), encoding: .utf8)
    let code = try String(contentsOf: folder.appending(path: "Examples/door/main.swift"), encoding: .utf8)
    #expect(page.contains("```swift\n\(code)```"))
    let server = try Server()
    defer { server.end() }
    let porter = try Server.start("door", ["serve"], environment: ["BATON_SERVER": server.place]).process
    defer { porter.terminate() }
    let client = try await Baton(at: server.place).connect()
    while try await client.send("door.open", "Ann").status == .unhandled { await Task.yield() }
    let guest = try Server.start("door", [], environment: ["BATON_SERVER": server.place])
    let printed = String(decoding: guest.output.readDataToEndOfFile(), as: UTF8.self)
    #expect(page.contains("```\n\(printed)```") && printed.contains("Ann"))
    await client.close()
  }
}
