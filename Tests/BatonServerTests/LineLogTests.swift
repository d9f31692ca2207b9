import Foundation
import Logging
import ProgramKit
import Testing

@testable import BatonServer

/// What a peer sends cannot pass for a line of the log.
@Suite struct LineLogTests {
  @Test(arguments: [
    ("plain-word_1.2:3", "plain-word_1.2:3"),
    ("", "\"\""),
    ("two words", "\"two words\""),
    ("a\n2026-01-01 error fake", "\"a\\n2026-01-01 error fake\""),
    ("quote\" and \\", "\"quote\\\" and \\\\\""),
    ("Tür", "\"Tür\""),
  ])
  func quotes(text: String, quoted: String) { #expect(LineLog.quoted(text) == quoted) }

  // These are not arguments of the test, because they would disturb the report.
  @Test func escapesWhatATerminalObeys() {
    #expect(LineLog.quoted("\u{1B}[31m") == "\"\\u{1B}[31m\"")
    #expect(LineLog.quoted("\u{202E}evil\u{2028}") == "\"\\u{202E}evil\\u{2028}\"")
  }

  @Test func anEventIsOneLine() throws {
    let server = try RunningServer(["--log-level", "debug"])
    let peer = try server.peer()
    peer.say("GET / HTTP/1.1")
    let opened = try #require(server.program.errorLine())
    let pattern = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z debug connection opened connection=1 peer=127\.0\.0\.1:\d+/
    #expect(opened.wholeMatch(of: pattern) != nil)
    let closing = try #require(server.program.errorLine())
    let end =
      /.* notice the server closes a connection address=127\.0\.0\.1:\d+ by=#1 connection=1 reason=not_json_lines/
    #expect(closing.wholeMatch(of: end) != nil, "\(closing)")
    #expect(
      server.program.errorLine()?.hasSuffix(" debug connection closed connection=1 reason=not_json_lines") == true)
  }

  /// Standard error is a pipe that nobody reads: the log fills it soon, and everything else goes on.
  @Test func aLogThatNobodyReadsDoesNotStopTheServer() throws {
    let server = try RunningServer(["--log-level", "debug"], at: ["unix:"])
    let count = 20_000
    for number in 1...count {
      try #require(server.peer().ask(#"{"op":"ping"}"#) == #"{"op":"pong"}"#, "peer \(number)")
    }
    // Once it is read, the log tells in its place how much is missing.
    server.program.send(SIGTERM)
    let lines = server.program.remainingErrorLines()
    var (opened, missing) = (0, 0)
    for line in lines {
      if let told = line.firstMatch(of: /warning ([0-9]+) lines? (was|were) not logged, because/) {
        missing += try #require(Int(told.1))
      } else if let number = line.firstMatch(of: /connection opened connection=([0-9]+)/) {
        let number = try #require(Int(number.1))
        #expect(number > opened)
        opened = number
      }
    }
    #expect(missing > 0)
    // Each connection is opened and closed. The signal and the end have a line, too.
    #expect(lines.count { !$0.contains(" not logged, ") } + missing == 2 * count + 2)
    #expect(server.program.wait() == 0)
  }
}
