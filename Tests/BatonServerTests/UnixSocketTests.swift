import Foundation
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The Unix socket's file, over the life of the real program.
@Suite struct UnixSocketTests {
  @Test func onlyItsOwnerMayConnect() throws {
    let path = freshPath()
    let program = try Program(["serve", "--listen", "unix:\(path)"])
    _ = program.places()
    var about = stat()
    #expect(lstat(path, &about) == 0)
    #expect(about.st_mode & S_IFMT == S_IFSOCK)
    #expect(about.st_mode & 0o777 == 0o600)
  }

  @Test func theFileGoesWithTheServer() throws {
    let path = freshPath()
    let program = try Program(["serve", "--listen", "unix:\(path)"])
    _ = program.places()
    #expect(FileManager.default.fileExists(atPath: path))
    program.send(SIGTERM)
    #expect(program.wait() == 0)
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func aDeadServersFileIsTakenAway() throws {
    let path = freshPath()
    let dead = try Program(["serve", "--listen", "unix:\(path)"])
    _ = dead.places()
    dead.send(SIGKILL)
    #expect(dead.wait() == -SIGKILL)
    #expect(FileManager.default.fileExists(atPath: path))
    let program = try Program(["serve", "--listen", "unix:\(path)"])
    #expect(try Peer(try #require(program.places().first)).ask(#"{"op":"ping"}"#) == #"{"op":"pong"}"#)
  }

  @Test func aLivingServerKeepsItsFile() throws {
    let path = freshPath()
    let first = try Program(["serve", "--listen", "unix:\(path)"])
    let place = try #require(first.places().first)
    let second = try Program(["serve", "--listen", "unix:\(path)"])
    let lines = second.remainingErrorLines()
    #expect(lines.count == 1)
    #expect(lines.first?.contains("another program listens on the socket \(path)") == true)
    #expect(second.wait() == 1)
    #expect(try Peer(place).ask(#"{"op":"ping"}"#) == #"{"op":"pong"}"#)
  }

  @Test func whatIsNoSocketStays() throws {
    let path = freshPath()
    try "precious".write(toFile: path, atomically: true, encoding: .utf8)
    defer { unlink(path) }
    let program = try Program(["serve", "--listen", "unix:\(path)"])
    #expect(program.remainingErrorLines().first?.contains("\(path) is there already and is no socket") == true)
    #expect(program.wait() == 1)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious")
  }

  @Test(arguments: ["/nowhere/at/all", "/tmp/" + String(repeating: "x", count: 200)])
  func aPathThatCannotBeIsSaid(path: String) throws {
    let program = try Program(["serve", "--listen", "unix:\(path)"])
    let lines = program.remainingErrorLines()
    #expect(lines.count == 1)
    #expect(lines.first?.contains(path) == true)
    #expect(program.wait() == 1)
  }
}
