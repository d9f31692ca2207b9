import ProgramKit
import Testing

/// `baton chains`, on terminals and in pipes.
@Suite struct ChainsTests {
  private let server: RunningServer
  private let porter: Peer
  private let cook: Peer

  init() throws {
    server = try RunningServer()
    porter = try server.peer(saying: #"{"op":"insert","handler":"porter","accepts":["door.*"]}"#)
    let sender = try server.peer()
    sender.say(#"{"op":"send","topic":"door.open"}"#)
    _ = porter.line()
    porter.say(#"{"op":"failed"}"#)
    _ = sender.line()
    cook = try server.peer(
      saying: #"{"op":"insert","chain":"kitchen","handler":"\#(String(repeating: "cook", count: 16))"}"#,
      #"{"op":"mount","chain":"kitchen","on":"main","accepts":["public.>"]}"#)
  }

  @Test func eightyColumns() throws {
    let terminal = try server.show("chains", columns: 80)
    #expect(terminal.wait() == 0)
    let screen = terminal.screen
    #expect(screen.faults == [])
    #expect(screen.hasStyles)
    #expect(screen.lines.first?.wholeMatch(of: /#  LINK +ACCEPTS +STATE +CONNS +OPEN +WAIT .*P99  FAILURES/) != nil)
    #expect(screen.lines.contains { $0.wholeMatch(of: /1  porter +door\.\* +serving +1 +0 +0 .*s  failed 1/) != nil })
    #expect(screen.lines.contains { $0.wholeMatch(of: /1  (cook)+c?o?o?… +> +serving +1 +0 +0/) != nil })
    #expect(screen.lines.contains { $0.wholeMatch(of: /2  → main +public\.> +mount/) != nil })
    #expect(screen.lines.contains("kitchen  2 links, version 3"))
  }

  @Test func twoHundredColumns() throws {
    let terminal = try server.show("chains", "kitchen", columns: 200)
    #expect(terminal.wait() == 0)
    let screen = terminal.screen
    #expect(screen.faults == [])
    #expect(screen.lines.first?.contains("HANDLED  CONTINUE  REJECT  P50  P99  FAILURES") == true)
    #expect(screen.text.contains(String(repeating: "cook", count: 16)))
    #expect(!screen.text.contains("porter"))
  }

  /// Which links guard is seen where little room is left; where none does, no column says it.
  @Test func guardsAreTold() throws {
    let names = [("always", #""required":true,"on_failure":"stop""#), ("served", #""on_failure":"stop""#)]
    let causes = ("failed,breaker", #""on_failure":{"failed":"stop","breaker":"stop","timeout":"continue"}"#)
    let peers = try (names + [causes, ("", #""required":true"#)]).enumerated().map { number, link in
      try server.peer(saying: #"{"op":"insert","chain":"guards","handler":"g\#(number)",\#(link.1)}"#)
    }
    defer { extendLifetime(peers) }
    let terminal = try server.show("chains", "guards", columns: 80)
    #expect(terminal.wait() == 0)
    let lines = terminal.screen.lines
    #expect(lines.first?.contains("STATE    GUARDS") == true, "\(lines)")
    for (number, guards) in ["always", "served", "failed,breaker", "serving"].enumerated() {
      #expect(lines.contains { $0.contains("g\(number) ") && $0.contains(guards) }, "\(lines)")
    }
    let program = try server.run("chains")
    let rows = program.remainingLines().map { $0.split(separator: "\t", omittingEmptySubsequences: false) }
    let column = try #require(rows.first?.firstIndex(of: "guards"))
    #expect(rows.filter { $0.first == "guards" }.map { $0[column] } == ["always", "served", "failed,breaker", ""])
    let other = try server.show("chains", "kitchen", columns: 80)
    #expect(other.wait() == 0)
    #expect(!other.screen.text.contains("GUARDS"))
  }

  @Test func noColourWhereNoneIsWanted() throws {
    let terminal = try server.show("chains", columns: 80, environment: ["NO_COLOR=1"])
    #expect(terminal.wait() == 0)
    #expect(!terminal.screen.hasStyles)
    #expect(terminal.screen.text.contains("porter"))
  }

  @Test func aPeersWordsDoNotActOnTheTerminal() throws {
    let other = try server.peer(saying: #"{"op":"insert","handler":"other","accepts":["\u202etxt","a.\u200b"]}"#)
    let terminal = try server.show("chains", columns: 200)
    #expect(terminal.wait() == 0)
    #expect(terminal.screen.faults == [])
    #expect(terminal.screen.text.contains(#"\u{202E}txt a.\u{200B}"#))
    withExtendedLifetime(other) {}
  }

  @Test func aPipeGetsALineForEachLink() throws {
    let program = try server.run("chains")
    let header = try #require(program.line()).split(separator: "\t", omittingEmptySubsequences: false)
    #expect(header.starts(with: ["chain", "position", "rank", "kind", "link", "accepts", "state", "connections"]))
    var rows: [[Substring]] = []
    while let line = program.line() { rows.append(line.split(separator: "\t", omittingEmptySubsequences: false)) }
    #expect(rows.allSatisfy { $0.count == header.count })
    let name = String(repeating: "cook", count: 16)
    #expect(
      rows.map { $0.prefix(8).joined(separator: " ") } == [
        "kitchen 1 1 handler \(name) > serving 1", "kitchen 2 2 mount main public.>  ",
        "main 1 1 handler porter door.* serving 1",
      ])
    #expect(program.wait() == 0)
  }

  /// A link with ten minutes and a last failure, of a server that the test plays.
  private static let busy =
    #""op":"chains","chains":[{"chain":"main","version":1,"links":[{"handler":"porter","rank":1,"position":1,"#
    + #""accepts":[">"],"connections":1,"open":0,"waiting":0,"window":256,"state":"serving","handled":9,"failed":1,"#
    + #""last_failure":{"cause":"failed","message":"no such file","walk":17,"ago_ms":185000},"#
    + #""history":[{"ago_ms":599000,"messages":4},{"ago_ms":12000,"messages":2},{"ago_ms":3000,"messages":1000}]}]}]"#

  @Test(arguments: [("de_DE.UTF-8", "▁", "▂", "█"), ("", "▁", "▂", "█"), ("C", "_", ".", "#")])
  func tenMinutesAndTheLastFailure(_ locale: String, none: String, few: String, most: String) throws {
    let played = try FakeServer()
    let terminal = try TerminalProgram(
      ["chains", "--server", played.place], columns: 80, rows: 24,
      environment: ["LC_ALL=\(locale)", "LC_CTYPE=", "LANG="])
    #expect(played.answer(Self.busy).contains(#""history":true"#))
    #expect(terminal.wait() == 0)
    let bars = few + String(repeating: none, count: 57) + few + most
    #expect(terminal.screen.lines.contains("  \(bars)  max 1,000/10 s"))
    #expect(terminal.screen.lines.contains("  failed 3 min ago: no such file (walk 17)"))
    #expect(terminal.screen.faults == [])
  }

  @Test func theRealServersLastTenMinutes() throws {
    try server.waitForDeadline(of: 10_100)
    let terminal = try server.show("chains", "main", columns: 80)
    #expect(terminal.wait() == 0)
    #expect(terminal.screen.lines.contains { $0.contains(/^  ▁{50,59}█▁*  max 1\/10 s$/) }, "\(terminal.screen.text)")
    #expect(terminal.screen.faults == [])
  }

  @Test func jsonIsTheServersLine() throws {
    let program = try server.run("chains", "main", "--json")
    #expect(program.line()?.hasPrefix(#"{"op":"chains","id":"#) == true)
    #expect(program.line() == nil)
    #expect(program.wait() == 0)
  }

  @Test func theNearestNameIsToldWhereThereIsNoSuchChain() throws {
    let program = try server.run("chains", "kichen")
    #expect(program.remainingErrorLines() == [#"baton: there is no chain "kichen"; did you mean "kitchen"?"#])
    #expect(program.wait() == 1)
  }

  @Test func nobodyThere() throws {
    try server.kill()
    #expect(try server.run("chains").wait() == 3)
  }

  /// A page of the server's answer has a thousand links.
  private func insert(_ count: Int) throws -> Peer {
    let many = try server.peer()
    for number in 0..<count { many.say(#"{"op":"insert","chain":"many","handler":"h\#(number)","reply":false}"#) }
    #expect(many.ask(#"{"op":"ping"}"#) == #"{"op":"pong"}"#)
    return many
  }

  private func lines(_ arguments: String...) throws -> [String] {
    let program = try server.run(arguments)
    var lines: [String] = []
    while let line = program.line() { lines.append(line) }
    #expect(program.wait() == 0)
    return lines
  }

  @Test func moreLinksThanAPageHas() throws {
    let many = try insert(2001)
    let names = (0..<2001).map { "h\($0)" }
    let rows = try lines("chains").dropFirst().map { $0.split(separator: "\t")[4] }
    #expect(Set(rows.map(String.init)).isSuperset(of: names) && rows.count == 2004)
    let explained = try lines("explain", "t", "--chain", "many").map { String($0.split(separator: "\t")[2]) }
    #expect(explained == names)
    #expect(try lines("chains", "many", "--json").count == 3)
    #expect(try lines("explain", "t", "--chain", "many", "--json").count == 3)
    #expect(try lines("top").filter { $0.hasPrefix("link\tmany") }.count == 2001)
    withExtendedLifetime(many) {}
  }

  @Test func aViewThatIsDrawnAnewShowsTheFirstPages() throws {
    let many = try insert(5001)
    let terminal = try server.show("chains", "many", "--watch", columns: 80)
    #expect(terminal.sees("h0"))
    terminal.type("G")
    #expect(terminal.sees("… and more links than are shown here"))
    terminal.type("q")
    #expect(terminal.wait() == 0)
    withExtendedLifetime(many) {}
  }

  // MARK: Watching

  @Test func watchingDrawsAnewAndHeedsTheSize() throws {
    let terminal = try server.show("chains", "--watch", columns: 200)
    #expect(terminal.sees("porter"))
    let sender = try server.peer()
    sender.say(#"{"op":"send","topic":"door.open"}"#)
    _ = porter.line()
    #expect(terminal.sees { $0.lines.contains { $0.contains(/porter +door\.\* +serving +1 +1 +0/) } })
    porter.say(#"{"op":"handled"}"#)
    #expect(terminal.sees { $0.lines.contains { $0.contains(/porter +door\.\* +serving +1 +0 +0/) } })
    #expect(terminal.screen.text.contains("HANDLED"))
    terminal.resize(columns: 60, rows: 10)
    #expect(terminal.sees { !$0.text.contains("HANDLED") && $0.text.contains("porter") })
    #expect(terminal.screen.lines.first?.contains("/S") == true)
    terminal.type("q")
    #expect(terminal.wait() == 0)
    #expect(!terminal.screen.isAlternate)
  }

  @Test func watchingInAPipeTellsRates() throws {
    let program = try server.run("chains", "main", "--watch")
    let header = try #require(program.line())
    #expect(header.hasPrefix("time\tchain\t"))
    #expect(header.hasSuffix("\tper_second\tfindings\tpercent\twhen\tdoubtful\ttogether"))
    #expect(program.line()?.hasSuffix("\t\t") == true)
    #expect(program.line()?.hasSuffix("\t0.0\t\t\t\t\t") == true)
  }
}
