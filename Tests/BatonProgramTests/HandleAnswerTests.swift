import Foundation
import ProgramKit
import Testing

/// `baton handle` without a program, and what it refuses before it connects.
@Suite struct HandleAnswerTests {
  @Test(arguments: [
    (["--reply", #"{"a": 1}"#], #"{"op":"result","status":"handled","by":"h","payload":{"a": 1},"hops":1}"#),
    (["--reply", "Come in."], #"{"op":"result","status":"handled","by":"h","payload":"Come in.","hops":1}"#),
    (["--reject", "closed"], #"{"op":"result","status":"rejected","by":"h","message":"closed","hops":1}"#),
    (["--continue"], #"{"op":"result","status":"unhandled","hops":1}"#),
  ])
  func answersWithoutAProgram(_ options: [String], _ result: String) throws {
    let server = try RunningServer()
    let handler = try Program(["handle", "--server", server.address, ">", "--name", "h"] + options)
    try server.expectConnected(handler)
    #expect(try server.send("door.open", "3") == result)
    #expect(handler.line() == "door.open\t3")
    handler.send(SIGTERM)
    #expect(handler.wait() == 0)
  }

  @Test func jsonShowsTheOffers() throws {
    let server = try RunningServer()
    let handler = try server.handler(">", "--name", "h", "--continue", "--json")
    _ = try server.send("t", "3")
    let line = try #require(handler.line())
    #expect(
      line.hasPrefix(#"{"op":"offer","id":1,"walk":1,"chain":"main","handler":"h","topic":"t","payload":3,"#), "\(line)"
    )
  }

  @Test func settingsReachTheServer() throws {
    let server = try RunningServer()
    let first = try server.handler("a", "b.>", "--name", "first", "--reply", "1")
    let second = try server.handler(
      ">", "--name", "second", "--before", "first", "--timeout", "1500ms", "--window", "3", "--hold", "1m",
      "--required",
      "--on-failure", "timeout=stop,failed=continue", "--continue")
    let chains = try #require(try server.peer().ask(#"{"op":"inspect"}"#))
    let names = chains.matches(of: /"handler":"(\w+)"/).map { String($0.1) }
    #expect(names == ["second", "first"])
    #expect(chains.contains(#""accepts":["a","b.>"]"#))
    second.send(SIGKILL)
    #expect(second.wait() == -SIGKILL)
    withExtendedLifetime(first) {}
  }

  @Test func aNameIsTakenFromTheProgram() throws {
    let server = try RunningServer()
    let handler = try server.handler(">", "--", "/bin/echo", "hi")
    #expect(try server.send("t") == #"{"op":"result","status":"handled","by":"echo","payload":"hi","hops":1}"#)
    withExtendedLifetime(handler) {}
  }

  @Test(arguments: [
    ([">", "--name", "h"], "give either a program"),
    ([">", "--name", "h", "--reply", "1", "--", "true"], "give either a program"),
    (["--", "true"], "give the topics"),
    ([">", "--", "no-such-program-here"], "there is no program \"no-such-program-here\""),
    ([">", "--reply", "1"], "needs a name"),
    ([">", "--name", "h", "--reply", "1", "--continue"], "one of --reply, --continue and --reject"),
    ([">", "--name", "h", "--reply", "1", "--jobs", "2"], "need a program"),
    ([">", "--at", "front", "--rank", "1", "--", "true"], "one of --at, --before, --after and --rank"),
    ([">", "--timeout", "5x", "--", "true"], "5x"),
    ([">", "--on-failure", "explode", "--", "true"], "is not a policy"),
    ([">", "--jobs", "0", "--", "true"], "--jobs must be a number"),
    ([">", "--persistent", "--text", "--", "true"], "--text cannot be used"),
    ([">", "--shraed", "--", "true"], "--shared"),
  ])
  func whatIsWrongIsSaid(_ arguments: [String], _ words: String) throws {
    let program = try Program(["handle"] + arguments)
    let errors = program.remainingErrorLines().joined(separator: "\n")
    #expect(program.wait() == 64)
    #expect(errors.contains(words == "--shared" ? "--share" : words), "\(errors)")
  }

  @Test func whatTheServerRefusesEndsIt() throws {
    let server = try RunningServer()
    let first = try server.handler(">", "--name", "h", "--continue")
    let second = try Program(["handle", "--server", server.address, ">", "--name", "h", "--continue"])
    #expect(second.errorLine()?.contains("(name_taken)") == true)
    #expect(second.wait() == 1)
    withExtendedLifetime(first) {}
  }

  /// It waits for a server that is not there yet, and ends when it is told to.
  @Test func waitsForTheServer() throws {
    let server = try RunningServer()
    try server.kill()
    let handler = try Program(["handle", "--server", server.address, ">", "--name", "h", "--reply", "1"])
    #expect(handler.errorLine()?.contains("not connected to") == true)
    try server.startAgain()
    try server.expectConnected(handler)
    #expect(try server.send("t").contains(#""status":"handled""#))
    try server.kill()
    #expect(handler.errorLine()?.contains("not connected to") == true)
    handler.send(SIGTERM)
    #expect(handler.wait() == 0)
  }

  @Test func goesBeforeItEverConnected() throws {
    let server = try RunningServer()
    try server.kill()
    let handler = try Program(["handle", "--server", server.address, ">", "--name", "h", "--reply", "1"])
    #expect(handler.errorLine()?.contains("not connected to") == true)
    handler.send(SIGTERM)
    #expect(handler.wait() == 0)
  }
}
