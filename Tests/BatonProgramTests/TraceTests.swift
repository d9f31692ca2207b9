import Foundation
import ProgramKit
import Testing

/// `baton trace`: walks as they end, for people and for programs.
@Suite struct TraceTests {
  private let server: RunningServer
  private let porter: Peer
  private let sender: Peer

  init() throws {
    server = try RunningServer()
    porter = try server.peer(saying: #"{"op":"insert","handler":"porter","accepts":["door.>"]}"#)
    sender = try server.peer(saying: #"{"op":"hello","name":"anna"}"#)
  }

  /// Sends a message, which the porter takes if it accepts the topic.
  private func send(_ topic: String) {
    sender.say(#"{"op":"send","topic":"\#(topic)"}"#)
    if topic.hasPrefix("door.") {
      _ = porter.line()
      porter.say(#"{"op":"handled"}"#)
    }
    _ = sender.line()
  }

  @Test(arguments: [80, 200]) func aLineForEachWalk(columns: Int) throws {
    let terminal = try server.show("trace", columns: columns)
    #expect(terminal.sees("TOTAL"))
    send("door.open")
    send("\\u202elate.\\u3042\\u3042")
    #expect(terminal.sees("unhandled"))
    let lines = terminal.screen.lines
    #expect(terminal.screen.faults == [])
    let handled = /^\d\d:\d\d:\d\d\.\d\d\d +1 .*door\.open +anna +handled +porter .*( µs| ms)$/
    #expect(lines.contains { $0.contains(handled) })
    #expect(lines.contains { $0.contains(/\ 2 .*\\u\{202E\}lat.*anna +unhandled/) })
    #expect(lines.contains { $0.contains("late.ああ") } == (columns == 200))
    terminal.type("\u{3}")
    #expect(terminal.wait() == -SIGINT)
  }

  @Test func aPipeGetsTabs() throws {
    let program = try server.run("trace", "--hops", "-n", "1")
    #expect(program.line() == "time\twalk\tchain\ttopic\tfrom\tstatus\tby\thops\ttotal_us")
    send("door.open")
    let line = try #require(program.line())
    #expect(
      line.wholeMatch(
        of: /\d+-\d\d-\d\dT\d\d:\d\d:\d\d\.\d\d\dZ\t1\tmain\tdoor\.open\tanna\thandled\tporter\t1\t\d+/) != nil)
    #expect(program.line()?.wholeMatch(of: /hop\t1\tmain\tporter\thandled\t\t\d+\t\d+\t\t/) != nil)
    #expect(program.line() == nil)
    #expect(program.wait() == 0)
  }

  @Test func hopsAreIndented() throws {
    let terminal = try server.show("trace", "--hops", "-n", "1", columns: 80)
    #expect(terminal.sees("TOTAL"))
    send("door.open")
    #expect(terminal.wait() == 0)
    let hop = terminal.screen.lines.last { !$0.isEmpty }
    #expect(hop?.contains(/^    main\/porter  handled  waited .* took \d/) == true)
    #expect(terminal.screen.faults == [])
  }

  @Test func filtersLeaveTheOthersOut() throws {
    let other = try server.peer(saying: #"{"op":"insert","handler":"cook","chain":"kitchen"}"#)
    let byTopic = try server.run("trace", "--topic", "door.*", "-n", "1")
    let byChain = try server.run("trace", "--chain", "kitchen", "-n", "1")
    let bySlowness = try server.run("trace", "--slower-than", "86400000", "-n", "1")
    for program in [byTopic, byChain, bySlowness] { #expect(program.line()?.hasPrefix("time\t") == true) }
    send("window.open")
    send("door.open")
    sender.say(#"{"op":"send","topic":"soup","chain":"kitchen"}"#)
    _ = other.line()
    other.say(#"{"op":"continue"}"#)
    _ = sender.line()
    #expect(byTopic.line()?.contains("\tdoor.open\t") == true)
    #expect(byChain.line()?.contains("\tkitchen\tsoup\t") == true)
    #expect(byTopic.wait() == 0)
    #expect(byChain.wait() == 0)
    bySlowness.send(SIGTERM)
    #expect(bySlowness.line() == nil)
  }

  /// Nothing comes here that the program would have to leave out: the server does it, and says how much.
  @Test func theServerChoosesAndTellsWhatItLeftOut() throws {
    let program = try server.run("trace", "--status", "handled", "--from", "anna", "--per-second", "1")
    #expect(program.line()?.hasPrefix("time\t") == true)
    let other = try server.peer(saying: #"{"op":"hello","name":"otto"}"#)
    #expect(other.ask(#"{"op":"send","topic":"window.open"}"#)?.contains("unhandled") == true)
    send("window.open")
    for _ in 0..<3 { send("door.open") }
    #expect(program.line()?.contains("\tdoor.open\tanna\thandled\t") == true)
    var line = program.errorLine()
    while let other = line, !other.hasPrefix("left out") { line = program.errorLine() }
    #expect(line == "left out 2")
    program.send(SIGTERM)
    #expect(program.line() == nil)
  }

  @Test func jsonIsTheEventsPayload() throws {
    let program = try server.run("trace", "--json", "-n", "1")
    while sender.ask(#"{"op":"inspect","server":true}"#)?.contains(#""subscriptions":1"#) == false {}
    send("door.open")
    #expect(program.line()?.hasPrefix(#"{"walk":1,"chain":"main","topic":"door.open","from":"anna","#) == true)
    #expect(program.wait() == 0)
  }

  @Test func whatWasMissedIsTold() throws {
    let server = try RunningServer(at: ["unix:"], set: ["events_unsent_bytes": 4096])
    let program = try server.run("trace")
    #expect(program.line()?.hasPrefix("time\t") == true)
    let sender = try server.peer()
    program.send(SIGSTOP)
    let topic = String(repeating: "t", count: 250)
    for _ in 0..<5000 { sender.say(#"{"op":"send","topic":"\#(topic)","reply":false}"#) }
    #expect(sender.ask(#"{"op":"ping"}"#) == #"{"op":"pong"}"#)
    program.send(SIGCONT)
    // What was queued comes first. The next event tells how many were missed.
    sender.say(#"{"op":"send","topic":"a","reply":false}"#)
    while let line = program.line(), !line.contains("\ta\t") {}
    program.send(SIGTERM)
    #expect(program.remainingErrorLines().contains { $0.wholeMatch(of: /missed [1-9]\d*/) != nil })
  }

  @Test(arguments: [
    (["--topic", "a..b"], "has an empty word at byte 2"), (["-n", "0"], "from 1"),
    (["--slower-than=-1"], "is not a time"),
    (["--slower-than", "86400001"], "to 86400000"), (["--per-second", "0"], "from 1"),
    (["--status", "good"], "status"),
  ])
  func wrongOptions(arguments: [String], message: String) throws {
    let program = try Program(["trace"] + arguments)
    #expect(program.remainingErrorLines().first?.contains(message) == true)
    #expect(program.wait() == 64)
  }
}
