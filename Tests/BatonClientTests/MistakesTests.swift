import BatonClient
import ProgramKit
import Testing

/// Mistakes that are found before a line is written, in words of the library.
@Suite struct MistakesTests {
  /// Nobody listens there: what is refused is refused before the client connects.
  private let nowhere = Baton(at: "127.0.0.1:1")

  @Test func whatIsWrongInAPlanIsSaidBeforeItConnects() async throws {
    await refused("bad_name", #""a b" cannot be the name of a program: names have 1 to 64 of the characters"#) {
      _ = try await nowhere.named("a b").connect()
    }
    await refused("bad_name", "the name of a handler") { _ = try await nowhere.handler("") { _ in .handled }.connect() }
    await refused("bad_name", "the name of a chain") {
      _ = try await nowhere.handler("a", in: "ä") { _ in .handled }.run()
    }
    await refused("bad_pattern", #"in the pattern "a.>.b" > is not the last word; * stands for one word"#) {
      _ = try await nowhere.handler("a", "a.>.b") { _ in .handled }.connect()
    }
    await refused("bad_value", "say which topics a accepts") {
      _ = try await nowhere.handler(Link("a", accepts: [])) { _ in .handled }.connect()
    }
    await refused("bad_pattern", "a wildcard stands for whole words") {
      _ = try await nowhere.subscriber("door.*x") { _ in }.connect()
    }
    await refused("bad_value", "say what to subscribe to") { _ = try await nowhere.subscriber([]) { _ in }.connect() }
    await refused("bad_value", "heartbeat: 0.01 seconds is not from 0.1 seconds to one day") {
      _ = try await nowhere.heartbeat(.milliseconds(10)).connect()
    }
    await refused("bad_value", "patience: -1.0 seconds") { _ = try await nowhere.patience(.seconds(-1)).connect() }
    await refused("bad_value", "maxWaitingBytes: -1") { _ = try await nowhere.maxWaitingBytes(-1).connect() }
  }

  /// A setting of a link that no server takes, and what is said of it.
  @Test(
    arguments: [
      ("timeout: 0.0 seconds is not from 0.001 seconds to one day", { @Sendable in $0.timeout = .zero }),
      ("hold: -1.0 seconds is not from 0.0 seconds to one day", { @Sendable in $0.hold = .seconds(-1) }),
      ("window: 0 is not a number above 0", { @Sendable in $0.window = 0 }),
      (#""a b" cannot be before: the name of a handler"#, { @Sendable in $0.place = .before("a b") }),
      ("rank: inf is not a number", { @Sendable in $0.place = .rank(.infinity) }),
      (#"onFailure: "late" is none of timeout, "#, { @Sendable in $0.onFailure = .perCause(["late": true]) }),
      (
        "a guard is required and stops messages when it fails: isShadow = true says otherwise",
        { @Sendable in
          $0.isGuard = true
          $0.isShadow = true
        }
      ),
      (
        "a guard is required and stops messages when it fails: onFailure = .continue says otherwise",
        { @Sendable in
          $0.isGuard = true
          $0.onFailure = .continue
        }
      ),
    ] as [(String, @Sendable (inout Link) -> Void)])
  func aWrongSetting(words: String, change: @Sendable (inout Link) -> Void) async throws {
    var link = Link("porter")
    change(&link)
    let given = link
    await refused(words.contains("cannot be") ? "bad_name" : "bad_value", words) {
      _ = try await nowhere.handler(given) { _ in .handled }.connect()
    }
  }

  /// After all these mistakes the server has read nothing but the last line.
  @Test func whatIsWrongInACallIsNotWritten() async throws {
    let server = try FakeServer()
    async let connecting = Baton(at: server.place).handler("h") { _ in .handled }.connect()
    let peer = await server.accept()
    _ = await peer.line()
    peer.say(#"{"op":"welcome","id":1}"#)
    _ = await peer.line()
    peer.say(#"{"op":"ok","id":2,"rank":1}"#)
    let client = try await connecting

    await refused("bad_topic", #"a topic has words between dots, and none is empty: "a..b" is none"#) {
      _ = try await client.send("a..b", 1)
    }
    await refused("bad_topic", #"the topic "door.*" has a wildcard, which only patterns have"#) {
      _ = try await client.notify("door.*", 1)
    }
    await refused("bad_topic", #"the topic "door open" has " "; a topic is words joined by dots: door.open"#) {
      _ = try await client.broadcast("door open")
    }
    await refused("bad_topic", "at most 255 bytes") { _ = try await client.send(String(repeating: "é", count: 128)) }
    await refused("bad_name", "the name of a chain") { _ = try await client.send("a", chain: "") }
    await refused("bad_name", "the name of a chain") { _ = try await client.notify("a", chain: "x/y") }
    await refused("bad_name", "via: the name of a chain") { _ = try await client.broadcast("a", via: "x y") }
    await refused("bad_value", "timeout: 0.0 seconds is not from 0.001 seconds to one day") {
      _ = try await client.send("a", timeout: .zero)
    }
    await refused("bad_value", "timeout: 90000.0 seconds") {
      _ = try await client.broadcast("a", via: "x", timeout: .seconds(90_000))
    }
    await refused("bad_pattern", "words between dots") { _ = try await client.subscribe("a", "b.") }
    await refused("bad_value", "say what to subscribe to") { _ = try await client.subscribe() }
    await refused("bad_name", "the name of a chain") { _ = try await client.traces(chain: "a b") }
    await refused("bad_pattern", "words between dots") { _ = try await client.traces(topic: "") }
    await refused("bad_value", "slowerThan") { _ = try await client.traces(slowerThan: .zero) }
    await refused("bad_value", "perSecond: 0") { _ = try await client.traces(perSecond: 0) }
    await refused("bad_name", "the name of a handler") { _ = try await client.add(Link("a b")) { _ in .handled } }
    let link = try #require(await client.links.first)
    await refused("bad_value", "window: 0") { try await link.update(window: 0) }
    await refused("bad_name", "after: the name of a handler") { try await link.move(to: .after("")) }
    await #expect(throws: EncodingError.self) { try await client.send("a", Double.nan) }

    async let sent = client.send("tür.öffnen.$")
    #expect(await peer.line() == #"{"op":"send","topic":"tür.öffnen.$","id":3}"#)
    peer.say(#"{"op":"result","id":3,"status":"unhandled","walk":1,"hops":0}"#)
    #expect(try await sent.status == .unhandled)
    await client.close()
  }
}
