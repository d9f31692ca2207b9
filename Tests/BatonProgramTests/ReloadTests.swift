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
      settings: { max_histories: 100, max_depth: 100 }
      """)
    let second = try server.run("reload")
    #expect(
      second.remainingLines() == [
        "changed\tsettings.max_histories", "changed\tpeers.ann", "changed\tpeers.web", "restart\tsettings.max_depth",
      ])
    #expect(second.wait() == 0)
    let third = try server.show("reload", columns: 80)
    #expect(third.wait() == 0)
    #expect(
      third.screen.lines == [
        "the server has read its file: nothing in it has changed",
        "changes at the next start only: settings.max_depth",
      ],
      "\(third.screen.text)")
    try write("peers: { ann: { user: \(getuid()), may: [manage server, see main] } }\n")
    let json = try server.run("reload", "--json")
    #expect(
      json.line()?.hasSuffix(#""changed":["settings.max_histories","peers.ann","peers.web"],"restart":[]}"#) == true)
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

  /// What options and the environment say stays: the token, and guarded places.
  @Test func withoutAFileNothingChanges() throws {
    let server = try RunningServer(["--guard", "main/guard"], environment: ["BATON_TOKEN=secret"])
    let owner = try server.peer()
    #expect(owner.ask(#"{"op":"hello","token":"secret"}"#)?.contains(#""identity":"owner""#) == true)
    let before = owner.ask(#"{"op":"inspect","chain":"main"}"#)
    #expect(before?.contains(#""handler":"guard""#) == true)
    #expect(owner.ask(#"{"op":"reload","id":1}"#) == #"{"op":"ok","id":1,"changed":[],"restart":[]}"#)
    #expect(owner.ask(#"{"op":"inspect","chain":"main"}"#) == before)
    let stranger = try server.peer()
    #expect(stranger.ask(#"{"op":"inspect","chain":"main"}"#)?.contains(#""code":"auth_required""#) == true)
  }

  #if os(Linux)
    /// What the server lowered at its start because there is little room stays lowered.
    @Test func limitsStayWithinTheRoomThatThereIs() throws {
      defer { unlink(file) }
      let ann = "peers: { ann: { user: \(getuid()), may: [manage server, see server] } }\n"
      try write(ann)
      let small = try RunningServer(
        ["--config", file], at: ["unix:"], limitingFilesTo: 256, limitingMemoryTo: 700 << 10)
      let peer = try small.peer()
      func limits() throws -> (lowered: String, files: String) {
        let facts = try #require(peer.ask(#"{"op":"inspect","server":true}"#))
        let lowered = try #require(facts.firstMatch(of: /"limits":{[^}]*},"limits_lowered_by":"address_space"/))
        let files = try #require(facts.firstMatch(of: /"file_limit":[0-9]+/))
        return (String(lowered.output), String(files.output))
      }
      let before = try limits()
      try write(ann + "chains: { main: { open: true, links: [] } }\n")
      #expect(try small.run("reload").wait() == 0)
      #expect(try limits() == before)
      try write(ann + "settings: { max_total_bytes: 5242880 }\n")
      let second = try small.run("reload")
      #expect(second.remainingLines().contains("changed\tsettings.max_total_bytes"))
      #expect(try limits().lowered.hasPrefix(#""limits":{"max_total_bytes":5242880,"max_total_unsent_bytes":"#))
      try write(ann)
      #expect(try small.run("reload").wait() == 0)
      #expect(try limits() == before)
    }
  #endif
}

/// A file that is not what it was: cut off, used up, or no file.
@Suite struct ReloadedFileTests {
  @Test func aFileWithoutPeersOpensNothing() throws {
    let path = freshPath() + ".yaml"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let file = URL(fileURLWithPath: path)
    try Data("peers: { root: { user: '\(getuid())', may: [everything] } }\n".utf8).write(to: file)
    let server = try RunningServer(["--config", path], at: ["unix:"])
    try Data().write(to: file)
    let refused = try server.run("reload")
    #expect(refused.remainingErrorLines().joined().contains("there are no peers any more"))
    #expect(refused.wait() != 0)
    try FileManager.default.removeItem(atPath: path)
    try #require(mkfifo(path, 0o600) == 0)
    // The server does not wait for who writes into it.
    let again = try server.run("reload")
    #expect(again.remainingErrorLines().joined().contains("this is no regular file"))
    #expect(again.wait() != 0)
    #expect(try server.peer().ask(#"{"op":"ping"}"#) == #"{"op":"pong"}"#)
  }
}
