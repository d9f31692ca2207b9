import Foundation
import ProgramKit
import Testing

/// `baton broadcast` and `baton subscribe`.
@Suite struct BroadcastTests {
  private let server: RunningServer

  init() throws { server = try RunningServer() }

  /// A subscriber that has subscribed.
  private func subscriber(_ arguments: String...) throws -> Program {
    let watcher = try server.peer(saying: #"{"op":"hello"}"#)
    let program = try Program(["subscribe", "--server", server.address] + arguments)
    // The number of deliveries shows when it is there.
    while watcher.ask(#"{"op":"broadcast","topic":"probe"}"#) != #"{"op":"ok","delivered":1}"# {}
    return program
  }

  @Test func eventsAreLinesAndTheyEndAfterSoMany() throws {
    let program = try subscriber("door.*", "probe", "-n", "4")
    #expect(program.line() == "probe\t")
    for (payload, wanted) in [(#"{"a": 1}"#, #"{"a": 1}"#), ("Ann", #""Ann""#)] {
      let sender = try server.run("broadcast", "door.opened", payload, "--no-echo", "--meta", "1")
      #expect(sender.remainingLines() == ["1"])
      #expect(sender.wait() == 0)
      #expect(program.line() == "door.opened\t\(wanted)")
    }
    #expect(try server.run("broadcast", "chat").remainingLines() == ["0"])
    #expect(try server.run("broadcast", "door.closed").wait() == 0)
    #expect(program.remainingLines() == ["door.closed\t"])
    #expect(program.remainingErrorLines() == [])
    #expect(program.wait() == 0)
  }

  @Test func jsonIsTheEvent() throws {
    let program = try subscriber("probe", "--json", "-n", "1")
    #expect(program.line()?.hasPrefix(#"{"op":"event","topic":"probe","from":"#) == true)
    #expect(program.wait() == 0)
  }

  @Test func theTimeIsUp() throws {
    let program = try server.run("subscribe", "t", "--timeout", "20ms")
    #expect(program.remainingErrorLines() == [])
    #expect(program.wait() == 4)
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func aSignalEndsItQuietly(signal: Int32) throws {
    let program = try subscriber("probe")
    program.send(signal)
    #expect(program.wait() == -signal)
    #expect(program.remainingErrorLines() == [])
  }

  @Test func itEndsWithItsReaderWithoutAnotherEvent() throws {
    let program = try subscriber("probe")
    #expect(program.line() == "probe\t")
    program.stopReading()
    #expect([0, -SIGPIPE].contains(program.wait()))
    #expect(program.remainingErrorLines() == [])
  }

  @Test func whatWasMissedIsSaid() throws {
    let server = try RunningServer(set: ["events_unsent_bytes": 65536])
    let words = [Program.path, "subscribe", "t", "--server", server.address]
    let program = try Program(["-c", "exec \"$@\" > /dev/null", "sh"] + words, path: "/bin/sh")
    let sender = try server.peer(saying: #"{"op":"hello"}"#)
    while sender.ask(#"{"op":"broadcast","topic":"t"}"#) != #"{"op":"ok","delivered":1}"# {}
    program.send(SIGSTOP)
    let line = #"{"op":"broadcast","topic":"t","payload":"\#(String(repeating: "x", count: 500_000))"}"#
    while sender.ask(line) == #"{"op":"ok","delivered":1}"# {}
    program.send(SIGCONT)
    while sender.ask(#"{"op":"broadcast","topic":"t","payload":"end"}"#) != #"{"op":"ok","delivered":1}"# {}
    #expect(program.errorLine()?.wholeMatch(of: /missed [0-9]+/) != nil)
  }

  @Test func aServerThatComesBackIsHeardAgain() throws {
    let program = try subscriber("probe")
    #expect(program.line() == "probe\t")
    try server.kill()
    #expect(program.errorLine()?.hasPrefix("baton: not connected to tcp ") == true)
    try server.startAgain()
    let sender = try server.peer(saying: #"{"op":"hello"}"#)
    while sender.ask(#"{"op":"broadcast","topic":"probe","payload":2}"#) != #"{"op":"ok","delivered":1}"# {}
    #expect(program.line() == "probe\t2")
  }

  @Test func viaAChain() throws {
    let moderator = try server.peer(saying: #"{"op":"insert","chain":"mod","handler":"m"}"#)
    let passed = try server.run("broadcast", "t", "1", "--via", "mod", "--key", "k", "--timeout", "5")
    #expect(moderator.line()?.contains(#""for":"broadcast""#) == true)
    moderator.say(#"{"op":"continue"}"#)
    #expect(passed.remainingLines() == ["0"])
    #expect(passed.wait() == 0)
    let rejected = try server.run("broadcast", "t", "1", "--via", "mod")
    #expect(moderator.line() != nil)
    moderator.say(#"{"op":"reject","message":"no"}"#)
    #expect(rejected.errorLine()?.hasPrefix("baton: rejected by m: no (1 hop, ") == true)
    #expect(rejected.wait() == 11)
    let spam = try server.peer(saying: #"{"op":"insert","chain":"mod","handler":"spam","at":"front"}"#)
    let afterAFailure = try server.run("broadcast", "t", "1", "--via", "mod")
    _ = spam.line()
    spam.say(#"{"op":"failed"}"#)
    _ = moderator.line()
    moderator.say(#"{"op":"reject"}"#)
    #expect(afterAFailure.errorLine()?.hasPrefix("baton: rejected by m (2 hops, ") == true)
    #expect(afterAFailure.remainingErrorLines() == ["  mod/spam failed"])
  }

  @Test func forPeople() throws {
    let terminal = try server.show("subscribe", "t", "-n", "1", columns: 80)
    #expect(terminal.sees("subscribed to t; Ctrl-C ends"))
    let sender = try server.show("broadcast", "t", "3", columns: 80)
    #expect(sender.wait() == 0)
    #expect(sender.screen.lines.first?.hasPrefix("delivered to 1 (") == true)
    #expect(terminal.wait() == 0)
  }
}

/// `--retain`, `--retained`, `--after`: what the server keeps.
@Suite struct LastingBroadcastTests {
  @Test func aValueStaysUntilItIsTakenAway() throws {
    let server = try RunningServer()
    #expect(try server.run("broadcast", "light.a", "on", "--retain").remainingLines() == ["0"])
    #expect(try server.run("broadcast", "light.b", "2", "--retain").remainingLines() == ["0"])
    #expect(
      try server.run("subscribe", "light.*", "--retained", "-n", "2").remainingLines() == [
        "light.a\t\"on\"", "light.b\t2",
      ])
    #expect(try server.run("broadcast", "light.a", "-n", "--retain").wait() == 0)
    #expect(try server.run("subscribe", "light.*", "--retained", "-n", "1").remainingLines() == ["light.b\t2"])
  }

  /// What --json prints is all that --after and --epoch need.
  @Test func aLineLeadsBackToItsEvent() throws {
    let file = freshPath() + ".yaml"
    defer { unlink(file) }
    try "open: local\ntopics: [{ pattern: 'chat.>', keep: 10 }]\n"
      .write(toFile: file, atomically: false, encoding: .utf8)
    let server = try RunningServer(["--config", file])
    let program = try server.run("subscribe", "chat.a", "--json", "-n", "1")
    let sender = try server.peer(saying: #"{"op":"hello"}"#)
    while sender.ask(#"{"op":"broadcast","topic":"chat.a","payload":5}"#)?.contains(#""delivered":1"#) != true {}
    let line = try #require(program.remainingLines().first)
    let found = try #require(line.firstMatch(of: /"seq":([0-9]+),"epoch":"([^"]+)"}$/))
    let before = try #require(Int(found.1)) - 1
    let again = try server.run(
      "subscribe", "chat.a", "--json", "-n", "1", "--after", "\(before)", "--epoch", String(found.2))
    #expect(again.remainingLines() == [line])
  }

  @Test func anotherEpochIsAHole() throws {
    let server = try RunningServer()
    #expect(try server.run("broadcast", "light.a", "1", "--retain").wait() == 0)
    let program = try server.run("subscribe", "t", "--after", "3", "--epoch", "x", "-n", "1")
    let sender = try server.peer(saying: #"{"op":"hello"}"#)
    while sender.ask(#"{"op":"broadcast","topic":"t","payload":5}"#) != #"{"op":"ok","delivered":1}"# {}
    #expect(program.remainingLines() == ["t\t5"])
    #expect(program.remainingErrorLines() == ["this program may have missed kept events, which are gone"])
  }

  @Test(arguments: [
    (["--after", "3"], "--after and --epoch belong together"),
    (["--retained", "--after", "3", "--epoch", "x"], "give only one of --retained and --after"),
  ])
  func whatDoesNotGoTogether(arguments: [String], words: String) throws {
    let program = try Program(["subscribe", "t"] + arguments)
    #expect(program.remainingErrorLines().joined().contains(words))
    #expect(program.wait() == 64)
  }
}
