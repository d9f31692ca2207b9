import Foundation
import ProgramKit
import Testing

/// `baton handle` with a program for each message.
@Suite struct HandleTests {
  @Test(arguments: [
    (#"echo "Come in.""#, #"{"op":"result","status":"handled","by":"h","payload":"Come in.","hops":1}"#),
    (
      #"echo "{\"b\": [1.50,"; echo "2]}""#,
      #"{"op":"result","status":"handled","by":"h","payload":{"b": [1.50, 2]},"hops":1}"#
    ),
    ("cat", #"{"op":"result","status":"handled","by":"h","payload":{"a":1e0},"hops":1}"#),
    ("true", #"{"op":"result","status":"handled","by":"h","hops":1}"#),
    ("exit 10", #"{"op":"result","status":"unhandled","hops":1}"#),
    ("echo 7; exit 10", #"{"op":"result","status":"unhandled","payload":7,"hops":1}"#),
    (
      "echo no >&2; echo way >&2; exit 11",
      #"{"op":"result","status":"rejected","by":"h","message":"no\nway","hops":1}"#
    ),
    (
      "echo why >&2; echo this >&2; exit 3",
      #"{"op":"result","status":"failed","by":"h","cause":"failed","message":"this","hops":1}"#
    ),
    (
      "exit 3",
      #"{"op":"result","status":"failed","by":"h","cause":"failed","message":"the program ended with exit code 3","hops":1}"#
    ),
    (
      "kill -KILL $$",
      #"{"op":"result","status":"failed","by":"h","cause":"failed","message":"the program was ended by signal 9","hops":1}"#
    ),
    (
      #"printf '\377'"#,
      #"{"op":"result","status":"failed","by":"h","cause":"failed","message":"the program's output is not UTF-8 text, and JSON allows no other; encode it, for instance with base64","hops":1}"#
    ),
    // By the same rule as what `send` is given: what begins like JSON was meant as JSON.
    (
      #"printf '{"a":'"#,
      #"{"op":"result","status":"failed","by":"h","cause":"failed","message":"the program's output begins like JSON and is not: line 1, column 6: it ends before it is complete; mend it, or take all output as text, with --text","hops":1}"#
    ),
    (
      #"echo '[1,]'; exit 10"#,
      #"{"op":"result","status":"failed","by":"h","cause":"failed","message":"the program's output begins like JSON and is not: line 1, column 3: a comma must be followed by another entry; mend it, or take all output as text, with --text","hops":1}"#
    ),
    // A process is left behind that keeps the output open.
    ("sleep 60 & echo 1", #"{"op":"result","status":"handled","by":"h","payload":1,"hops":1}"#),
    ("cat /dev/stdin", #"{"op":"result","status":"handled","by":"h","payload":{"a":1e0},"hops":1}"#),
  ])
  func exitCodesAreVerdicts(_ script: String, _ result: String) throws {
    let server = try RunningServer()
    let handler = try server.handler(">", "--name", "h", "--on-failure", "stop", "--", "sh", "-c", script)
    #expect(try server.send("t", #"{"a":1e0}"#) == result)
    handler.send(SIGTERM)
    #expect(handler.wait() == 0)
  }

  @Test func theEnvironmentTellsOfATryOfADurableMessage() throws {
    let fake = try FakeServer()
    let handler = try Program([
      "handle", ">", "--name", "h", "--server", fake.place, "--", "sh", "-c",
      "echo $BATON_STORED $BATON_TRY $BATON_RESENT $BATON_AGAIN $BATON_WHEN $BATON_TOGETHER",
    ])
    let peer = fake.take()
    peer.answer(FakeServer.welcome)
    peer.answer(#""op":"ok","chain":"main","handler":"h","rank":1,"position":1,"links":1,"version":1"#)
    let offer = #""walk":1,"chain":"main","handler":"h","topic":"t","timeout_ms":30000,"from":"a""#
    let marks = #""again":true,"when":"unknown","together":true"#
    peer.say(#"{"op":"offer","id":1,\#(offer),\#(marks),"stored":"s-9","try":2,"resent":"s-1"}"#)
    #expect(peer.line() == #"{"op":"handled","id":1,"payload":"s-9 2 s-1 1 unknown 1"}"#)
    peer.say(#"{"op":"offer","id":2,\#(offer)}"#)
    #expect(peer.line() == #"{"op":"handled","id":2}"#)
    handler.interrupt()
  }

  @Test func theEnvironmentTellsWhatIsKnown() throws {
    let server = try RunningServer()
    let handler = try server.handler(
      "door.*", "--name", "h", "--chain", "house", "--timeout", "5s", "--", "sh", "-c",
      "env | grep BATON_ | sort | tr '\\n' ' '")
    let sender = try server.peer()
    _ = sender.ask(#"{"op":"hello","name":"ann"}"#)
    let result = sender.ask(#"{"op":"send","topic":"door.open","chain":"house","key":"k","meta":{"a":"b c"}}"#)
    #expect(
      result == #"{"op":"result","status":"handled","by":"h","payload":"BATON_CHAIN=house BATON_FROM=ann "#
        + #"BATON_HANDLER=h BATON_KEY=k BATON_META={\"a\":\"b c\"} BATON_OP=offer BATON_SERVER=\#(server.address) "#
        + #"BATON_TIMEOUT_MS=5000 BATON_TOPIC=door.open BATON_WALK=1 BATON_WITHIN=1 ","hops":1,"walk":1}"#)
    withExtendedLifetime(handler) {}
  }

  /// Contract, section 4, "Messages that set off messages".
  @Test func whatAProgramSendsSaysHowManyMessagesLedToIt() throws {
    let server = try RunningServer()
    let script = "\(Program.path) send next -n --mode notify >/dev/null; \(Program.path) broadcast heard -n >/dev/null"
    let handler = try server.handler("first", "--name", "h", "--", "sh", "-c", script)
    let listener = try server.peer()
    _ = listener.ask(#"{"op":"insert","handler":"next","accepts":["next"]}"#)
    _ = listener.ask(#"{"op":"subscribe","topics":["heard"]}"#)
    let sender = try server.peer()
    _ = sender.ask(#"{"op":"send","topic":"first","within":3}"#)
    let lines = [listener.line(), listener.line()]
    #expect(lines[0]?.hasSuffix(#","topic":"next","from":"cli","within":4}"#) == true, "\(lines)")
    #expect(lines[1] == #"{"op":"event","topic":"heard","from":"cli","within":4}"#)
    withExtendedLifetime(handler) {}
  }

  @Test func whatTheEnvironmentSaysIsANumber() throws {
    let server = try RunningServer()
    let sent = try Program(["send", "t", "-n", "--server", server.address], environment: ["BATON_WITHIN=many"])
    #expect(sent.wait() == 64)
  }

  @Test func textIsGivenAndTakenAsItIs() throws {
    let server = try RunningServer()
    let handler = try server.handler(">", "--name", "h", "--text", "--", "tr", "a-z", "A-Z")
    #expect(try server.send("t", #""say \"hi\"\nto 1""#).contains(#""payload":"SAY \"HI\"\nTO 1","#))
    #expect(try server.send("t", "12").contains(#""payload":"12","#))
    withExtendedLifetime(handler) {}
  }

  @Test func standardErrorIsPassedOn() throws {
    let server = try RunningServer()
    let handler = try server.handler(">", "--name", "h", "--", "sh", "-c", "echo one >&2; printf two >&2; exit 4")
    _ = try server.send("t")
    #expect(handler.errorLine() == "one")
    #expect(handler.errorLine() == "two")
    #expect(handler.errorLine() == "h: t (walk 1): failed: two")
  }

  @Test func asManyRunAsThereAreJobs() throws {
    let (server, gate) = (try RunningServer(), try Gate())
    defer { gate.remove() }
    let script = #"echo "begins" >&2; cat "$0"; echo "ends" >&2"#
    let handler = try server.handler(
      ">", "--name", "h", "--jobs", "1", "--window", "2", "--", "sh", "-c", script, gate.path)
    let sender = try server.peer()
    for id in 1...2 { sender.say(#"{"op":"send","id":\#(id),"topic":"t"}"#) }
    for id in 1...2 {
      #expect(handler.errorLine() == "begins")
      try gate.open(with: "\(id)")
      #expect(handler.errorLine() == "ends")
    }
    #expect(Set([sender.line(), sender.line()].map { $0?.contains(#""status":"handled""#) }) == [true])
  }

  /// What does not fit is told at the start, and waits: no message fails for it.
  @Test func noMoreRunThanFilesMayBeOpen() throws {
    let server = try RunningServer()
    let handler = try Program(
      ["handle", ">", "--name", "h", "--jobs", "20", "--server", server.address, "--", "sh", "-c", "read x; echo $x"],
      limitingFilesTo: 40)
    #expect(
      handler.errorLine()
        == "baton: 40 files may be open, and 20 programs at once need 110 (ulimit -n 110); at most 2 at once")
    try server.expectConnected(handler)
    let sender = try server.peer()
    for id in 1...25 { sender.say(#"{"op":"send","id":\#(id),"topic":"t","payload":\#(id)}"#) }
    for _ in 1...25 { #expect(sender.line()?.contains(#""status":"handled""#) == true) }
  }

  @Test func theWindowFollowsTheJobs() throws {
    let (server, gate) = (try RunningServer(), try Gate())
    defer { gate.remove() }
    let handler = try server.handler(
      ">", "--name", "h", "--jobs", "2", "--", "sh", "-c", #"echo . >&2; cat "$0""#, gate.path)
    let sender = try server.peer()
    for id in 1...3 { sender.say(#"{"op":"send","id":\#(id),"topic":"t"}"#) }
    for _ in 1...2 { #expect(handler.errorLine() == ".") }
    let chains = try #require(try server.peer().ask(#"{"op":"inspect"}"#))
    #expect(chains.contains(#""open":2,"waiting":1,"#), "\(chains)")
  }

  /// Both the program and what it started ignore SIGTERM; the sender that waits for their verdict has gone.
  @Test(arguments: [
    #"trap "" TERM; sleep 60 & echo $$ $! >&2; wait"#, #"(trap "" TERM; sleep 60) & echo $$ $! >&2; wait"#,
  ])
  func aLapsedOfferEndsTheWholeGroup(_ script: String) throws {
    let server = try RunningServer()
    let handler = try server.handler(">", "--name", "h", "--", "sh", "-c", script)
    #expect(try server.send("t", "1", #","timeout_ms":300"#).contains(#""status":"timeout""#))
    let pids = try #require(handler.errorLine()).split(separator: " ").compactMap { Int32($0) }
    try #require(pids.count == 2)
    var line = handler.errorLine()
    while line?.contains("the offer lapsed") == false { line = handler.errorLine() }
    #expect(line == "h: t (walk 1): the offer lapsed or its connection was lost; the program was ended")
    for pid in pids { #expect(isGone(pid), "\(pid)") }
  }

  @Test func aLostConnectionEndsTheProgram() throws {
    let server = try RunningServer()
    let handler = try server.handler(">", "--name", "h", "--", "sh", "-c", "echo $$ >&2; exec sleep 60")
    let sender = try server.peer()
    sender.say(#"{"op":"send","topic":"t"}"#)
    let pid = try #require(handler.errorLine().flatMap { Int32($0) })
    try server.kill()
    var line = handler.errorLine()
    while line?.contains("the offer lapsed") == false { line = handler.errorLine() }
    #expect(line != nil)
    #expect(isGone(pid))
    handler.send(SIGTERM)
    #expect(handler.wait() == 0)
  }

  /// A handler that has one offer open, which it has given to this script, and that has had its first signal: it has left
  /// its link. And who sent the message.
  private func ending(
    _ server: RunningServer, _ script: String, _ argument: String = ""
  ) throws -> (Program, Peer) {
    let handler = try server.handler(
      ">", "--name", "h", "--", "sh", "-c", "echo begins >&2; " + script, argument)
    let (sender, listener) = (try server.peer(), try server.peer())
    _ = listener.ask(#"{"op":"subscribe","topics":["$baton.link.removed"]}"#)
    sender.say(#"{"op":"send","topic":"t"}"#)
    #expect(handler.errorLine() == "begins")
    handler.send(SIGTERM)
    #expect(listener.line()?.contains(#""handler":"h""#) == true)
    return (handler, sender)
  }

  /// Whoever has pressed Ctrl-C, and sees the program go on, learns what it waits for, and how to end it at once.
  @Test func theFirstSignalSaysWhatIsOpen() throws {
    let (server, gate) = (try RunningServer(), try Gate())
    defer { gate.remove() }
    let (handler, sender) = try ending(server, #"cat "$0""#, gate.path)
    #expect(
      handler.errorLine()
        == "baton: ends when 1 open offer has its answer; a second signal ends it at once, and the server takes them for lost"
    )
    try gate.open(with: "done")
    #expect(sender.line()?.contains(#""status":"handled","by":"h","payload":"done""#) == true)
    #expect(handler.wait() == 0)
  }

  @Test func drainingFinishesWhatIsOpen() throws {
    let (server, gate) = (try RunningServer(), try Gate())
    defer { gate.remove() }
    let (handler, sender) = try ending(server, #"cat "$0""#, gate.path)
    try gate.open(with: "done")
    #expect(sender.line()?.contains(#""status":"handled","by":"h","payload":"done""#) == true)
    #expect(handler.wait() == 0)
  }

  @Test func aSecondSignalEndsItAtOnce() throws {
    let server = try RunningServer()
    let (handler, sender) = try ending(server, "exec sleep 60")
    handler.send(SIGTERM)
    // The program that has the offer is ended, too, and that is told before it or behind it.
    #expect(
      handler.remainingErrorLines()
        .contains("baton: ended by a second signal with 1 offer open, which the server takes for lost"))
    #expect(handler.wait() == 1)
    #expect(sender.line()?.contains(#""status":"unhandled""#) == true)
  }

  /// Also if it has neither an offer open nor a connection on which one could come.
  @Test func aSecondSignalIsNoGoodEnd() throws {
    let fake = try FakeServer()
    let handler = try Program(["handle", ">", "--name", "h", "--server", fake.place, "--continue"])
    let peer = fake.take()
    peer.answer(FakeServer.welcome)
    peer.answer(#""op":"ok","chain":"main","handler":"h","rank":1,"position":1,"links":1,"version":1"#)
    handler.send(SIGTERM)
    // Its removal is not answered.
    #expect(peer.line()?.contains(#""op":"remove""#) == true)
    handler.send(SIGTERM)
    #expect(handler.remainingErrorLines().last == "baton: ended by a second signal")
    #expect(handler.wait() == 1)
  }

  @Test func aConnectionThatIsLostWhileItEndsIsToldIfOffersWereOpen() throws {
    let (server, gate) = (try RunningServer(), try Gate())
    defer { gate.remove() }
    let (handler, sender) = try ending(server, #"cat "$0""#, gate.path)
    defer { withExtendedLifetime(sender) {} }
    try server.kill()
    #expect(handler.remainingErrorLines().contains("baton: the connection was lost with 1 offer open"))
    #expect(handler.wait() == 3)
  }

  @Test func noticesRunTheProgramToo() throws {
    let server = try RunningServer()
    let handler = try server.handler(">", "--name", "h", "--", "sh", "-c", #"echo "$BATON_OP $(cat)" >&2"#)
    #expect(
      try server.peer().ask(#"{"op":"send","topic":"t","mode":"notify","payload":5}"#)?.contains(#""delivered":1"#)
        == true)
    #expect(handler.errorLine() == "notice 5")
  }

  /// The line would be too long for the server, which would close the connection.
  @Test(arguments: [("1100000", "the program wrote more than 1048576 bytes"), ("1048576", "the answer has 10486")])
  func anAnswerThatIsTooLongFails(_ bytes: String, _ words: String) throws {
    let server = try RunningServer()
    let handler = try server.handler(
      ">", "--name", "h", "--on-failure", "stop", "--", "sh", "-c", "head -c \(bytes) /dev/zero | tr '\\0' x")
    for walk in 1...2 {
      #expect(try server.send("t").contains(#""message":"\#(words)"#))
      #expect(handler.errorLine()?.hasPrefix("h: t (walk \(walk)): failed: \(words)") == true)
    }
    withExtendedLifetime(handler) {}
  }

  /// The server would answer it without its id.
  @Test func anAnswerThatIsNestedTooDeepFails() throws {
    let server = try RunningServer()
    let deep = String(repeating: "[", count: 200) + String(repeating: "]", count: 200)
    let words = "the answer is nested more than 128 deep"
    let handler = try server.handler(">", "--name", "h", "--on-failure", "stop", "--", "echo", deep)
    #expect(try server.send("t").contains(#""message":"\#(words)"#))
    #expect(handler.errorLine()?.hasPrefix("h: t (walk 1): failed: \(words)") == true)
    // With --json, too, the verdict is the one that the server gets.
    let other = try server.handler(
      ">", "--name", "j", "--chain", "j", "--on-failure", "stop", "--json", "--reply", deep)
    #expect(try server.send("t", nil, #","chain":"j""#).contains(#""message":"\#(words)"#))
    #expect(other.line()?.hasPrefix(#"{"op":"offer""#) == true)
    #expect(other.line()?.hasPrefix(#"{"op":"failed","id":1,"message":"\#(words)"#) == true)
    withExtendedLifetime(handler) {}
  }
}
