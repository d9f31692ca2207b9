import Foundation
import ProgramKit
import Testing

/// Programs that fill the terminal, as jobs of a shell; and terminals on which they cannot.
@Suite struct JobControlTests {
  private let server: RunningServer

  private static let enters = "\u{1B}[?1049h"
  private static let leaves = "\u{1B}[?1049l"

  init() throws { server = try RunningServer() }

  /// Somebody at a shell that tells at once what becomes of its jobs.
  private func typist() throws -> Typist {
    let typist = try Typist(
      ["bash", "--norc", "--noprofile", "-i"],
      environment: ["BATON_SERVER=\(server.address)", "TERM=xterm", "PS1=prompt> "])
    typist.see("prompt> ")
    typist.type("set -b\r")
    typist.see("prompt> ")
    return typist
  }

  @Test(arguments: ["top", "chains --watch", "ask"]) func theShellDecidesWhoHasTheTerminal(command: String) throws {
    let typist = try typist()
    typist.type("\(Program.path) \(command) &\r")
    #expect(!typist.see("Stopped").contains(Self.enters))
    #expect(try server.peer().ask(#"{"op":"inspect"}"#)?.contains(#""chains":[]"#) == true)
    typist.type("fg\r")
    typist.see(Self.enters)
    typist.see("q ")
    typist.type("\u{1A}")
    typist.see(Self.leaves)
    typist.see("Stopped")
    typist.see("prompt> ")
    typist.type("bg\r")
    #expect(!typist.see("Stopped").contains(Self.enters))
    typist.type("fg\r")
    typist.see(Self.enters)
    typist.type("q")
    typist.see(Self.leaves)
    typist.see("prompt> ")
    typist.type("jobs; echo no''ne\r")
    #expect(!typist.see("none\r").contains("Stopped"))
  }

  @Test(arguments: [SIGSTOP, SIGTSTP]) func aStopFromElsewhere(signal: Int32) throws {
    let typist = try typist()
    typist.type("\(Program.path) top & echo nu''mber: $!.\r")
    typist.see("number: ")
    let number = try #require(Int32(typist.see(".")))
    typist.see("Stopped")
    typist.type("fg\r")
    typist.see("q quit")
    kill(number, signal)
    typist.see("Stopped")
    typist.see("prompt> ")
    typist.type("fg\r")
    typist.see(Self.enters)
    typist.see("q quit")
    typist.type("q")
    typist.see(Self.leaves)
    typist.see("prompt> ")
  }

  /// Ctrl-Z stops a script that has started the program, too.
  @Test func theWholeJobStops() throws {
    let typist = try typist()
    typist.type("sh -c '\(Program.path) top; echo af\"\"ter'\r")
    typist.see("q quit")
    typist.type("\u{1A}")
    typist.see("Stopped")
    typist.see("prompt> ")
    typist.type("fg\r")
    typist.see(Self.enters)
    typist.type("q")
    typist.see("after")
  }

  /// The shell that has started it is gone: nobody could bring it to the foreground. Whoever holds 9 is running.
  @Test func inTheBackgroundForGoodItEnds() throws {
    let typist = try typist()
    typist.type("exec 9> >(cat; echo it en''ded); (\(Program.path) top &); exec 9>&-\r")
    #expect(!typist.see("it ended").contains(Self.enters))
  }

  // MARK: Terminals

  @Test(arguments: ["dumb", ""]) func aTerminalWithoutSequences(name: String) throws {
    let porter = try server.peer(saying: #"{"op":"insert","handler":"porter"}"#)
    let ask = try server.show("ask", columns: 400, environment: ["TERM=\(name)"])
    #expect(ask.wait() == 64)
    #expect(ask.screen.text.contains("TERM is not set, or is dumb"))
    let top = try server.show("top", columns: 400, environment: ["TERM=\(name)"])
    #expect(top.wait() == 0)
    #expect(top.screen.text.contains("porter"))
    for screen in [ask.screen, top.screen] {
      #expect(screen.faults.filter { !$0.hasPrefix("U+9") } == [] && !screen.hasStyles && screen.rings == 0)
    }
    withExtendedLifetime(porter) {}
  }

  @Test func askSaysWhatItNeeds() throws {
    let terminal = try server.show("ask", columns: 20)
    #expect(terminal.sees { $0.lines.joined(separator: " ").contains("too small: it needs 40 columns and 10 rows") })
    terminal.resize(columns: 40, rows: 10)
    terminal.send(SIGWINCH)
    #expect(terminal.sees("Nothing waits."))
    terminal.type("\u{3}")
    #expect(terminal.wait() == 0)
  }

  @Test(arguments: [["top"], ["chains", "--watch"], ["ask"]], [(1, 1), (2, 3), (7, 2), (20, 5), (39, 24)])
  func smallTerminals(_ arguments: [String], _ size: (columns: Int, rows: Int)) throws {
    let porter = try server.peer(saying: #"{"op":"insert","handler":"porter"}"#)
    let terminal = try TerminalProgram(
      arguments + ["--server", server.address], columns: size.columns, rows: size.rows)
    #expect(terminal.sees { $0.isAlternate && !$0.text.isEmpty })
    terminal.type("\u{3}")
    #expect(terminal.wait() == 0)
    #expect(terminal.screen.faults == [])
    withExtendedLifetime(porter) {}
  }
}
