import ProgramKit
import Testing

/// `baton walks`: messages that did not end well, of a server that the test plays and of the real one.
@Suite struct WalksTests {
  private static let failed =
    #"{"walk":17,"chain":"main","topic":"chat.room","from":"anna","key":"k","status":"failed","by":"words","#
    + #""cause":"failed","message":"no such file","hops":2,"version":3,"key_wait_us":2000,"trace":["#
    + #"{"chain":"main","handler":"spam","outcome":"continue","wait_us":5,"service_us":900,"rewrote":true},"#
    + #"{"chain":"main","handler":"words","outcome":"failed","wait_us":7,"service_us":1200,"message":"no such file"}],"#
    + #""total_us":5300,"ago_ms":61000}"#
  private static let late =
    #"{"walk":9,"chain":"door","topic":"door.open","from":"eve","status":"timeout","by":"porter","hops":1,"#
    + #""version":1,"partial":true,"truncated":true,"trace":[{"chain":"door","handler":"porter","#
    + #""outcome":"timeout","service_us":900}],"total_us":2000000,"ago_ms":7500000}"#
  /// `hops` offers were made, and nothing of that was recorded.
  private static func rejected(hops: Int) -> String {
    #"{"walk":5,"chain":"main","topic":"a","from":"eve","status":"rejected","by":"words","hops":\#(hops),"#
      + #""partial":true,"total_us":9,"ago_ms":1}"#
  }
  private static let unhandled =
    #"{"walk":4,"chain":"main","topic":"a","from":"eve","status":"unhandled","hops":1,"version":1,"trace":["#
    + #"{"chain":"main","handler":"words","outcome":"failed","message":"no such file"},"#
    + #"{"chain":"main","handler":"spam","outcome":"timeout","service_us":900}],"total_us":7,"ago_ms":2}"#

  private let server: FakeServer

  init() throws { server = try FakeServer() }

  private func run(_ arguments: String...) throws -> Program {
    try Program(["walks"] + arguments + ["--server", server.place])
  }

  private func show(_ arguments: String..., columns: Int) throws -> TerminalProgram {
    try TerminalProgram(["walks"] + arguments + ["--server", server.place], columns: columns, rows: 24)
  }

  private static let both = #""op":"walks","walks":[\#(failed),\#(late)]"#

  @Test func aLineForEach() throws {
    let terminal = try show(columns: 120)
    server.answer(Self.both)
    #expect(terminal.wait() == 0)
    #expect(
      terminal.screen.lines.prefix(3).map(\.squeezed) == [
        " AGO WALK CHAIN TOPIC FROM STATUS WHY",
        " 1 min 17 main chat.room anna failed main/words failed: no such file",
        "2 h 05 min 9 door door.open eve timeout door/porter gave no verdict within 900 µs",
      ])
    #expect(terminal.screen.faults == [])
    #expect(terminal.screen.hasStyles)
  }

  @Test(arguments: [40, 80]) func aNarrowTerminalShowsWhy(columns: Int) throws {
    let terminal = try show(columns: columns)
    server.answer(Self.both)
    #expect(terminal.wait() == 0)
    #expect(terminal.screen.text.contains("main/words failed: no"))
    #expect(terminal.screen.faults == [])
  }

  @Test func aPipeGetsTabs() throws {
    let program = try run()
    server.answer(Self.both)
    #expect(
      program.remainingLines() == [
        "ago_ms\twalk\tchain\ttopic\tfrom\tstatus\tby\tcause\tmessage\thops\ttotal_us\tat\tkey\twhy",
        "61000\t17\tmain\tchat.room\tanna\tfailed\twords\tfailed\tno such file\t2\t5300\t\tk\tmain/words failed: no such file",
        "7500000\t9\tdoor\tdoor.open\teve\ttimeout\tporter\t\t\t1\t2000000\t\t\tdoor/porter gave no verdict within 900 µs",
      ])
    #expect(program.wait() == 0)
  }

  /// A message is unhandled, but links failed it: the pipe says what the terminal says.
  @Test func aPipeSaysWhy() throws {
    let program = try run()
    server.answer(#""op":"walks","walks":[\#(Self.unhandled)]"#)
    let line = program.remainingLines().last
    #expect(line?.hasSuffix("\tunhandled\t\t\t\t1\t7\t\t\tmain/words failed: no such file, and 1 more failure") == true)
    let terminal = try show(columns: 120)
    server.answer(#""op":"walks","walks":[\#(Self.unhandled)]"#)
    #expect(terminal.wait() == 0)
    #expect(terminal.screen.text.contains("main/words failed: no such file, and 1 more failure"))
  }

  @Test func whatIsWantedIsAskedFor() throws {
    let program = try run(
      "--chain", "main", "--by", "words", "--status", "failed", "--topic", "chat.*", "--key", "k 1", "--since", "2h",
      "--limit", "7", "--json")
    let request = server.answer(Self.both)
    let asked =
      #""chain":"main","handler":"words","status":"failed","topic":"chat.*","key":"k 1","since_ms":7200000,"limit":7"#
    #expect(request.contains(asked), "\(request)")
    #expect(program.line()?.hasPrefix(#"{"op":"walks","walks":[{"walk":17,"#) == true)
    #expect(program.remainingLines() == [])
    #expect(program.wait() == 0)
  }

  @Test func olderOnesAreOnFurtherPages() throws {
    let terminal = try show("--limit", "1", columns: 80)
    let peer = server.take()
    peer.answer(FakeServer.welcome)
    peer.answer(#""op":"walks","walks":[\#(Self.failed)],"more":true,"after":"17""#)
    #expect(peer.answer(#""op":"walks","walks":[\#(Self.late)]"#).contains(#""after":"17""#))
    #expect(terminal.wait() == 0)
    #expect(terminal.screen.lines.contains("… and older ones: --limit 5"))
    #expect(!terminal.screen.text.contains("porter"))
  }

  @Test func whatWasForgottenIsTold() throws {
    let terminal = try show(columns: 100)
    server.answer(
      Self.both
        + #","kinds":[{"status":"failed","oldest_ms":61000,"forgotten":7},{"status":"timeout","oldest_ms":5},"#
        + #"{"status":"unhandled","with_failures":true,"oldest_ms":120000,"forgotten":1}]"#)
    #expect(terminal.wait() == 0)
    #expect(terminal.screen.lines.contains("failed: 7 forgotten, the oldest that is kept ended 1 min ago"))
    #expect(
      terminal.screen.lines.contains(
        "unhandled after failures: 1 forgotten, the oldest that is kept ended 2 min ago"))
    #expect(!terminal.screen.text.contains("timeout: "))
  }

  @Test func oneLinkByLink() throws {
    let terminal = try show("17", columns: 100)
    #expect(server.answer(#""op":"walks","walks":[\#(Self.failed)]"#).contains(#""walk":17,"#))
    #expect(terminal.wait() == 0)
    #expect(
      terminal.screen.lines.prefix(6).map(\.squeezed) == [
        "walk 17: chat.room, sent to main by anna, key k, ended 1 min ago",
        "failed: main/words failed: no such file (2 hops, 5.3 ms)",
        "it waited 2.0 ms for the message before it that has the same key",
        "CHAIN LINK OUTCOME WAITED TOOK PAYLOAD MESSAGE",
        "main spam continue 5 µs 900 µs rewritten",
        "main words failed 7 µs 1.2 ms no such file",
      ])
    #expect(terminal.screen.faults == [])
  }

  @Test func whatWasNotRecordedIsSaid() throws {
    let terminal = try show("9", columns: 100)
    server.answer(#""op":"walks","walks":[\#(Self.late)]"#)
    #expect(terminal.wait() == 0)
    #expect(
      terminal.screen.lines.dropFirst().filter { !$0.contains("porter  ") && !$0.hasPrefix("CHAIN") }.prefix(3) == [
        "timeout: door/porter gave no verdict within 900 µs (1 hop, 2.0 s)",
        "offers before the first failure, wait or second chain were not recorded",
        "there were more steps than the server keeps",
      ])
  }

  @Test(arguments: [
    (0, "it was offered to no link, so there are no steps"),
    (3, "its steps were not recorded: no link failed it, and it waited at none"),
  ])
  func aMessageWithoutSteps(hops: Int, sentence: String) throws {
    let terminal = try show("5", columns: 100)
    server.answer(#""op":"walks","walks":[\#(Self.rejected(hops: hops))]"#)
    #expect(terminal.wait() == 0)
    #expect(terminal.screen.lines.dropFirst(2).filter { !$0.isEmpty } == [sentence])
  }

  /// One reason, and no other sentence that says it again.
  @Test(arguments: [
    ("", "there was no link to ask"), (#","version":1"#, "no link accepts its topic"),
    (#","trace":[{"chain":"main","handler":"a","skipped":"topic"}]"#, "no link accepts its topic"),
  ])
  func aMessageThatNobodyWasAskedAbout(_ trace: String, reason: String) throws {
    let terminal = try show("5", columns: 100)
    let members = #"{"walk":5,"chain":"main","topic":"t","from":"anna","status":"unhandled","hops":0\#(trace)"#
    server.answer(#""op":"walks","walks":[\#(members),"total_us":10,"ago_ms":1000}]"#)
    #expect(terminal.wait() == 0)
    let lines = terminal.screen.lines.dropFirst().filter { !$0.isEmpty }
    #expect(lines.first == "unhandled: \(reason) (0 hops, 10 µs)")
    #expect(lines.count == (trace.contains("trace") ? 3 : 1))
  }

  @Test func oneThatIsNotKept() throws {
    let program = try run("12")
    server.answer(#""op":"walks","walks":[]"#)
    #expect(
      program.remainingErrorLines() == [
        "baton: the server tells nothing of message 12: it keeps the last ones that did not end well or that a link failed, and tells who may "
          + "see their chains"
      ])
    #expect(program.wait() == 1)
  }

  @Test(arguments: [
    (["--topic", "a..b"], "has an empty word at byte 2"), (["--limit", "0"], "from 1"),
    (["--status", "ended"], "ended"),
    (["--by", "a b"], "one of"), (["--key", ""], "--key"), (["--since", "0"], "--since"),
    (["--since", "soon"], "soon"),
    (["x"], "x"), (["0"], "<walk> is the number of a message, from 1"), (["--", "-1"], "<walk> is"),
    (["99999999999999999999"], "<walk>"),
  ])
  func wrongOptions(arguments: [String], message: String) throws {
    let program = try Program(["walks"] + arguments)
    #expect(program.remainingErrorLines().first?.contains(message) == true)
    #expect(program.wait() == 64)
  }

  // MARK: The real server

  /// Who may not see all chains is told no more than the status of what went through a mount.
  @Test func whatIsHiddenIsTold() throws {
    let hidden =
      #""op":"walks","walks":[{"walk":3,"chain":"main","topic":"a","from":"eve","status":"failed","hidden":true,"#
      + #""ago_ms":5}]"#
    let words = "it went through a mount, and only who may see all chains is told more"
    let program = try run()
    server.answer(hidden)
    #expect(program.remainingLines().last == "5\t3\tmain\ta\teve\tfailed\t\t\t\t\t\t\t\t\(words)")
    #expect(program.wait() == 0)
    let terminal = try show("3", columns: 100)
    server.answer(hidden)
    #expect(terminal.wait() == 0)
    #expect(terminal.screen.lines.contains("failed: \(words)"))
  }

  /// A message is unhandled because its only link fails it. The peers stay as long as the caller keeps them.
  private func failOnce(at server: RunningServer) throws -> [Peer] {
    let words = try server.peer(saying: #"{"op":"insert","handler":"words"}"#)
    let sender = try server.peer()
    sender.say(#"{"op":"send","topic":"chat.room"}"#)
    _ = words.line()
    words.say(#"{"op":"failed","message":"no such file"}"#)
    #expect(sender.line()?.contains(#""status":"unhandled""#) == true)
    return [words, sender]
  }

  @Test func whatAHandlerSaidIsFoundLater() throws {
    let real = try RunningServer()
    let peers = try failOnce(at: real)
    defer { extendLifetime(peers) }
    let all = try real.run("walks")
    #expect(all.line()?.hasPrefix("ago_ms\twalk\t") == true)
    #expect(all.line()?.contains("\t1\tmain\tchat.room\t#2\tunhandled\t") == true)
    #expect(all.remainingLines() == [])
    let terminal = try real.show("walks", "1", columns: 100)
    #expect(terminal.wait() == 0)
    #expect(terminal.screen.lines.contains { $0.hasPrefix("unhandled: main/words failed: no such file (1 hop, ") })
    #expect(terminal.screen.lines.contains { $0.contains(/^main +words +failed .*no such file$/) })
    #expect(terminal.screen.faults == [])
  }

  @Test func chainsTellsTheLastFailure() throws {
    let real = try RunningServer()
    let peers = try failOnce(at: real)
    defer { extendLifetime(peers) }
    let terminal = try real.show("chains", columns: 80)
    #expect(terminal.wait() == 0)
    #expect(terminal.screen.lines.contains { $0.contains(/^  failed \d+ m?s ago: no such file \(walk 1\)$/) })
    let program = try real.run("chains")
    let header = try #require(program.line()).split(separator: "\t", omittingEmptySubsequences: false)
    let fields = try #require(program.line()).split(separator: "\t", omittingEmptySubsequences: false)
    #expect(header.count == fields.count)
    let place = try #require(header.firstIndex(of: "last_failure"))
    #expect(fields[place...].prefix(3) == ["failed", "no such file", "1"])
  }
}
