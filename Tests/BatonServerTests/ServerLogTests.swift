import Foundation
import Logging
import ProgramKit
import Testing

@testable import BatonServer

/// What the real program logs at its ordinary level, in both formats.
@Suite struct ServerLogTests {
  private func isOK(_ line: String?) -> Bool { line?.hasPrefix(#"{"op":"ok""#) == true }

  /// The next line of the log with these words.
  private func line(_ server: RunningServer, _ words: String) -> String? {
    while let line = server.program.errorLine() { if line.contains(words) { return line } }
    return nil
  }

  /// A flood at a subscriber that does not read: it is named, and what it missed.
  @Test func aFloodAtAListenerThatDoesNotReadIsLogged() throws {
    let server = try RunningServer(at: ["unix:"])
    let lazy = try server.peer(saying: #"{"op":"hello","name":"lazy"}"#, #"{"op":"subscribe","topics":["flood"]}"#)
    let sender = try server.peer()
    let payload = String(repeating: "x", count: 1 << 19)
    var replies: Set<String> = []
    for _ in 0..<36 {
      replies.insert(try #require(sender.ask(#"{"op":"broadcast","topic":"flood","payload":"\#(payload)"}"#)))
    }
    #expect(replies == [#"{"op":"ok","delivered":1}"#, #"{"op":"ok","delivered":0}"#])
    let begins = try #require(line(server, "begins to miss events"))
    #expect(begins.contains(" warning "))
    #expect(begins.contains("by=lazy connection=1 setting=events_unsent_bytes unsent="))
    server.program.send(SIGTERM)
    let missed = try #require(line(server, "has missed events"))
    #expect(missed.firstMatch(of: /by=lazy connection=1 missed=[1-9][0-9]* within_ms=[0-9]+$/) != nil, "\(missed)")
    withExtendedLifetime(lazy) {}
  }

  /// Fifty links come at once: one line, and one more for the rest, at the latest when the server ends.
  @Test func whoServesIsOneLineASecond() throws {
    let server = try RunningServer()
    let handler = try server.peer(saying: #"{"op":"hello","name":"porter"}"#)
    for number in 0..<50 {
      handler.say(#"{"op":"insert","handler":"h\#(number)","reply":false}"#)
    }
    #expect(handler.ask(#"{"op":"ping"}"#) == #"{"op":"pong"}"#)
    let first = try #require(server.program.errorLine())
    #expect(
      first.contains("notice a connection begins to serve a link address=127.0.0.1:")
        && first.hasSuffix(" by=porter chain=main connections=1 handler=h0"))
    server.program.send(SIGTERM)
    let lines = server.program.remainingErrorLines().filter { $0.contains("begins to serve a link") }
    let more = lines.map { line in
      line.firstMatch(of: /([0-9]+) more times, a connection begins to serve a link first=.* within_ms=[0-9]+$/)
        .flatMap { Int($0.1) } ?? 1
    }
    #expect(more.reduce(0, +) == 49, "\(lines)")
    #expect(server.program.wait() == 0)
  }

  /// It says what is under way and where, and at last how long it took.
  @Test func drainingSaysWhatItWaitsForAndWhenItIsDone() throws {
    let server = try RunningServer(set: ["linger_ms": 1])
    let handler = try server.peer(saying: #"{"op":"insert","handler":"gate"}"#)
    let sender = try server.peer()
    for _ in 0..<3 { sender.say(#"{"op":"send","topic":"t"}"#) }
    for _ in 0..<3 { #expect(handler.line()?.hasPrefix(#"{"op":"offer""#) == true) }
    server.program.send(SIGTERM)
    let begins = try #require(line(server, "finishing"))
    #expect(
      begins.contains("notice finishing 3 messages; a second signal ends the server at once at=\"main/gate (3)\""))
    for id in 1...3 { handler.say(#"{"op":"handled","id":\#(id)}"#) }
    // The handler reads to the end, and so does the sender.
    for peer in [handler, sender] { while peer.line() != nil {} }
    let done = try #require(line(server, "done in"))
    #expect(done.firstMatch(of: /notice done in [0-9]+\.[0-9] s$/) != nil, "\(done)")
    #expect(server.program.wait() == 0)
  }

  /// Each line is an object of JSON, whatever a peer's words are; numbers are numbers.
  @Test func eachLineIsAnObjectOfJSON() throws {
    let server = try RunningServer(["--log-format", "json", "--log-level", "debug"])
    let peer = try server.peer(saying: #"{"op":"hello","name":"porter"}"#, #"{"op":"insert","handler":"h"}"#)
    let web = try server.peer()
    web.say("GET / HTTP/1.1")
    while web.line() != nil {}
    server.program.send(SIGTERM)
    let lines = server.program.remainingErrorLines()
    let objects = try lines.map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any], "\($0)")
    }
    for object in objects {
      #expect((object["time"] as? String)?.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
      #expect(object["level"] is String && object["message"] is String)
    }
    let serves = try #require(objects.first { $0["message"] as? String == "a connection begins to serve a link" })
    #expect(serves["handler"] as? String == "h" && serves["connections"] as? Int == 1)
    let closes = try #require(objects.first { $0["reason"] as? String == "not_json_lines" })
    #expect(closes["connection"] as? Int == 2)
    #expect(server.program.wait() == 0)
    withExtendedLifetime(peer) {}
  }

  @Test(arguments: [
    ("plain", "\"plain\""),
    ("quote\" and \\", "\"quote\\\" and \\\\\""),
    ("a\n\t\r", "\"a\\n\\t\\r\""),
    ("Tür", "\"Tür\""),
  ])
  func quotesJSON(text: String, quoted: String) { #expect(LogFormat.json(text) == quoted) }

  // These are not arguments of the test, because they would disturb the report.
  @Test func escapesWhatATerminalObeysInJSON() {
    #expect(LogFormat.json("\u{1B}[31m\u{0}") == "\"\\u001b[31m\\u0000\"")
    #expect(LogFormat.json("\u{202E}\u{E0001}") == "\"\\u202e\\udb40\\udc01\"")
  }

  @Test func listsAndNumbersAreJSON() {
    let metadata: Logger.Metadata = [
      "b": .stringConvertible(12), "a": ["x", .stringConvertible(1.5)], "c": ["d": "e"],
    ]
    #expect(
      LogFormat.json.line(.info, "m", metadata).hasSuffix(
        #""message":"m","a":["x","1.5"],"b":12,"c":{"d":"e"}}"# + "\n"))
  }
}
