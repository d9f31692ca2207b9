import Foundation
import ProgramKit
import Testing

/// The limit of files, when the program starts and when it is reached: newcomers are told, the log says what to do
/// once, and there is room again as soon as there are descriptors.
@Suite struct FileLimitTests {
  @Test func isSaidWithWhatToDo() throws {
    let program = try Program(["serve", "--port", "0"], limitingFilesTo: 100)
    _ = program.line()
    _ = program.line()
    #expect(program.line()?.contains("36 connections (10000 need ulimit -n 10064)") == true)
  }

  @Test func tooLowToStartIsSaidWithWhatToDo() throws {
    var failures = 0
    for files in 3...12 {
      let program = try Program(["serve", "--port", "0"], limitingFilesTo: files)
      // Below that the program cannot even be loaded.
      guard program.line()?.hasPrefix("baton ") == true else { continue }
      if program.line() != nil {
        // Just enough.
        program.send(SIGTERM)
        #expect(program.wait() == 0)
        continue
      }
      failures += 1
      let lines = program.remainingErrorLines()
      #expect(lines.count == 1 && lines.first?.contains("ulimit -n") == true, "\(files): \(lines)")
      #expect(program.wait() == 1)
    }
    #expect(failures > 0)
  }

  /// Those who are turned away linger for a second, and with them the descriptors run out altogether.
  @Test func everyOneOfACrowdIsLetInOrTold() throws {
    let program = try Program(["serve", "--port", "0"], limitingFilesTo: 80)
    let place = try #require(program.places().first)
    var crowd: [Peer] = []
    for _ in 0..<300 { crowd.append(try Peer(place)) }
    let answers = crowd.map { $0.ask(#"{"op":"ping"}"#) }
    #expect(answers.prefix(16).allSatisfy { $0 == #"{"op":"pong"}"# }, "\(answers.prefix(18))")
    #expect(answers.dropFirst(16).allSatisfy { $0?.contains(#""code":"too_many_connections""#) == true })
    #expect(answers.count { $0?.contains("ulimit -n") == true } > 0)
    #expect(crowd[0].ask(#"{"op":"ping"}"#) == #"{"op":"pong"}"#)
    crowd = []
    #expect(try answerOnceThereIsRoom(at: place) == #"{"op":"pong"}"#)
    program.send(SIGTERM)
    let lines = program.remainingErrorLines().filter { $0.contains("new connections are refused") }
    #expect(lines.count == 1 && lines.first?.contains("ulimit -n") == true, "\(lines)")
    #expect(program.wait() == 0)
  }

  #if os(Linux)
    @Test(arguments: ["127.0.0.1:0", "unix:\(freshPath())"])
    func aLimitLoweredBelowWhatIsOpenIsToldAndRaisedAgain(endpoint: String) throws {
      let program = try Program(["serve", "--listen", endpoint], limitingFilesTo: 1000)
      let place = try #require(program.places().first)
      let own = try ownFiles(of: program)
      let early = try (0..<20).map { _ in try Peer(place) }
      for peer in early { #expect(peer.ask(#"{"op":"ping"}"#) == #"{"op":"pong"}"#) }

      try limitFiles(of: program, to: own)
      for _ in 0..<40 {
        let late = try Peer(place)
        // Said nothing yet: who only connects is told too.
        try #require(late.line()?.contains(#""code":"too_many_connections""#) == true)
        #expect(late.line() == nil)
      }
      try waitUntilAsleep(program)
      for peer in early { #expect(peer.ask(#"{"op":"ping"}"#) == #"{"op":"pong"}"#) }

      try limitFiles(of: program, to: 1000)
      #expect(try Peer(place).ask(#"{"op":"ping"}"#) == #"{"op":"pong"}"#)
      program.send(SIGTERM)
      let lines = program.remainingErrorLines().filter { $0.contains("new connections are refused") }
      #expect(lines.count == 1 && lines.first?.contains("ulimit -n") == true, "\(lines)")
      #expect(lines.first?.contains("files=\(own) ") == true)
      #expect(program.wait() == 0)
    }

    /// The first number of a descriptor that the program has free.
    private func ownFiles(of program: Program) throws -> Int {
      let taken = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(program.number)/fd")
      return try #require((0...).first { !taken.contains("\($0)") })
    }

    private func limitFiles(of program: Program, to files: Int) throws {
      let prlimit = Process()
      prlimit.executableURL = URL(fileURLWithPath: "/usr/bin/prlimit")
      prlimit.arguments = ["--pid", "\(program.number)", "--nofile=\(files):"]
      try prlimit.run()
      prlimit.waitUntilExit()
      try #require(prlimit.terminationStatus == 0)
    }

    /// A program that asks the same question over and over never sleeps.
    private func waitUntilAsleep(_ program: Program) throws {
      let end = ContinuousClock.now + .milliseconds(Int(Program.patience))
      while ContinuousClock.now < end {
        let stat = try String(contentsOfFile: "/proc/\(program.number)/stat", encoding: .utf8)
        if stat.contains(") S ") { return }
      }
      Issue.record("the program is busy all the time")
    }
  #endif

  /// The server may see the crowd go only after it has seen who comes then.
  private func answerOnceThereIsRoom(at place: String) throws -> String? {
    var answer: String?
    repeat { answer = try Peer(place).ask(#"{"op":"ping"}"#) } while answer?.contains("too_many_connections") == true
    return answer
  }
}
