import Foundation
import ProgramKit
import Testing
import UV

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The Unix socket's file, over the life of the real program.
@Suite struct UnixSocketTests {
  @Test func onlyItsOwnerMayConnectAndItGoesWithTheServer() throws {
    let path = freshPath()
    let server = try RunningServer(at: ["unix:\(path)"])
    var about = stat()
    #expect(lstat(path, &about) == 0)
    #expect(about.st_mode & S_IFMT == S_IFSOCK)
    #expect(about.st_mode & 0o777 == 0o600)
    #expect(server.end() == 0)
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  #if os(Linux)
    /// Two servers that start at the same moment find a dead configuration file. The second waits until the first has made
    /// its own file, and does not mistake that for the dead server's.
    @Test func whoFindsADeadServersFileWaitsForARivalWhoFoundItToo() throws {
      let directory = freshPath()
      let path = directory + "/socket"
      #expect(mkdir(directory, 0o700) == 0)
      try RunningServer(at: ["unix:\(path)"]).kill()
      // The test plays the first server, between its look at the file and the removal.
      let lock = open(directory, O_RDONLY | O_CLOEXEC)
      #expect(flock(lock, LOCK_EX) == 0)
      let second = try Program(["serve", "--listen", "unix:\(path)"])
      #expect(second.line()?.hasPrefix("baton ") == true)
      try waitUntil(second, hasOpen: directory)
      unlink(path)
      let loop = try Loop()
      let first = try Listener.bound(toPath: path, on: loop)
      try first.listen(owner: StreamTests.Writer(0))
      close(lock)
      #expect(second.remainingErrorLines().first?.contains("another program listens on the socket \(path)") == true)
      #expect(second.wait() == 1)
      #expect(FileManager.default.fileExists(atPath: path))
      first.close()
      loop.run()
    }

    private func waitUntil(_ program: Program, hasOpen path: String) throws {
      let files = "/proc/\(program.number)/fd"
      let end = ContinuousClock.now + .milliseconds(Int(Program.patience))
      while ContinuousClock.now < end {
        let open = try FileManager.default.contentsOfDirectory(atPath: files).map {
          try? FileManager.default.destinationOfSymbolicLink(atPath: "\(files)/\($0)")
        }
        if open.contains(path) { return }
      }
      Issue.record("the program does not open \(path)")
    }
  #endif

  /// The file was removed by hand, and another server has the path now.
  @Test func anothersFileStaysWhenTheServerGoes() throws {
    let path = freshPath()
    let first = try RunningServer(at: ["unix:\(path)"])
    unlink(path)
    let second = try RunningServer(at: ["unix:\(path)"])
    #expect(first.end() == 0)
    #expect(try second.peer().ask(#"{"op":"ping"}"#) == #"{"op":"pong"}"#)
  }

  /// The second address is in use, so the server does not start. The file that it made before has to go.
  @Test func theFileGoesWithAServerThatDoesNotStart() throws {
    let path = freshPath()
    let program = try Program(["serve", "--listen", "unix:\(path)", "--listen", "unix:/nowhere/at/all"])
    #expect(program.wait() == 1)
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func aLivingServerKeepsItsFile() throws {
    let path = freshPath()
    let first = try RunningServer(at: ["unix:\(path)"])
    let second = try Program(["serve", "--listen", "unix:\(path)"])
    let lines = second.remainingErrorLines()
    #expect(lines.count == 1)
    #expect(lines.first?.contains("another program listens on the socket \(path)") == true)
    #if os(Linux)
      #expect(lines.first?.contains(": stop baton (process \(first.program.number)), or ") == true)
    #endif
    #expect(second.wait() == 1)
    #expect(try first.peer().ask(#"{"op":"ping"}"#) == #"{"op":"pong"}"#)
  }

  @Test func whatIsNoSocketStays() throws {
    let path = freshPath()
    try "precious".write(toFile: path, atomically: true, encoding: .utf8)
    defer { unlink(path) }
    let program = try Program(["serve", "--listen", "unix:\(path)"])
    #expect(program.remainingErrorLines().first?.contains("\(path) exists and is not a socket") == true)
    #expect(program.wait() == 1)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious")
  }

  /// One that no system takes is wrong for ever.
  @Test(arguments: [("/nowhere/at/all", 1), ("/tmp/" + String(repeating: "x", count: 200), 64)])
  func aPathThatCannotBeIsSaid(path: String, code: Int32) throws {
    let program = try Program(["serve", "--listen", "unix:\(path)"])
    let lines = program.remainingErrorLines()
    #expect(lines.count == 1)
    #expect(lines.first?.contains(path) == true)
    #expect(program.wait() == code)
  }
}
