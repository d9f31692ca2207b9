import Foundation
import ProgramKit
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Start-up and end of the real program.
@Suite struct ServeTests {
  @Test func portZeroPrintsThePortItGot() throws {
    let program = try Program(["serve", "--port", "0"])
    #expect(program.line()?.hasPrefix("baton ") == true)
    let line = try #require(program.line())
    #expect(line.wholeMatch(of: /listening on tcp 127\.0\.0\.1:[1-9][0-9]*/) != nil)
    #expect(program.line()?.hasPrefix("limits: ") == true)
    #expect(try Peer(line).ask(#"{"op":"ping"}"#) == #"{"op":"pong"}"#)
  }

  @Test func servesEveryPlaceThatItIsTold() throws {
    let path = freshPath()
    let program = try Program(["serve", "--port", "0", "--listen", "127.0.0.1:0", "--listen", "unix:\(path)"])
    let places = program.places()
    #expect(places.count == 3)
    #expect(places.last == "unix \(path)")
    for place in places { #expect(try Peer(place).ask(#"{"op":"ping"}"#) == #"{"op":"pong"}"#) }
  }

  @Test func listenAloneLeavesTheDefaultPortAlone() throws {
    let path = freshPath()
    let program = try Program(["serve", "--listen", "unix:\(path)"])
    #expect(program.places() == ["unix \(path)"])
  }

  @Test func portInUseIsSaidInOneLineWithWhatToDo() throws {
    let first = try Program(["serve", "--port", "0"])
    let port = try #require(first.places().first?.split(separator: ":").last.map(String.init))
    let second = try Program(["serve", "--port", port])
    let lines = second.remainingErrorLines()
    #expect(lines.count == 1)
    #expect(lines.first?.contains("port \(port) on 127.0.0.1 is in use") == true)
    #expect(lines.first?.contains("--port 0") == true)
    #expect(second.wait() == 1)
  }

  @Test(arguments: [
    (["--set", "max_lin=4096"], "did you mean \"max_line\"?"),
    (["--set", "max_line=1"], "max_line must be from 8192"),
    (["--set", "max_line"], "write name=value"),
    (["--spin-us", "1000001"], "to 1000000"),
    (["--listen", "nowhere"], "write unix:PATH or HOST:PORT"),
  ])
  func wrongOptionsAreToldApart(arguments: [String], message: String) throws {
    let program = try Program(["serve", "--port", "0"] + arguments)
    #expect(program.remainingErrorLines().first?.contains(message) == true)
    #expect(program.wait() == 64)
  }

  @Test func aSettingHolds() throws {
    let program = try Program(["serve", "--port", "0", "--set", "max_line=8192"])
    let peer = try Peer(try #require(program.places().first))
    #expect(peer.ask(#"{"op":"hello"}"#)?.contains(#""max_line":8192"#) == true)
  }

  // MARK: The end

  @Test(arguments: [SIGTERM, SIGINT])
  func goesWhenToldTo(signal: Int32) throws {
    let program = try Program(["serve", "--port", "0"])
    let peer = try Peer(try #require(program.places().first))
    #expect(peer.ask(#"{"op":"ping"}"#) == #"{"op":"pong"}"#)
    program.send(signal)
    #expect(peer.line()?.hasPrefix(#"{"op":"draining""#) == true)
    #expect(peer.line() == nil)
    #expect(program.wait() == 0)
  }

  @Test func finishesWhatIsUnderWay() throws {
    let program = try Program(["serve", "--port", "0"])
    let (handler, sender) = try messageUnderWay(program)
    program.send(SIGTERM)
    #expect(handler.line()?.hasPrefix(#"{"op":"draining""#) == true)
    #expect(handler.ask(#"{"op":"handled"}"#) == nil)
    #expect(sender.line()?.hasPrefix(#"{"op":"draining""#) == true)
    #expect(sender.line()?.contains(#""status":"handled""#) == true)
    #expect(program.wait() == 0)
  }

  @Test func aSecondSignalEndsItAtOnce() throws {
    let program = try Program(["serve", "--port", "0"])
    let (handler, sender) = try messageUnderWay(program)
    program.send(SIGTERM)
    #expect(handler.line()?.hasPrefix(#"{"op":"draining""#) == true)
    program.send(SIGINT)
    #expect(program.wait() == 1)
    #expect(sender.line()?.hasPrefix(#"{"op":"draining""#) == true)
    #expect(sender.line() == nil)
  }

  private func messageUnderWay(_ program: Program) throws -> (handler: Peer, sender: Peer) {
    let place = try #require(program.places().first)
    let handler = try Peer(place)
    #expect(handler.ask(#"{"op":"insert","handler":"porter"}"#)?.hasPrefix(#"{"op":"ok""#) == true)
    let sender = try Peer(place)
    sender.say(#"{"op":"send","topic":"door.open"}"#)
    #expect(handler.line()?.hasPrefix(#"{"op":"offer""#) == true)
    return (handler, sender)
  }
}

/// A path that nothing is at, short enough for a socket.
func freshPath() -> String { "/tmp/baton-\(UUID().uuidString.prefix(13))" }
