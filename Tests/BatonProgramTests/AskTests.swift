import Foundation
import ProgramKit
import Testing

/// `baton ask` on a terminal, with a real server.
@Suite struct AskTests {
  private let server: RunningServer
  private let sender: Peer

  init() throws {
    server = try RunningServer()
    sender = try server.peer()
  }

  private func person(_ arguments: [String] = [], editor: String = "false") throws -> TerminalProgram {
    let terminal = try TerminalProgram(
      ["ask", "--server", server.address] + arguments, columns: 80, rows: 24,
      environment: ["EDITOR=\(editor)", "VISUAL="])
    #expect(terminal.sees("Nothing waits."))
    return terminal
  }

  /// Sends a message, and waits until the person is asked and may decide.
  private func ask(_ terminal: TerminalProgram, _ payload: String = #"{"a":1}"#, milliseconds: Int = 600_000) {
    sender.say(#"{"op":"send","id":1,"topic":"post.a","payload":\#(payload),"timeout_ms":\#(milliseconds)}"#)
    #expect(terminal.sees("a approve"))
  }

  @Test func theMessageIsShownAndGoesOn() throws {
    let terminal = try person()
    let next = try server.peer(saying: #"{"op":"insert","handler":"next"}"#)
    ask(terminal, #"{"text":"hello","to":["ann","bob"]}"#)
    let screen = terminal.screen
    #expect(screen.lines[0].contains(/^main\/human   1 of 1 waiting   0?9:5\d █+/), "\(screen.lines[0])")
    #expect(screen.lines[1].contains(/^FROM #\d+   post.a   walk 1$/), "\(screen.lines[1])")
    #expect(
      screen.lines[2...5].map { String($0.dropFirst(2)) } == [
        "{", #"  "text": "hello","#, #"  "to": ["ann", "bob"]"#, "}",
      ])
    #expect(screen.isAlternate && screen.faults == [] && screen.rings == 1)
    terminal.type("a")
    #expect(next.line()?.contains(#""payload":{"text":"hello","to":["ann","bob"]}"#) == true)
    #expect(terminal.sees("sent: approved, post.a, walk 1"))
    terminal.type("q")
    #expect(terminal.wait() == 0)
    #expect(!terminal.screen.isAlternate && terminal.screen.isCursorShown)
  }

  @Test(arguments: [
    ("h", "This ends here", "h", #""status":"handled","by":"human""#),
    ("r", "Refused because:", "no\r", #""status":"rejected","by":"human","message":"no""#),
    ("f", "", "", #""status":"unhandled""#),
  ])
  func otherDecisions(key: String, sees: String, then: String, result: String) throws {
    let terminal = try person()
    ask(terminal)
    terminal.type(key)
    if !sees.isEmpty { #expect(terminal.sees(sees)) }
    terminal.type(then)
    #expect(sender.line()?.contains(result) == true)
    terminal.type("q")
    #expect(terminal.wait() == 0)
  }

  @Test func theEditorChangesThePayload() throws {
    let terminal = try person(editor: #"sed -i -e s/1.10/2.20/"#)
    let next = try server.peer(saying: #"{"op":"insert","handler":"next"}"#)
    ask(terminal, #"{"price":1.10,"left":"as it is"}"#)
    terminal.type("e")
    #expect(terminal.sees("changed: a sends it on as it stands here"))
    #expect(terminal.sees("a approve") && terminal.screen.text.contains(#""price": 2.20"#))
    terminal.type("a")
    #expect(next.line()?.contains(#""payload":{"price":2.20,"left":"as it is"}"#) == true)
    // An editor that fails changes nothing.
    terminal.send(SIGTERM)
    #expect(terminal.wait() == -SIGTERM)
  }

  @Test func anEditorThatFailsChangesNothing() throws {
    let terminal = try person(editor: "false")
    ask(terminal)
    terminal.type("e")
    #expect(terminal.sees("the editor (false) ended with 1; nothing was changed"))
    terminal.type("q")
    #expect(terminal.wait() == 0)
  }

  /// A second before the end of its time the link answers, so that no breaker opens.
  @Test func nobodyDecidesInTime() throws {
    let terminal = try person()
    sender.say(#"{"op":"send","id":1,"topic":"post.a","timeout_ms":1500}"#)
    #expect(sender.line()?.contains(#""status":"unhandled""#) == true)
    #expect(terminal.sees("too late; nothing was sent: nobody decided in time"))
    sender.say(#"{"op":"walks","id":2}"#)
    #expect(sender.line()?.contains(#""message":"nobody answered""#) == true)
    terminal.type("n")
    #expect(terminal.sees("Nothing waits."))
    terminal.type("q")
    #expect(terminal.wait() == 0)
  }

  @Test func aMessageThatIsCancelledIsTooLate() throws {
    let terminal = try person()
    ask(terminal)
    sender.say(#"{"op":"cancel","id":2,"request":1}"#)
    #expect(terminal.sees("too late; nothing was sent: the server has given it up"))
    terminal.type("aq")
    #expect(terminal.wait() == 0)
    #expect(sender.line()?.contains(#""status":"cancelled""#) == true)
  }

  @Test(arguments: ["q", "\u{3}"]) func whatWaitsFailsWhenThePersonLeaves(key: String) throws {
    let terminal = try person()
    ask(terminal)
    terminal.type(key)
    #expect(sender.line()?.contains(#""status":"unhandled""#) == true)
    #expect(terminal.wait() == 0)
    sender.say(#"{"op":"walks","id":2}"#)
    #expect(sender.line()?.contains(#""message":"the person has left""#) == true)
  }

  @Test func aLostServerIsToldAndComesBack() throws {
    let terminal = try person()
    ask(terminal)
    try server.kill()
    #expect(terminal.sees("too late; nothing was sent: the server has given it up, or the connection"))
    terminal.type("n")
    #expect(terminal.sees("not connected to"))
    try server.startAgain()
    #expect(terminal.sees("Nothing waits."))
    terminal.type("q")
    #expect(terminal.wait() == 0)
  }

  @Test func whoTakesThePlaceOverEndsIt() throws {
    let terminal = try person()
    let other = try server.peer(saying: #"{"op":"replace","handler":"human"}"#)
    #expect(terminal.wait() == 1)
    #expect(terminal.screen.text.contains("the place of human in main was removed, or somebody else has taken it"))
    withExtendedLifetime(other) {}
  }

  @Test func itNeedsATerminal() throws {
    let program = try server.run("ask")
    #expect(program.errorLine()?.contains("ask needs a terminal") == true)
    #expect(program.wait() == 64)
  }
}
