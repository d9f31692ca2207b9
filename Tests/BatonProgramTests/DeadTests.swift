import ProgramKit
import Testing

/// `baton dead` and `baton stored`, at a server that the test plays.
@Suite struct DeadTests {
  private let fake: FakeServer

  init() throws { fake = try FakeServer() }

  private static let late =
    #"{"stored":"s-1","topic":"order.paid","chain":"orders","key":"ann","tries":2,"ago_ms":7000,"#
    + #""result":{"status":"failed","by":"bill","cause":"timeout","message":"too slow","hops":1,"walk":4}}"#
  private static let expired =
    #"{"stored":"s-2","topic":"test.a","chain":"orders","tries":0,"ago_ms":6000,"#
    + #""result":{"status":"timeout","hops":0}}"#
  private static let unhandled =
    #"{"stored":"s-3","topic":"order.new","chain":"orders","tries":2,"ago_ms":5000,"#
    + #""result":{"status":"unhandled","hops":1,"walk":6,"failures":[{"by":"bill","chain":"orders","cause":"failed"}]}}"#

  private func run(_ arguments: String...) throws -> (program: Program, peer: Peer) {
    let program = try Program(arguments + ["--server", fake.place])
    let peer = fake.take()
    peer.answer(FakeServer.welcome)
    return (program, peer)
  }

  /// Answers with two pages of dead letters.
  private func list(_ peer: Peer) {
    #expect(peer.answer(#""op":"dead","dead":[\#(Self.late),\#(Self.expired)],"more":true"#).contains("\"orders\""))
    #expect(peer.answer(#""op":"dead","dead":[\#(Self.unhandled)],"more":false"#).contains(#""after":"s-2""#))
  }

  @Test func allChainsThatHaveSomeAreListed() throws {
    let (program, peer) = try run("dead", "list")
    let counts = #"{"messages":4,"delayed":0,"waiting":4,"due":0,"under_way":0,"dead":"#
    peer.answer(
      #""op":"chains","chains":[{"chain":"main","version":1,"links":[],"stored":\#(counts)0}},"#
        + #"{"chain":"orders","version":1,"links":[],"stored":\#(counts)3}}],"more":false"#)
    list(peer)
    #expect(
      program.remainingLines() == [
        "ago_ms\tstored\tchain\ttopic\tkey\ttries\tstatus\twhy",
        "7000\ts-1\torders\torder.paid\tann\t2\tfailed\tbill: timeout, too slow",
        "6000\ts-2\torders\ttest.a\t\t0\ttimeout\tno attempt was made in its time",
        "5000\ts-3\torders\torder.new\t\t2\tunhandled\torders/bill failed",
      ])
    #expect(program.wait() == 0)
  }

  @Test(arguments: [
    (#""tries":1"#, "\t1\ttimeout\tthe server was stopped before an attempt had an end"),
    (#""unreadable":true,"tries":0"#, "\t0\ttimeout\tthe server's disk does not give it now"),
  ])
  func whyThereIsNoResultIsTold(_ members: String, _ words: String) throws {
    let (program, peer) = try run("dead", "list", "--chain", "orders")
    let letter = Self.expired.replacing(#""tries":0"#, with: members)
    peer.answer(#""op":"dead","dead":[\#(letter)],"more":false"#)
    #expect(program.remainingLines().last?.hasSuffix(words) == true)
    #expect(program.wait() == 0)
  }

  @Test func moreChainsThanTheServerTellsOfAreSaid() throws {
    let (program, peer) = try run("dead", "list")
    let stored = #""stored":{"messages":1,"delayed":0,"waiting":1,"due":0,"under_way":0,"dead":0}"#
    let chains = (1...100).map { #"{"chain":"c\#($0)","version":0,\#(stored),"links":[]}"# }
    peer.answer(#""op":"chains","chains":[\#(chains.joined(separator: ","))],"more":false"#)
    let words = "there may be more chains that the configuration file does not name"
    #expect(program.errorLine()?.hasPrefix(words) == true)
    #expect(program.wait() == 0)
  }

  @Test(arguments: [[], ["--json"]])
  func whatIsLeftOutIsSaidInAPipe(more: [String]) throws {
    let program = try Program(["dead", "list", "--chain", "orders", "--limit", "2", "--server", fake.place] + more)
    let peer = fake.take()
    peer.answer(FakeServer.welcome)
    list(peer)
    #expect(program.remainingLines().count == (more.isEmpty ? 3 : 2))
    #expect(program.errorLine()?.hasSuffix(" and more: --limit 10") == true)
    #expect(program.wait() == 0)
  }

  /// A server without a store has no list, not an empty one.
  @Test func withoutAStoreThatIsToldAtOnce() throws {
    for (verb, more) in [("list", [String]()), ("discard", ["--all", "--yes"])] {
      let program = try Program(["dead", verb, "--server", fake.place] + more)
      let peer = fake.take()
      peer.answer(FakeServer.welcome)
      peer.answer(#""op":"chains","chains":[{"chain":"main","version":1,"links":[]}],"more":false"#)
      #expect(peer.answer(#""op":"error","code":"no_store","message":"no""#).contains(#""op":"dead""#))
      #expect(program.errorLine() == "baton: no (no_store)")
      #expect(program.wait() == 1)
    }
  }

  /// There is a store, and the chain that is asked for it is not to be seen.
  @Test func withAStoreAnEmptyListIsEmpty() throws {
    for answer in [
      #""op":"dead","dead":[],"more":false"#, #""op":"error","code":"not_allowed","message":"no""#,
    ] {
      let (program, peer) = try run("dead", "list", "--json")
      peer.answer(#""op":"chains","chains":[],"more":false"#)
      peer.answer(answer)
      #expect(program.remainingLines() == [])
      #expect(program.wait() == 0)
    }
  }

  /// A try that did not count was made all the same.
  @Test func aTryThatDidNotCountIsTold() throws {
    let (program, peer) = try run("dead", "list", "--chain", "orders")
    let letter =
      #"{"stored":"s-4","topic":"t","chain":"orders","tries":0,"ago_ms":1,"#
      + #""result":{"status":"unhandled","hops":0,"walk":2}}"#
    peer.answer(#""op":"dead","dead":[\#(letter)],"more":false"#)
    #expect(program.remainingLines().last?.contains("\t0\tunhandled\tno attempt counted: ") == true)
    #expect(program.wait() == 0)
  }

  @Test func topicsAndCausesChoose() throws {
    let (program, peer) = try run(
      "dead", "list", "--chain", "orders", "--topic", "order.*", "--cause", "timeout", "--json")
    list(peer)
    #expect(program.remainingLines() == [Self.late])
    #expect(program.wait() == 0)
  }

  @Test func oneIsShownWithItsPayload() throws {
    let letter = String(Self.late.dropLast()) + #","payload":{"a" : 1e400}}"#
    let (program, peer) = try run("dead", "show", "s-1")
    #expect(peer.answer(#""op":"dead","dead":[\#(letter)],"more":false"#).contains(#""stored":"s-1""#))
    #expect(program.remainingLines() == [#"{"a" : 1e400}"#])
    #expect(program.wait() == 0)
  }

  @Test func manyAreSentAgainAndCounted() throws {
    let (program, peer) = try run("dead", "resend", "--all", "--yes", "--chain", "orders", "--topic", "order.*")
    list(peer)
    #expect(peer.answer(#""op":"ok","stored":"n-1""#).hasPrefix(#"{"op":"resend","stored":"s-1""#))
    peer.answer(#""op":"error","code":"damaged","message":"its bytes cannot be read""#)
    #expect(program.remainingLines() == ["s-1\tn-1"])
    #expect(
      program.remainingErrorLines() == [
        "baton: s-3: its bytes cannot be read (damaged)", "1 dead letter was sent again; 1 could not be",
      ])
    #expect(program.wait() == 1)
  }

  @Test func oneIsSentAgainWithAnotherPayload() throws {
    let (program, peer) = try run("dead", "resend", "s-1", "--payload", "[1.50]")
    #expect(peer.answer(#""op":"ok","stored":"n-1""#).contains(#""stored":"s-1","payload":[1.50]"#))
    #expect(program.remainingLines() == ["s-1\tn-1"])
    #expect(program.wait() == 0)
  }

  /// Without a right for any chain, nothing that is shown means nothing.
  @Test(arguments: ["list", "discard"])
  func whoMaySeeNoChainIsTold(_ command: String) throws {
    let program = try Program(
      ["dead", command, "--server", fake.place] + (command == "list" ? [] : ["--all", "--yes"]))
    let peer = fake.take()
    peer.answer(FakeServer.welcome + #","identity":"ann","may":["send to orders","see server"]"#)
    #expect(
      program.remainingErrorLines() == [
        "baton: you may not see any chain; the right that is missing: see CHAIN (not_allowed)"
      ])
    #expect(program.remainingLines() == [])
    #expect(program.wait() == 1)
    withExtendedLifetime(peer) {}
  }

  @Test func theyAreDiscarded() throws {
    let (program, peer) = try run("dead", "discard", "s-1", "s-2")
    #expect(peer.answer(#""op":"ok""#).contains(#""op":"discard","stored":"s-1""#))
    #expect(peer.answer(#""op":"ok""#).contains(#""op":"discard","stored":"s-2""#))
    #expect(program.remainingLines() == ["s-1", "s-2"])
    #expect(program.remainingErrorLines() == ["2 dead letters were discarded"])
    #expect(program.wait() == 0)
  }

  @Test(arguments: [
    (#""tries":3,"cause":"failed","next_try_ms":1500"#, "3\tfailed\t1500\t"),
    (#""tries":0,"cause":"failed","uncounted":true"#, "0\tfailed\t\tuncounted"),
    (#""tries":0,"undeclared":true"#, "0\t\t\tundeclared"),
  ])
  func whereAMessageIs(members: String, fields: String) throws {
    let (program, peer) = try run("stored", "s-1")
    peer.answer(#""op":"stored","stored":"s-1","chain":"orders","state":"waiting",\#(members)"#)
    #expect(program.remainingLines() == ["s-1\torders\twaiting\t\(fields)"])
    #expect(program.wait() == 0)
  }

  @Test func aMessageThatHasEndedIsExitCode1() throws {
    let (program, peer) = try run("stored", "s-1")
    peer.answer(#""op":"error","code":"no_such_message","message":"no""#)
    #expect(
      program.errorLine()
        == "baton: there is no stored message s-1: it has ended, it was never there, or you may not know of it (no_such_message)"
    )
    #expect(program.wait() == 1)
  }

  /// The chain's heading, and the figures of the server.
  @Test func whatIsStoredIsShown() throws {
    let stored = #""stored":{"messages":12,"delayed":1,"waiting":6,"due":3,"under_way":2,"dead":4}"#
    let (program, peer) = try run("top")
    peer.answer(
      #""op":"chains","chains":[{"chain":"orders","version":1,"links":[],\#(stored)}],"more":false,"#
        + #""server":{"version":"9","uptime_ms":1,"connections":1,"subscriptions":0,"links":0,"open":0,"#
        + #""per_second":0,"messages":0,"open_bytes":0,"unsent_bytes":0,"unfinished_bytes":0,"missed":0,"#
        + #""memory_bytes":1,"file_limit":1,"paused":[],"store":{"messages":12,"bytes":900,"dead":4}}"#)
    peer.answer(#""op":"findings","findings":[]"#)
    let lines = program.remainingLines()
    #expect(lines.contains("server\tstored\t12") && lines.contains("server\tdead\t4"))
    #expect(lines.contains("stored\torders\t12\t1\t6\t3\t2\t4"))
    #expect(program.wait() == 0)
  }

  /// Findings of the server are shown as it tells them.
  @Test func theDoctorShowsFindingsOfTheStore() throws {
    let program = try Program(["doctor", "--server", fake.place])
    let peer = fake.take()
    peer.answer(FakeServer.welcome)
    peer.answer(FakeServer.welcome)
    peer.answer(#""op":"pong""#)
    peer.answer(
      #""op":"chains","chains":[],"more":false,"server":{"version":"9","uptime_ms":1,"connections":1,"#
        + #""subscriptions":0,"links":0,"open":0,"per_second":0,"messages":0,"open_bytes":0,"unsent_bytes":0,"#
        + #""unfinished_bytes":0,"missed":0,"memory_bytes":1,"file_limit":1,"paused":[]}"#)
    peer.answer(
      #""op":"findings","findings":[{"level":"wrong","what":"store","since_ms":3000,"why":"the disk says no","#
        + #""next":"look at it"},{"level":"warning","what":"undeclared","chain":"old","why":"2 wait","next":"declare it"}]"#
    )
    let lines = program.remainingLines()
    #expect(lines.contains("wrong\tstore\t\tthe disk says no\tlook at it"))
    #expect(lines.contains("warning\tundeclared\told\t2 wait\tdeclare it"))
    #expect(program.wait() == 1)
  }
}
