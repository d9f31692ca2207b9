import Foundation
import ProgramKit
import Testing

/// `baton doctor` and `baton healthcheck`.
@Suite struct DoctorTests {
  /// The limits on all peers together are given, because a small machine would lower them.
  private static let checked = ["reachable", "version", "clock", "files", "limits", "draining"].map { Substring($0) }

  private static let limits: KeyValuePairs = [
    "max_total_bytes": 1 << 30, "max_total_unsent_bytes": 3 << 20, "max_unfinished_bytes": 2 << 20,
    "max_total_patterns": 5000, "max_cached_bytes": 512,
  ]

  @Test func allIsWell() throws {
    let server = try RunningServer(set: Self.limits)
    let program = try server.run("doctor")
    let lines = program.remainingLines()
    #expect(lines.map { $0.split(separator: "\t")[1] } == Self.checked + ["findings"])
    let limits = "limits\t\tmax_total_bytes 1.0 GiB, max_total_unsent_bytes 3.0 MiB, max_unfinished_bytes 2.0 MiB, "
    #expect(lines.contains { $0.hasPrefix("ok\t" + limits) }, "\(lines)")
    #expect(lines.allSatisfy { $0.hasPrefix("ok\t") || $0.hasPrefix("warning\tfiles\t") }, "\(lines)")
    #expect(lines.last == "ok\tfindings\t\tthe server finds nothing wrong\t")
    #expect(program.wait() == 0)
    let json = try server.run("doctor", "--json")
    let line = try #require(json.line())
    #expect(
      line.hasPrefix(#"{"op":"doctor","server":"\#(server.address)","findings":[{"level":"ok","what":"reachable","#))
    #expect(try JSONSerialization.jsonObject(with: Data(line.utf8)) is [String: Any])
    #expect(json.remainingLines() == [])
    #expect(json.wait() == 0)
    let health = try server.run("healthcheck")
    #expect(health.remainingLines() + health.remainingErrorLines() == [])
    #expect(health.wait() == 0)
  }

  /// Who may see the server and no chain is told that there is something, and nothing of it.
  @Test func whatOneMayNotSeeIsCounted() throws {
    let file = freshPath() + ".yaml"
    defer { unlink(file) }
    let peers = "peers: { anonymous: { may: [see server] } }\n"
    try (peers + "chains: { hush: { links: [{ handler: a }, { handler: b }] } }\n")
      .write(toFile: file, atomically: false, encoding: .utf8)
    let server = try RunningServer(["--config", file])
    let doctor = try server.run("doctor")
    let lines = doctor.remainingLines()
    #expect(lines.last?.hasPrefix("warning\tfindings\t\t2 findings are about chains that you may not see\t") == true)
    #expect(!lines.contains { $0.contains("hush") || $0.contains("nothing wrong") })
    #expect(doctor.wait() == 0)
  }

  @Test func aFileLimitThatIsSmallIsNoted() throws {
    let server = try RunningServer(limitingFilesTo: 256)
    let doctor = try server.run("doctor")
    let line = doctor.remainingLines().first { $0.contains("\tfiles\t") }
    #expect(line?.hasPrefix("warning\tfiles\t\t1 connection, room for 192\tulimit -n ") == true)
    #expect(doctor.wait() == 0)
  }

  #if os(Linux)
    @Test func limitsThatWereLoweredAreNotedWithTheReason() throws {
      let server = try RunningServer(set: ["max_total_bytes": 5 << 20], limitingMemoryTo: 700 << 10)
      let doctor = try server.run("doctor")
      let line = doctor.remainingLines().first { $0.contains("\tlimits\t") }
      #expect(
        line?.hasPrefix("warning\tlimits\t\tmax_total_bytes 5.0 MiB, max_total_unsent_bytes ") == true, "\(line ?? "")")
      #expect(line?.contains("lowered, because the limit of the address space (ulimit -v) leaves") == true)
      #expect(doctor.wait() == 0)
      let peer = try server.peer()
      let facts = try #require(peer.ask(#"{"op":"inspect","server":true}"#))
      #expect(facts.contains(#""limits":{"max_total_bytes":5242880,"max_total_unsent_bytes":"#), "\(facts)")
      #expect(facts.contains(#"},"limits_lowered_by":"address_space","paused":[]}"#), "\(facts)")
    }
  #endif

  @Test(arguments: ["doctor", "healthcheck"])
  func nobodyIsThere(command: String) throws {
    let isDoctor = command == "doctor"
    let program = try Program([command, "--server", "unix:/nowhere/at/all"])
    let lines = isDoctor ? program.remainingLines() : program.remainingErrorLines()
    #expect(lines.count == 1)
    #expect(lines.first?.contains("start one with baton serve") == true)
    #expect(program.wait() == (isDoctor ? 3 : 1))
  }

  @Test(arguments: ["doctor", "healthcheck"])
  func nobodyAnswers(command: String) throws {
    let server = try FakeServer()
    let program = try Program([command, "--server", server.place, "--timeout", "50ms"])
    #expect(program.errorLine()?.hasPrefix("baton: no answer from \(server.place) within 50.0 ms") == true)
    #expect(program.wait() == (command == "doctor" ? 3 : 1))
  }

  @Test func somethingElseAnswers() throws {
    let server = try FakeServer()
    let program = try Program(["doctor", "--server", server.place])
    let peer = server.take()
    peer.say("HTTP/1.1 400 Bad Request\r")
    #expect(program.line()?.contains("what answers there speaks HTTP") == true)
    #expect(program.wait() == 3)
  }

  @Test func aServerThatGoesSaysSo() throws {
    let server = try RunningServer()
    let handler = try server.peer(saying: #"{"op":"insert","handler":"h"}"#)
    let sender = try server.peer(saying: #"{"op":"hello"}"#)
    sender.say(#"{"op":"send","topic":"t"}"#)
    #expect(handler.line()?.hasPrefix(#"{"op":"offer""#) == true)
    server.program.send(SIGTERM)
    #expect(handler.line()?.hasPrefix(#"{"op":"draining""#) == true)
    let doctor = try server.run("doctor")
    #expect(
      doctor.line()?.hasPrefix(
        "wrong\treachable\t\tthe server at \(server.address) refuses: the server is shutting down")
        == true)
    #expect(doctor.wait() == 1)
    let health = try server.run("healthcheck")
    #expect(health.errorLine()?.hasSuffix("(draining)") == true)
    #expect(health.wait() == 1)
  }

  /// It can be reached, and is not wrong.
  @Test func aServerThatTellsThisPeerNothingIsThere() throws {
    let server = try FakeServer()
    let program = try Program(["doctor", "--server", server.place])
    let peer = server.take()
    peer.answer(FakeServer.welcome + #","identity":"ann","may":[]"#)
    peer.answer(FakeServer.welcome + #","identity":"ann","may":[]"#)
    peer.answer(#""op":"error","code":"not_allowed","message":"ann needs \"see server\"""#)
    #expect(program.line()?.contains(" answers, and tells this peer nothing: ann needs ") == true)
    #expect(program.wait() == 1)
  }

  /// The server's own findings, from a server that the test plays.
  private static let findings =
    #"{"level":"wrong","what":"breaker","chain":"main","handler":"words","since_ms":12000,"why":"5 timeouts of 200 ms","#
    + #""next":"look at words"},{"level":"warning","what":"paused","connection":7,"name":"bob","why":"it does not read","#
    + #""next":"mend it"},{"level":"warning","what":"limit","limit":"max_links","why":"9 of 10","next":"more","new":1}"#

  /// Starts the doctor on a server with these answers to `hello`, `inspect` and `findings`.
  private func examine(
    _ arguments: [String] = [], protocol version: Int = 1, facts: String = "", findings: String
  ) throws -> Program {
    let server = try FakeServer()
    let program = try Program(["doctor", "--server", server.place] + arguments)
    let peer = server.take()
    let welcome =
      #""op":"welcome","server":"baton","version":"9.0.0","protocol":\#(version),"connection":1,"max_line":1048576"#
    peer.answer(welcome)
    peer.answer(welcome)
    peer.answer(#""op":"pong""#)
    peer.answer(
      #""op":"chains","chains":[],"server":{"connections":2,"file_limit":256,"uptime_ms":60000\#(facts),"paused":[]}"#)
    peer.answer(findings)
    // The program leaves when it has its answers.
    while peer.line() != nil {}
    return program
  }

  @Test func whatTheServerFindsIsTold() throws {
    let reply = #""op":"findings","findings":[\#(Self.findings)],"more":true"#
    let program = try examine(findings: reply)
    #expect(
      program.remainingLines().suffix(4) == [
        "wrong\tbreaker\tmain/words\t5 timeouts of 200 ms\tlook at words",
        "warning\tpaused\tconnection 7 (bob)\tit does not read\tmend it",
        "warning\tlimit\tmax_links\t9 of 10\tmore", "warning\tfindings\t\tthe server has found more of the same\t",
      ])
    #expect(program.wait() == 1)
    let json = try examine(["--json"], findings: reply)
    #expect(json.line()?.contains(Self.findings + #",{"level":"warning","what":"findings","#) == true)
    #expect(json.wait() == 1)
  }

  @Test func warningsAreNoFault() throws {
    let program = try examine(
      findings: #""op":"findings","findings":[{"level":"hint","what":"later","why":"w","next":"n"}]"#)
    #expect(program.remainingLines().last == "warning\tlater\t\tw\tn")
    #expect(program.wait() == 0)
  }

  @Test func anOlderServerIsNamed() throws {
    let program = try examine(findings: #""op":"error","code":"unknown_op","message":"no""#)
    #expect(
      program.remainingLines().last?.hasPrefix("warning\tfindings\t\tthe server is older than this program") == true)
    #expect(program.wait() == 0)
  }

  @Test func whatOnlyAClientSees() throws {
    let facts = #","draining":true,"limits":{"max_total_bytes":1500000000},"limits_lowered_by":"cgroup""#
    let program = try examine(protocol: 2, facts: facts, findings: #""op":"findings","findings":[]"#)
    let lines = program.remainingLines().map { $0.split(separator: "\t", omittingEmptySubsequences: false) }
    #expect(lines.map { $0[1] } == Self.checked + ["findings"])
    #expect(lines.map { $0[0] } == ["ok", "wrong", "ok", "warning", "warning", "wrong", "ok"])
    for line in lines where line[0] != "ok" { #expect(!line[4].isEmpty, "\(line)") }
    #expect(lines[2][3].hasSuffix("; up for 1 min"))
    #expect(program.wait() == 1)
  }

  @Test func marksForPeople() throws {
    let server = try RunningServer(set: ["breaker_offers": 1])
    let slow = try server.peer(saying: #"{"op":"insert","handler":"slow","timeout_ms":20}"#)
    _ = try server.send("door.open")
    let terminal = try server.show("doctor", columns: 200)
    #expect(terminal.wait() == 1)
    let line = terminal.screen.lines.firstIndex { $0.hasPrefix("✗ breaker main/slow: ") }
    #expect(line.map { terminal.screen.lines[$0 + 1].hasPrefix("  → ") } == true, "\(terminal.screen.text)")
    withExtendedLifetime(slow) {}
  }

  @Test(arguments: [40, 80, 200])
  func forPeople(columns: Int) throws {
    let server = try RunningServer(set: Self.limits)
    let terminal = try server.show("doctor", columns: columns)
    #expect(terminal.wait() == 0)
    // A small limit of files is a warning, which comes first.
    #expect(terminal.screen.lines.contains { $0.hasPrefix("✓ reachable: baton ") })
    #expect((terminal.screen.lines.count == 7) == (columns > 100))
    #expect(terminal.screen.faults == [])
  }

  /// A guard that is not there, among a thousand links of which many are in trouble, is seen on one screen.
  @Test func troubleFitsOnOneScreen() throws {
    let file = freshPath() + ".yaml"
    defer { unlink(file) }
    let places = (1...999).map { "    - { handler: h\($0) }" }.joined(separator: "\n")
    try
      ("open: local\nchains:\n  main:\n    links:\n" + places.replacing("    -", with: "      -")
      + "\n      - { handler: guard, required: true, on_failure: stop }\n")
      .write(toFile: file, atomically: false, encoding: .utf8)
    let server = try RunningServer(["--config", file], set: Self.limits)
    let terminal = try server.show("doctor", columns: 80)
    #expect(terminal.wait() == 1)
    let lines = terminal.screen.lines.filter { !$0.isEmpty }
    let worst = "✗ absent main/guard: no handler serves it, and it is"
    #expect(lines.first?.hasPrefix(worst) == true, "\(terminal.screen.text)")
    #expect(lines.contains { $0.contains(" more of empty: baton doctor | cat") }, "\(terminal.screen.text)")
    #expect(lines.count < 24 && terminal.screen.faults == [])
    // A pipe has all of them, in the order of the checks.
    let program = try server.run("doctor")
    let told = program.remainingLines()
    #expect(told.count { $0.hasPrefix("wrong\tabsent\t") } == 1)
    #expect(told.count { $0.hasPrefix("wrong\tempty\t") } == 20)
    #expect(program.wait() == 1)
  }
}
