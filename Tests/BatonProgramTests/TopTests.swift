import Foundation
import ProgramKit
import Testing

/// `baton top`: what it shows, and that the terminal is afterwards as it was before.
@Suite struct TopTests {
  private let server: RunningServer
  private let porter: Peer

  init() throws {
    server = try RunningServer()
    porter = try server.peer(saying: #"{"op":"insert","handler":"porter"}"#)
  }

  @Test(arguments: [80, 200]) func showsTheWholeServer(columns: Int) throws {
    let terminal = try server.show("top", columns: columns)
    #expect(terminal.sees("porter") && terminal.sees("q quit"))
    let screen = terminal.screen
    #expect(screen.isAlternate && !screen.isCursorShown)
    #expect(screen.lines.first?.contains("at \(server.address)  up ") == true)
    #expect(screen.text.contains("connections 2   subscriptions 0   links 1   memory "))
    #expect(screen.text.contains("messages 0   per second 0   open 0   missed events 0"))
    #expect(screen.lines.contains { $0.wholeMatch(of: /main +porter +serving +1 +0 +0( +0)?( +>)?/) != nil })
    #expect(screen.lines.count == 24)
    #expect(screen.lines.last?.hasPrefix("q quit  p pause  s slowest first") == true)
    #expect(screen.faults == [])
    terminal.type("q")
    #expect(terminal.wait() == 0)
    #expect(terminal.screen.faults == [])
  }

  @Test(arguments: ["q", "\u{3}"]) func keysThatQuitLeaveTheTerminalAsItWas(key: String) throws {
    let terminal = try server.show("top", columns: 80)
    let before = terminal.modesBefore
    #expect(terminal.sees("porter"))
    #expect(terminal.modes != before)
    terminal.type(key)
    #expect(terminal.wait() == 0)
    expectAsItWas(terminal, before)
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT]) func signalsLeaveTheTerminalAsItWas(signal: Int32) throws {
    let terminal = try server.show("top", columns: 80)
    let before = terminal.modesBefore
    #expect(terminal.sees("porter"))
    terminal.send(signal)
    #expect(terminal.wait() == -signal)
    expectAsItWas(terminal, before)
  }

  @Test func aStopGivesTheTerminalToTheShell() throws {
    let terminal = try server.show("top", columns: 80)
    #expect(terminal.sees("porter"))
    // The leader of an orphaned session is not stopped: it goes on at once, and draws its picture again.
    terminal.type("\u{1A}p")
    #expect(terminal.sees("PAUSED"))
    terminal.type("q")
    #expect(terminal.wait() == 0)
  }

  @Test func aNewSizeIsDrawnAtOnce() throws {
    let terminal = try server.show("top", columns: 80)
    #expect(terminal.sees("porter"))
    // While it is paused, nothing else makes it draw.
    terminal.type("p")
    #expect(terminal.sees("PAUSED"))
    terminal.resize(columns: 40, rows: 9)
    #expect(terminal.sees { $0.lines.count == 9 && $0.lines.last?.hasPrefix("PAUSED") == true })
  }

  private func expectAsItWas(_ terminal: TerminalProgram, _ before: [UInt64]) {
    #expect(!before.isEmpty && terminal.modes == before)
    #expect(!terminal.screen.isAlternate && terminal.screen.isCursorShown && terminal.screen.isWrapping)
    #expect(terminal.screen.text == "")
  }

  @Test func aLostServerIsToldAndFoundAgain() throws {
    let terminal = try server.show("top", columns: 80)
    #expect(terminal.sees("porter"))
    try server.kill()
    #expect(terminal.sees("not connected to"))
    try server.startAgain()
    #expect(terminal.sees("links 0"))
    #expect(terminal.sees("q quit"))
    terminal.type("q")
    #expect(terminal.wait() == 0)
  }

  @Test func aServerThatIsNotThereIsAnError() throws {
    try server.kill()
    let terminal = try server.show("top", columns: 80)
    let before = terminal.modesBefore
    #expect(terminal.wait() == 3)
    #expect(terminal.modes == before)
    #expect(!terminal.screen.isAlternate)
    #expect(terminal.screen.text.contains("no server can be reached"))
  }

  @Test func longListsScroll() throws {
    let many = try server.peer()
    for number in 10..<40 { _ = many.ask(#"{"op":"insert","handler":"h\#(number)"}"#) }
    let terminal = try server.show("top", columns: 80, rows: 12)
    #expect(terminal.sees("porter"))
    #expect(!terminal.screen.text.contains("h39"))
    terminal.type("G")
    #expect(terminal.sees("h39"))
    terminal.type("k")
    #expect(terminal.sees { !$0.text.contains("h39") && $0.text.contains("h38") })
    terminal.type("g\u{1B}[B")
    #expect(terminal.sees { !$0.text.contains("porter") && $0.text.contains("h10") })
    #expect(terminal.screen.text.contains("scroll (2–"))
    terminal.type("q")
    #expect(terminal.wait() == 0)
    #expect(terminal.screen.faults == [])
  }

  @Test func pausedConnectionsAreShown() throws {
    let busy = try RunningServer(set: ["max_open_messages": 1])
    let handler = try busy.peer(saying: #"{"op":"insert","handler":"slow"}"#)
    let sender = try busy.peer(saying: #"{"op":"hello","name":"anna"}"#)
    sender.say(#"{"op":"send","topic":"a"}"#)
    _ = handler.line()
    let terminal = try busy.show("top", columns: 80)
    #expect(terminal.sees("NOT READ FROM"))
    #expect(terminal.sees { $0.lines.contains { $0.wholeMatch(of: /anna +2 +messages +\d.* 1 +0 B/) != nil } })
    let program = try busy.run("top")
    var lines: [String] = []
    while let line = program.line() { lines.append(line) }
    #expect(lines.contains { $0.hasPrefix("paused\tanna\tmessages\t") && $0.hasSuffix("\t2") })
  }

  /// What a narrow terminal has no room for.
  @Test func aWideTerminalShowsMore() throws {
    let sender = try server.peer()
    sender.say(#"{"op":"send","topic":"a"}"#)
    _ = porter.line()
    porter.say(#"{"op":"failed","message":"no such file"}"#)
    _ = sender.line()
    let (wide, narrow) = (try server.show("top", columns: 200), try server.show("top", columns: 80))
    #expect(wide.sees("LAST FAILURE"))
    #expect(wide.screen.text.contains(/failed \d.* ago: no such file \(walk 1\)/))
    #expect(wide.screen.text.contains("LAST 10 MIN"))
    #expect(narrow.sees("failed 1"))
    #expect(!narrow.screen.text.contains("LAST"))
    #expect(wide.screen.faults + narrow.screen.faults == [])
  }

  @Test func aPipeGetsOneLook() throws {
    let program = try server.run("top")
    var lines: [String] = []
    while let line = program.line() { lines.append(line) }
    #expect(lines.first?.hasPrefix("server\tversion\t") == true)
    #expect(lines.contains("server\tconnections\t2"))
    #expect(lines.last == "link\tmain\tporter\tserving\t0\t0\t0\t0\t\t")
    #expect(program.wait() == 0)
  }

  // MARK: Trouble first

  /// A breaker among many links is on the first screen, in both orders, and in the first line of a pipe.
  @Test func troubleIsFirstAmongManyLinks() throws {
    let server = try RunningServer(set: ["breaker_offers": 1])
    let many = try server.peer()
    for number in 1...999 { many.say(#"{"op":"insert","handler":"h\#(number)","accepts":["none"],"reply":false}"#) }
    let slow = try server.peer(saying: #"{"op":"insert","handler":"slow","timeout_ms":20,"accepts":["door.*"]}"#)
    _ = try server.send("door.open")
    let program = try server.run("top")
    #expect(program.line()?.hasPrefix("finding\twrong\tbreaker\tmain/slow\t") == true)
    let terminal = try server.show("top", columns: 80)
    for key in ["", "s", "s"] {
      terminal.type(key)
      #expect(terminal.sees(key == "s" ? "first" : "1 link in trouble: main/slow (breaker)"))
      #expect(terminal.sees { $0.lines.count == 24 && $0.lines[7].contains("slow") && $0.lines[7].contains("breaker") })
      #expect(terminal.screen.text.contains("1 link in trouble: main/slow (breaker)"))
    }
    #expect(terminal.screen.faults == [])
    terminal.type("q")
    #expect(terminal.wait() == 0)
    withExtendedLifetime((slow, many)) {}
  }

  @Test func whereNothingIsWrongItSaysSo() throws {
    let terminal = try server.show("top", columns: 80)
    #expect(terminal.sees("nothing is wrong"))
    terminal.type("q")
    #expect(terminal.wait() == 0)
  }
}
