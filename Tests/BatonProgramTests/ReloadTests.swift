import Foundation
import ProgramKit
import Testing

/// `baton reload`.
@Suite struct ReloadTests {
  private let file = freshPath() + ".yaml"
  private let server: RunningServer

  init() throws {
    try "peers: { ann: { user: \(getuid()), may: [manage server, see main] } }\n".write(
      toFile: file, atomically: false, encoding: .utf8)
    server = try RunningServer(["--config", file], at: ["unix:"])
  }

  private func write(_ text: String) throws { try text.write(toFile: file, atomically: false, encoding: .utf8) }

  @Test func itTellsWhatChanges() throws {
    defer { unlink(file) }
    let first = try server.run("reload")
    #expect(first.remainingLines() + first.remainingErrorLines() == [])
    #expect(first.wait() == 0)
    try write(
      """
      peers: { ann: { user: \(getuid()), may: [manage server] }, web: { user: 12345, may: [] } }
      settings: { max_histories: 100 }
      """)
    let second = try server.run("reload")
    #expect(second.remainingLines() == ["changed\tpeers.ann", "changed\tpeers.web", "restart\tsettings.max_histories"])
    #expect(second.wait() == 0)
    let third = try server.show("reload", columns: 80)
    #expect(third.wait() == 0)
    #expect(
      third.screen.lines == [
        "the server has read its file: nothing in it has changed",
        "changes at the next start only: settings.max_histories",
      ],
      "\(third.screen.text)")
    try write("peers: { ann: { user: \(getuid()), may: [manage server, see main] } }\n")
    let json = try server.run("reload", "--json")
    #expect(json.line()?.hasSuffix(#""changed":["peers.ann","peers.web"],"restart":[]}"#) == true)
    #expect(json.wait() == 0)
  }

  @Test func mistakesHaveTheirPlaces() throws {
    defer { unlink(file) }
    try write("peers:\n  ann: { user: \(getuid()), may: [mange server] }\nlisten: 7\n")
    let program = try server.run("reload")
    let lines = program.remainingErrorLines()
    #expect(lines.count == 3, "\(lines)")
    #expect(lines.first?.wholeMatch(of: /2:[0-9]+: no right begins with "mange"; .*"manage".*/) != nil, "\(lines)")
    #expect(lines.dropFirst().first?.hasPrefix("3:9: ") == true, "\(lines)")
    #expect(lines.last?.hasSuffix("(bad_config)") == true)
    #expect(program.remainingLines() == [])
    #expect(program.wait() == 1)
    let json = try server.run("reload", "--json")
    #expect(json.line()?.contains(#""code":"bad_config","#) == true)
    #expect(json.wait() == 1)
  }

  @Test func whoMayNotIsRefused() throws {
    try write("peers: { ann: { user: \(getuid()), may: [see main] } }\n")
    defer { unlink(file) }
    #expect(try server.run("reload").wait() == 0)
    let program = try server.run("reload")
    #expect(program.errorLine() == #"baton: ann needs "manage server" (not_allowed)"#)
    #expect(program.wait() == 1)
  }
}
