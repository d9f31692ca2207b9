import BatonClient
import Testing

/// Handlers that are tried without a server.
@Suite struct OfferingTests {
  struct Post: Codable {
    var text: String
    var size: Int?
  }
  struct Broken: Error, CustomStringConvertible {
    let description = "the key is stuck\nin the lock"
  }

  let handler = Handler("post", "post.*", in: "posts") { (post: Post, message) in
    switch message.topic {
    case "post.new": .handled(["text": post.text, "from": message.from])
    case "post.long": .continue(rewriting: Post(text: String(post.text.prefix(post.size ?? 0))))
    case "post.bad": .reject("no \(post.text)", code: 400)
    case "post.nan": .handled(Double.nan)
    default: throw Broken()
    }
  }

  @Test func itsVerdictIsReturned() async throws {
    #expect(try await handler.offer("post.new", Post(text: "a")) == .handled(["from": "test", "text": "a"]))
    #expect(try await handler.offer("post.new", Post(text: "a"), from: "Ann").payload?.json.contains("Ann") == true)
    let rewritten = try await handler.offer("post.long", Payload(json: #"{"text":"abc","size":2}"#))
    #expect(rewritten == .continue(rewriting: ["text": "ab"]) && rewritten.kind == .continue)
    let rejected = try await handler.offer("post.bad", Post(text: "way"))
    #expect(rejected == .reject("no way", code: 400) && rejected.code?.json == "400" && rejected.message == "no way")
    #expect(rejected != .reject("no way", code: "400") && rejected != .reject("no way"))
    #expect("\(rejected)" == #"reject("no way", code: 400)"#)
  }

  /// As the sender would be told.
  @Test func whatGoesWrongIsFailed() async throws {
    #expect(try await handler.offer("post.other", Post(text: "a")) == .failed("the key is stuck"))
    #expect(try await handler.offer("post.new", ["text": 5]) == .failed("payload.text: expected a string"))
    #expect(try await handler.offer("post.new") == .failed("payload: expected an object, and there is none"))
    let nan = try await handler.offer("post.nan", Post(text: "a"))
    #expect(nan.kind == .failed && nan.message?.isEmpty == false)
  }

  @Test func theMessageIsAsItIsGiven() async throws {
    let seen = Handler(Link("watch", accepts: ["a.>"])) { message in
      let said = [message.key, message.meta?.json, message.handler, message.chain].map { $0 ?? "none" }
      let flags = [message.isAgain, message.isShadow, message.isBroadcast, message.isNotice, message.id != nil]
      return .handled(said + flags.map { "\($0)" } + ["\(message.timeout ?? .zero)"])
    }
    let plain = ["none", "none", "watch", "main", "false", "false", "false", "false", "true", "30.0 seconds"]
    #expect(try await seen.offer("a.b") == .handled(plain))
    let full = try await seen.offer(
      "a.b.c", meta: ["x": 1], key: "k", timeout: .seconds(1), isAgain: true, isShadow: true, isBroadcast: true)
    #expect(
      full == .handled(["k", #"{"x":1}"#, "watch", "main", "true", "true", "true", "false", "true", "1.0 seconds"]))
    let notice = ["none", "none", "watch", "main", "false", "false", "false", "true", "false", "0.0 seconds"]
    #expect(try await seen.offer("a.b", isNotice: true) == .handled(notice))
  }

  @Test func aTryOfADurableMessageIsAsTheServerSaysIt() async throws {
    let seen = Handler("bill") { message in
      .handled([message.stored ?? "none", "\(message.try ?? 0)", message.resent ?? "none", "\(message.isAgain)"])
    }
    #expect(try await seen.offer("a", stored: "s-1") == .handled(["s-1", "1", "none", "false"]))
    #expect(try await seen.offer("a", stored: "s-1", try: 2) == .handled(["s-1", "2", "none", "true"]))
    #expect(try await seen.offer("a", stored: "s-2", resent: "s-1") == .handled(["s-2", "1", "s-1", "true"]))
    #expect(try await seen.offer("a") == .handled(["none", "0", "none", "false"]))
  }

  @Test func workingIsTold() async throws {
    let (calls, tell) = AsyncStream.makeStream(of: Void.self)
    let slow = Handler("slow") { message in
      await message.working()
      return .handled
    }
    #expect(try await slow.offer("a", working: { tell.yield() }) == .handled)
    #expect(await calls.first { true } != nil)
  }

  /// No server would make these offers.
  @Test func wrongOffersAreRefused() async throws {
    await refused("bad_topic", "post is not offered door.open, because it accepts post.*") {
      _ = try await handler.offer("door.open", Post(text: "a"))
    }
    await refused("bad_topic", "words between dots") { _ = try await handler.offer("post..a") }
    await refused("bad_name", "cannot be the name of a handler") {
      _ = try await Handler("a b") { _ in .handled }.offer("a")
    }
  }
}

/// Expects `body` to throw a refusal with this code and these words.
func refused(
  _ code: String, _ words: String, at location: SourceLocation = #_sourceLocation,
  _ body: () async throws -> Void
) async {
  do {
    try await body()
    Issue.record("nothing was refused", sourceLocation: location)
  } catch {
    guard case BatonError.refused(code, let message) = error, message.contains(words) else {
      Issue.record("\(error)", sourceLocation: location)
      return
    }
  }
}
