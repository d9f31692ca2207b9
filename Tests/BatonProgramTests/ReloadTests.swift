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

  /// Which chains have changed is for those who may see all of them.
  @Test func theChainsOfAReloadAreNotForEverybody() throws {
    defer { unlink(file) }
    func write(_ chains: String) throws {
      try self.write(
        """
        peers:
          ann: { user: \(getuid()), may: [everything] }
          anonymous: { may: [see server, subscribe $baton.>] }
        chains: { \(chains) }
        """)
    }
    try write("a: { links: [] }")
    let server = try RunningServer(["--config", file], at: ["unix:", "127.0.0.1:0"])
    let (ann, eve) = (try server.peer(), try Peer(server.places[1]))
    for peer in [ann, eve] {
      #expect(peer.ask(#"{"op":"subscribe","id":1,"topics":["$baton.reloaded"]}"#) == #"{"op":"ok","id":1}"#)
    }
    try write("a: { links: [{ handler: h }] }, hush: { links: [] }")
    server.program.send(SIGHUP)
    #expect(ann.line()?.contains(#"{"changed":["chains.a","chains.hush"],"restart":[]}"#) == true)
    #expect(eve.line()?.contains(#"{"changed":["chains"],"restart":[]}"#) == true)
    #expect(ann.ask(#"{"op":"inspect","changes":true}"#)?.contains("chains.hush") == true)
    #expect(eve.ask(#"{"op":"inspect","changes":true}"#)?.hasSuffix(#""chains":[],"changes":[]}"#) == true)
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
  /// What is said in so many words is carried out: who was somebody, or nobody, comes back and may do everything.
  @Test func aReloadOpensAndClosesAsTheFileSays() throws {
    let path = freshPath() + ".yaml"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let peers = "peers: { root: { user: '\(getuid())', may: [everything] } }\n"
    try peers.write(toFile: path, atomically: false, encoding: .utf8)
    let server = try RunningServer(["--config", path], at: ["unix:"])
    let root = try server.peer()
    #expect(root.ask(#"{"op":"hello"}"#)?.contains(#""identity":"root""#) == true)
    try "open: local\n".write(toFile: path, atomically: false, encoding: .utf8)
    server.program.send(SIGHUP)
    #expect(root.line()?.contains(#""code":"identity_changed""#) == true)
    let anybody = try server.peer()
    #expect(anybody.ask(#"{"op":"hello"}"#)?.contains("identity") == false)
    try peers.write(toFile: path, atomically: false, encoding: .utf8)
    server.program.send(SIGHUP)
    #expect(anybody.line()?.contains(#""code":"identity_changed""#) == true)
    #expect(try server.peer().ask(#"{"op":"hello"}"#)?.contains(#""identity":"root""#) == true)
  }

  @Test func aFileWithoutPeersOpensNothing() throws {
    let path = freshPath() + ".yaml"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let file = URL(fileURLWithPath: path)
    try Data("peers: { root: { user: '\(getuid())', may: [everything] } }\n".utf8).write(to: file)
    let server = try RunningServer(["--config", path], at: ["unix:"])
    try Data().write(to: file)
    let refused = try server.run("reload")
    #expect(refused.remainingErrorLines().joined().contains("the file does not say who may do what"))
    #expect(refused.wait() != 0)
    try FileManager.default.removeItem(atPath: path)
    try #require(mkfifo(path, 0o600) == 0)
    // The server does not wait for who writes into it.
    let again = try server.run("reload")
    #expect(again.remainingErrorLines().joined().contains("the file is no regular file"))
    #expect(again.wait() != 0)
    #expect(try server.peer().ask(#"{"op":"ping"}"#) == #"{"op":"pong"}"#)
  }
}
