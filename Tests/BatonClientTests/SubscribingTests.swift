import BatonClient
import ProgramKit
import Testing

/// Broadcasts and their subscribers, over the real server.
@Suite struct SubscribingTests {
  @Test func eventsReachWhoeverSubscribed() async throws {
    let server = try TestServer()
    let (calls, tell) = AsyncStream.makeStream(of: Event.self)
    let listener = try await server.baton().subscriber("door.>") { tell.yield($0) }.connect()
    let speaker = try await server.baton("porter").connect()
    let events = try await speaker.subscribe("door.*", "door.opened")
    #expect(try await speaker.broadcast("door.opened", Payload(3), meta: Payload(json: "{}")) == 2)
    #expect(try await speaker.broadcast("door.a.b", echo: false) == 1)
    var heard = calls.makeAsyncIterator()
    let first = try #require(await heard.next())
    #expect(first.topic == "door.opened" && first.from == "porter" && first.meta?.json == "{}" && first.missed == 0)
    #expect(try first.decode(Int.self) == 3)
    #expect(await heard.next()?.topic == "door.a.b")
    var own = events.makeAsyncIterator()
    #expect(await own.next()?.topic == "door.opened")
    await listener.close()
    #expect(try await speaker.broadcast("door.opened") == 1)
  }

  @Test func aBroadcastWalksAChainFirst() async throws {
    let server = try TestServer()
    let moderator = try await server.baton().handler("mod", in: "moderation") { message in
      guard message.isBroadcast else { return .failed() }
      return try message.decode(String.self) == "spam" ? .reject("no adverts") : .continue(rewriting: "darn")
    }.connect()
    let events = try await moderator.subscribe("chat")
    #expect(try await moderator.broadcast("chat", Payload(text: "spam"), via: "moderation").status == .rejected)
    let result = try await moderator.broadcast("chat", Payload(text: "d*mn"), via: "moderation")
    #expect(result.status == .published && result.delivered == 1)
    #expect(try await events.first { _ in true }?.decode(String.self) == "darn")
  }

  @Test func whoDropsItsEventsIsUnsubscribed() async throws {
    let server = try TestServer()
    let client = try await server.baton().connect()
    let other = try await server.baton().connect()
    do {
      let events = try await client.subscribe("a")
      #expect(try await other.broadcast("a") == 1)
      for await _ in events { break }
    }
    // The server is told in the background. A client that asks often enough sees it.
    while try await other.broadcast("a") != 0 { await Task.yield() }
  }

  /// A subscriber that takes nothing misses events instead of filling the memory, and is told how many.
  @Test func aSlowSubscriberIsToldWhatItMissed() async throws {
    let server = try TestServer()
    let client = try await server.baton().connect()
    let events = try await client.subscribe("a")
    for number in 0..<5000 { _ = try await client.broadcast("a", Payload(number)) }
    var got: [Int] = []
    var missed = 0
    var heard = events.makeAsyncIterator()
    for _ in 0..<4096 {
      guard let event = await heard.next() else { break }
      got.append(try event.decode(Int.self))
      missed += event.missed
    }
    #expect(got == Array(0..<4096) && missed == 0)
    _ = try await client.broadcast("a", Payload(-1))
    let after = try #require(await heard.next())
    #expect(try after.decode(Int.self) == -1 && after.missed == 5000 - 4096)
  }

  /// The call has failed at its deadline, so nobody has the events. They are not wanted any more when the server accepts
  /// the subscription after all, unless somebody else wants them.
  @Test func aSubscriptionThatIsAcceptedTooLateIsLeft() async throws {
    let server = try FakeServer()
    async let connecting = Baton(at: server.place).grace(.milliseconds(1)).connect()
    let peer = await server.accept()
    _ = await peer.line()
    peer.say(#"{"op":"welcome","id":1,"timeout_ms":1}"#)
    let client = try await connecting
    await #expect { try await client.subscribe("a", "b") } throws: { error in
      guard case BatonError.noAnswer(_, maySent: true) = error else { return false }
      return true
    }
    #expect(await peer.line() == #"{"op":"subscribe","topics":["a","b"],"id":2}"#)
    peer.say(#"{"op":"ok","id":2}"#)
    #expect(await peer.line() == #"{"op":"unsubscribe","topics":["a","b"],"reply":false}"#)
    peer.end()

    // It is not subscribed to again on the next connection.
    let next = await server.accept()
    #expect(await next.line()?.hasPrefix(#"{"op":"hello""#) == true)
    next.say(#"{"op":"ping"}"#)
    #expect(await next.line() == #"{"op":"pong"}"#)
    await client.close()
  }

  /// Who was cancelled does not want its events, but who asked for the same patterns meanwhile does.
  @Test func whatOthersWaitForStaysSubscribed() async throws {
    let server = try FakeServer()
    async let connecting = Baton(at: server.place).connect()
    let peer = await server.accept()
    _ = await peer.line()
    peer.say(#"{"op":"welcome","id":1}"#)
    let client = try await connecting
    let first = Task { try await client.subscribe("a", "b") }
    #expect(await peer.line() == #"{"op":"subscribe","topics":["a","b"],"id":2}"#)
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    async let second = client.subscribe("a")
    #expect(await peer.line() == #"{"op":"subscribe","topics":["a"],"id":3}"#)
    peer.say(#"{"op":"ok","id":2}"#)
    #expect(await peer.line() == #"{"op":"unsubscribe","topics":["b"],"reply":false}"#)
    peer.say(#"{"op":"ok","id":3}"#)
    peer.say(#"{"op":"event","topic":"a","from":"x"}"#)
    let events = try await second
    #expect(await events.first { _ in true }?.topic == "a")
    await client.close()
  }
}
