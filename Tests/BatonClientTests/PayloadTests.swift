import BatonClient
import ProgramKit
import Testing

/// Values that are given as payloads, and handlers that get them.
@Suite struct PayloadTests {
  struct Post: BatonMessage, Equatable {
    static let topic = "post.new"
    var text: String
  }

  /// Everything that takes a payload takes any value, with all that can be said beside it.
  @Test func valuesAndSettingsGoTogether() async throws {
    let server = try FakeServer()
    async let connecting = Baton(at: server.place).connect()
    let peer = await server.accept()
    _ = await peer.line()
    peer.say(#"{"op":"welcome","id":1}"#)
    let client = try await connecting
    let post = Post(text: "a")
    let calls: [(String, @Sendable () async throws -> Void)] = [
      (
        #""send","topic":"t","payload":{"text":"a"},"meta":["x"],"chain":"c","mode":"all","key":"k","timeout_ms":5000,"trace":true"#,
        {
          _ = try await client.send(
            "t", post, meta: ["x"], chain: "c", mode: .all, key: "k", timeout: .seconds(5), trace: true)
        }
      ),
      (
        #""send","topic":"post.new","payload":{"text":"a"},"meta":1,"chain":"c","mode":"all","key":"k","timeout_ms":5000,"trace":true"#,
        {
          _ = try await client.send(
            post, meta: 1, chain: "c", mode: .all, key: "k", timeout: .seconds(5), trace: true)
        }
      ),
      (
        #""send","topic":"t","payload":1.0,"meta":{"b":1,"a":1e400}"#,
        { _ = try await client.send("t", Payload(json: "1.0"), meta: Payload(json: #"{"b":1,"a":1e400}"#)) }
      ),
      (
        #""send","topic":"t","payload":[1],"meta":{"a":2},"chain":"c","mode":"notify""#,
        { _ = try await client.notify("t", [1], meta: ["a": 2], chain: "c") }
      ),
      (
        #""send","topic":"post.new","payload":{"text":"a"},"meta":true,"chain":"main","mode":"notify""#,
        { _ = try await client.notify(post, meta: true) }
      ),
      (
        #""broadcast","topic":"t","payload":"a","meta":1,"echo":false"#,
        { _ = try await client.broadcast("t", "a", meta: 1, echo: false) }
      ),
      (
        #""broadcast","topic":"post.new","payload":{"text":"a"},"meta":1,"echo":false"#,
        { _ = try await client.broadcast(post, meta: 1, echo: false) }
      ),
      (
        #""broadcast","topic":"t","payload":1,"meta":2,"echo":false,"via":"c","key":"k","timeout_ms":1,"trace":true"#,
        {
          _ = try await client.broadcast(
            "t", 1, meta: 2, echo: false, via: "c", key: "k", timeout: .milliseconds(1), trace: true)
        }
      ),
      (
        #""broadcast","topic":"post.new","payload":{"text":"a"},"via":"c","key":"k""#,
        { _ = try await client.broadcast(post, via: "c", key: "k") }
      ),
      (#""send","topic":"t""#, { _ = try await client.send("t", String?.none) }),
    ]
    for (index, (line, call)) in calls.enumerated() {
      let calling = Task { try await call() }
      #expect(await peer.line() == "{\"op\":\(line),\"id\":\(index + 2)}")
      peer.say(#"{"op":"result","id":\#(index + 2),"status":"handled","walk":1,"hops":1}"#)
      try await calling.value
    }
    await client.close()
  }

  /// Handlers that get a value of their type, in each way to say where they stand.
  @Test func typedHandlersTakeALink() async throws {
    let server = try TestServer()
    var link = Link("first", in: "posts", accepts: ["post.*"])
    link.onFailure = .stop
    let client = try await server.baton().loggingErrors { _ in }
      .handler(link) { (post: Post, message) in .handled("\(message.handler): \(post.text)") }
      .handler(Handler("second", "words") { (words: [String], _) in .handled(words.count) })
      .handler("sixth", "flag") { (flag: Bool, _) in .handled(!flag) }
      .connect()
    #expect(try await client.send(Post(text: "a"), chain: "posts").value(String.self) == "first: a")
    #expect(try await client.send("words", ["a", "b"]).value(Int.self) == 2)
    #expect(try await client.send("flag", true).value(Bool.self) == false)
    #expect(try await client.send("post.x", 5, chain: "posts").message == "payload: expected an object")
    let third = try await client.add(Link("third", accepts: ["number"])) { (number: Int, _) in .handled(number + 1) }
    #expect(try await client.send("number", 1).value(Int.self) == 2)
    try await third.remove()
    try await client.add(Handler("fourth", Post.self) { post, _ in .handled(post) })
    #expect(try await client.send(Post(text: "b")).value(Post.self) == Post(text: "b"))
    try await client.add(Link("fifth"), Counting())
    #expect(try await client.send("counted", "abc").value(Int.self) == 3)
    #expect(try await client.send("other", "abc").status == .unhandled)
    await client.close()
  }

  struct Counting: Handling {
    let accepts = ["counted"]
    func verdict(on message: Message) async throws -> Verdict { .handled(try message.decode(String.self).count) }
  }

  /// JSON of others may be a member of a value.
  @Test func aPayloadIsAMember() throws {
    struct Letter: Codable, Equatable {
      var to: String
      var content: Payload
    }
    let json = #"{"to":"Ann","content":[null,true,-3,1.5,"x",{"a":{}},9007199254740993]}"#
    let letter = try Payload(json: json).decode(Letter.self)
    #expect(letter.content.json == #"[null,true,-3,1.5,"x",{"a":{}},9007199254740993]"#)
    #expect(try Payload(letter).decode(Letter.self) == letter)
    // Alone it goes byte for byte.
    #expect(try Payload(Payload(json: "1.0")).json == "1.0")
    #expect(try Payload(json: "1e400").decode(Payload.self).json == "1e400")
  }
}
