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
    #expect(
      server.program.errorLine()?.hasSuffix(" debug connection closed connection=1 reason=not_json_lines") == true)
  }
}
