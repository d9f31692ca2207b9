import Foundation
import ProgramKit
import Testing

/// `baton doctor` and `baton healthcheck`.
@Suite struct DoctorTests {
  /// The limits on all peers together are given, because a small machine would lower them.
  private static let limits: KeyValuePairs = [
    "max_total_bytes": 1 << 30, "max_total_unsent_bytes": 3 << 20, "max_unfinished_bytes": 2 << 20,
    "max_total_patterns": 5000, "max_cached_bytes": 512,
  ]

  @Test func allIsWell() throws {
    let server = try RunningServer(set: Self.limits)
    let program = try server.run("doctor")
    let lines = program.remainingLines()
    #expect(
      lines.map { $0.split(separator: "\t")[1] }
        == ["server", "version", "files", "memory", "limits", "draining", "reading"])
    let limits = "limits\tmax_total_bytes 1.0 GiB, max_total_unsent_bytes 3.0 MiB, max_unfinished_bytes 2.0 MiB, "
    #expect(lines[4].hasPrefix("ok\t" + limits), "\(lines[4])")
    #expect(lines.allSatisfy { $0.hasPrefix("ok\t") || $0.hasPrefix("note\tfiles\t") }, "\(lines)")
    #expect(program.wait() == 0)
    let json = try server.run("doctor", "--json")
    #expect(json.line()?.hasPrefix(#"{"op":"welcome","#) == true)
    #expect(json.line()?.hasPrefix(#"{"op":"chains","#) == true)
    #expect(json.remainingLines() == [])
    #expect(json.wait() == 0)
    let health = try server.run("healthcheck")
    #expect(health.remainingLines() + health.remainingErrorLines() == [])
    #expect(health.wait() == 0)
  }

  @Test func aFileLimitThatIsSmallIsNoted() throws {
    let server = try RunningServer(limitingFilesTo: 256)
    let doctor = try server.run("doctor")
    let line = doctor.remainingLines().first { $0.contains("\tfiles\t") }
    #expect(line?.hasPrefix("note\tfiles\t1 connection, room for 192\tulimit -n ") == true)
    #expect(doctor.wait() == 0)
  }

  #if os(Linux)
    @Test func limitsThatWereLoweredAreNotedWithTheReason() throws {
      let server = try RunningServer(set: ["max_total_bytes": 5 << 20], limitingMemoryTo: 700 << 10)
      let doctor = try server.run("doctor")
      let line = doctor.remainingLines().first { $0.contains("\tlimits\t") }
      #expect(
        line?.hasPrefix("note\tlimits\tmax_total_bytes 5.0 MiB, max_total_unsent_bytes ") == true, "\(line ?? "")")
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
    #expect(program.line()?.contains("it is no Baton server") == true)
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
      doctor.line()?.hasPrefix("wrong\tserver\tthe server at \(server.address) refuses: the server is shutting down")
        == true)
    #expect(doctor.wait() == 1)
    let health = try server.run("healthcheck")
    #expect(health.errorLine()?.hasSuffix("(draining)") == true)
    #expect(health.wait() == 1)
  }

  /// Every kind of trouble at once, from a server that the test plays.
  @Test func everyTroubleHasItsRemedy() throws {
    let server = try FakeServer()
    let program = try Program(["doctor", "--server", server.place])
    let peer = server.take()
    answer(peer, #""op":"welcome","server":"baton","version":"9.0.0","protocol":2,"connection":1,"max_line":1048576"#)
    answer(peer, #""op":"welcome","server":"baton","version":"9.0.0","protocol":2,"connection":1,"max_line":1048576"#)
    answer(
      peer,
      #""op":"chains","chains":[],"server":{"connections":190,"open":3,"open_bytes":1000000000,"unsent_bytes":5,"#
        + #""memory_bytes":2000000000,"file_limit":256,"draining":true,"limits":{"max_total_bytes":1500000000},"#
        + #""limits_lowered_by":"cgroup","paused":["#
        + #"{"connection":"ann","why":"messages","for_ms":1500,"open":3,"unsent_bytes":0},"#
        + #"{"connection":"bob","why":"unsent","for_ms":2000,"open":0,"unsent_bytes":77},"#
        + #"{"connection":"cid","why":"messages","for_ms":3,"open":3,"unsent_bytes":0}]}"#)
    let lines = program.remainingLines().map { $0.split(separator: "\t", omittingEmptySubsequences: false) }
    let subjects = lines.map { $0[1] }
    #expect(subjects == ["server", "version", "files", "memory", "limits", "draining", "reading", "reading"])
    for line in lines.dropFirst() {
      #expect(line[0] == (line[1] == "limits" ? "note" : "wrong"))
      #expect(!line[3].isEmpty, "\(line)")
    }
    #expect(lines.last?[2].hasPrefix("the server has not read from bob for 2.0 s: it does not read; 77 bytes") == true)
    #expect(program.wait() == 1)
  }

  /// Reads a request, and answers it with these members and its id.
  private func answer(_ peer: Peer, _ members: String) {
    let id = peer.line()?.firstMatch(of: /"id":([0-9]+)/)?.1 ?? "0"
    peer.say("{\(members),\"id\":\(id)}")
  }

  @Test(arguments: [40, 80, 200])
  func forPeople(columns: Int) throws {
    let server = try RunningServer(set: Self.limits)
    let terminal = try server.show("doctor", columns: columns)
    #expect(terminal.wait() == 0)
    #expect(terminal.screen.lines.first?.hasPrefix("✓ server: baton ") == true)
    #expect((terminal.screen.lines.count == 7) == (columns > 100))
    #expect(terminal.screen.faults == [])
  }
}
