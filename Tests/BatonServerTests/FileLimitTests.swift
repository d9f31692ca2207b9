import Foundation
import ProgramKit
import Testing

/// The limits of files and of connections, when the program starts and when they are reached. Newcomers are told. The
/// log says once what to do. There is room again as soon as there are descriptors (Docs/settings.md, "What is not
/// read, refused, or lost").
@Suite struct FileLimitTests {
  @Test func isSaidWithWhatToDo() throws {
    let program = try Program(["serve", "--port", "0"], limitingFilesTo: 100)
    var lines: [String] = []
    while let line = program.line(), !line.hasPrefix("limits: ") { lines.append(line) }
    let words = "except 2 lowered to what there is (max_connections, max_http_connections)"
    #expect(lines.last?.contains(words) == true, "\(lines)")
  }

  @Test func theLimitsSayHowToHaveMore() throws {
    let program = try Program(["serve", "--port", "0"], limitingFilesTo: 100)
    var line = program.line()
    while let other = line, !other.hasPrefix("limits: ") { line = program.line() }
    // Of 36, HTTP has half: 9 sockets that ask, and 9 that end.
    #expect(line?.contains("18 connections and 9 sockets of HTTP (10000 and 1000 need ulimit -n 13032)") == true)
  }

  @Test func tooLowToStartIsSaidWithWhatToDo() throws {
    var failures = 0
    let store = freshPath()
    defer { for end in ["", "-wal", "-shm", ".mark"] { unlink(store + end) } }
    for (files, rest) in (3...16).flatMap({ [($0, []), ($0, ["--store", store])] }) {
      let program = try Program(["serve", "--port", "0"] + rest, limitingFilesTo: files)
      // With a lower limit the program cannot even be loaded.
      guard program.line()?.hasPrefix("baton ") == true else {
        #expect([1, 127].contains(program.wait()), "\(files)")
        continue
      }
      if program.line() != nil {
        // The limit is just high enough.
        program.send(SIGTERM)
        #expect(program.wait() == 0)
        continue
      }
      failures += 1
      let lines = program.remainingErrorLines()
      #expect(!lines.isEmpty && lines.allSatisfy { $0.contains("ulimit -n") }, "\(files): \(lines)")
      #expect(program.wait() == 1)
    }
    #expect(failures > 0)
  }

  /// Refused connections linger for a second. Whether they leave a descriptor for the next one depends on who is faster; it is
  /// told in either case.
  @Test func everyOneOfACrowdIsLetInOrTold() throws {
    let server = try RunningServer(limitingFilesTo: 80)
    var crowd = try (0..<300).map { _ in try server.peer() }
    let answers = crowd.map { $0.ask(#"{"op":"ping"}"#) }
    #expect(answers.prefix(16).allSatisfy { $0 == #"{"op":"pong"}"# }, "\(answers.prefix(18))")
    #expect(answers.dropFirst(16).allSatisfy { $0?.contains(#""code":"too_many_connections""#) == true })
    #expect(crowd[0].ask(#"{"op":"ping"}"#) == #"{"op":"pong"}"#)
    crowd = []
    #expect(try answerOnceThereIsRoom(at: server) == #"{"op":"pong"}"#)
    try expectOneWarning(of: server, "ulimit -n")
  }

  @Test func pastTheLimitOfConnectionsAllAreToldAndTheLogSaysItOnce() throws {
    let server = try RunningServer(set: ["max_connections": 2])
    let early = try [server.peer(), server.peer()]
    for peer in early { #expect(peer.ask(#"{"op":"ping"}"#) == #"{"op":"pong"}"#) }
    let late = try (0..<50).map { _ in try server.peer() }
    for peer in late { #expect(peer.line()?.contains(#""code":"too_many_connections""#) == true) }
    try expectOneWarning(of: server, "max_connections is reached")
  }

  /// Ends the server. Its log must have said, with these words and once for each reason, that newcomers were turned away.
  private func expectOneWarning(of server: RunningServer, _ words: String...) throws {
    server.program.send(SIGTERM)
    let lines = server.program.remainingErrorLines().filter { $0.contains("new connections are refused") }
    let reasons = Set(lines.map { $0.contains("max_connections is reached") })
    #expect(!lines.isEmpty && reasons.count == lines.count, "\(lines)")
    for word in words { #expect(lines.contains { $0.contains(word) }, "\(lines)") }
    #expect(server.program.wait() == 0)
  }

  #if os(Linux)
    @Test(arguments: ["127.0.0.1:0", "unix:"])
    func aLimitLoweredBelowWhatIsOpenIsToldAndRaisedAgain(endpoint: String) throws {
      let server = try RunningServer(at: [endpoint], limitingFilesTo: 1000)
      let program = server.program
      let taken = try program.openFiles()
      let own = try #require((0...).first { !taken.contains($0) })
      let early = try (0..<20).map { _ in try server.peer() }
      for peer in early { #expect(peer.ask(#"{"op":"ping"}"#) == #"{"op":"pong"}"#) }

      try limitFiles(of: program, to: own)
      for _ in 0..<40 {
        let late = try server.peer()
        // It has sent nothing yet: a peer that only connects is told too.
        try #require(late.line()?.contains(#""code":"too_many_connections""#) == true)
        #expect(late.line() == nil)
      }
      try waitUntilAsleep(program)
      for peer in early { #expect(peer.ask(#"{"op":"ping"}"#) == #"{"op":"pong"}"#) }

      try limitFiles(of: program, to: 1000)
      #expect(try server.peer().ask(#"{"op":"ping"}"#) == #"{"op":"pong"}"#)
      try expectOneWarning(of: server, "ulimit -n", "files=\(own) ")
    }

    private func limitFiles(of program: Program, to files: Int) throws {
      let prlimit = try Program(["--pid", "\(program.number)", "--nofile=\(files):"], path: "/usr/bin/prlimit")
      try #require(prlimit.wait() == 0)
    }

    /// A program that asks the same question again and again never sleeps.
    private func waitUntilAsleep(_ program: Program) throws {
      let end = ContinuousClock.now + .milliseconds(Int(Program.patience))
      while ContinuousClock.now < end {
        let stat = try String(contentsOfFile: "/proc/\(program.number)/stat", encoding: .utf8)
        if stat.contains(") S ") { return }
      }
      Issue.record("the program is busy all the time")
    }
  #endif

  /// The server may see the next peer before it has seen that the crowd has gone.
  private func answerOnceThereIsRoom(at server: RunningServer) throws -> String? {
    var answer: String?
    repeat { answer = try server.peer().ask(#"{"op":"ping"}"#) } while answer?.contains("too_many_connections") == true
    return answer
  }
}
