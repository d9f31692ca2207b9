import ProgramKit
import Testing

/// Sends the lines that a client is told to send to the real server.
@Suite struct BuildingAClientTests {
  /// The codes for a line that is wrong, no matter what happened before.
  private static let faults: Set<String> = [
    "bad_json", "missing_member", "bad_member", "unknown_member", "duplicate_member", "unknown_op", "bad_topic",
    "bad_pattern", "bad_name",
  ]

  @Test func everyLineIsUnderstood() throws {
    try Netcat.ncat.require()
    let page = try Page.text("Docs/build-a-client.md")
    let lines = page.matches(of: /`→ ({[^`]+})`/).map { String($0.1) }
    try #require(lines.count > 5)
    let server = try RunningServer()
    let netcat = try Program(shell: "ncat 127.0.0.1 \(server.port)")
    for line in lines { netcat.type(line + "\n") }
    netcat.endInput()
    let replies = netcat.remainingLines().joined(separator: "\n")
    #expect(replies.contains(#"{"op":"welcome""#))
    let codes = replies.matches(of: /"code":"([a-z_]+)"/).map { String($0.1) }
    #expect(Self.faults.isDisjoint(with: codes), "\(replies)")
  }

  /// Each duty has a part in the index of the cases, and each that can be proved has cases there.
  @Test func everyDutyHasCases() throws {
    let page = try Page.text("Docs/build-a-client.md")
    let duties = page.split(separator: "\n\n").filter { $0.hasPrefix("**") }
    let parts = try Page.text("Clients/conformance/cases/README.md").components(separatedBy: "\n## ").dropFirst()
    #expect(duties.count == 45)
    #expect(parts.count == duties.count)
    for (index, (duty, part)) in zip(duties, parts).enumerated() {
      #expect(duty.hasPrefix("**\(index + 1). "))
      let heading = part.prefix { $0 != "\n" }
      #expect(duty.hasPrefix("**\(heading)"), "\(heading)")
      // This one is proved by tests of each library.
      if index != 41 { #expect(part.contains("\n- ["), "\(heading)") }
    }
  }
}
