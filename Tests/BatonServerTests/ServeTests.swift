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
  @Test func saysWhereItListensAndServesThere() throws {
    let path = freshPath()
    let program = try Program(["serve", "--port", "0", "--listen", "127.0.0.1:0", "--listen", "unix:\(path)"])
    #expect(program.line()?.hasPrefix("baton ") == true)
    let lines = (0..<3).map { _ in program.line() ?? "" }
    for line in lines.prefix(2) {
      #expect(line.wholeMatch(of: /listening on tcp 127\.0\.0\.1:[1-9][0-9]*/) != nil, "\(line)")
    }
    #expect(lines.last == "listening on unix \(path)")
    #expect(program.line()?.hasPrefix("limits: ") == true)
    for line in lines {
      let place = String(line.dropFirst("listening on ".count))
      #expect(try Peer(place).ask(#"{"op":"ping"}"#) == #"{"op":"pong"}"#)
    }
  }

  @Test func listenAloneLeavesTheDefaultPortAlone() throws {
    let path = freshPath()
    let program = try Program(["serve", "--listen", "unix:\(path)"])
    #expect(program.places() == ["unix \(path)"])
  }

  @Test func portInUseIsSaidInOneLineWithWhatToDo() throws {
    let first = try RunningServer()
    let port = first.port
    let second = try Program(["serve", "--port", port])
    let lines = second.remainingErrorLines()
    #expect(lines.count == 1)
    #expect(lines.first?.contains("port \(port) on 127.0.0.1 is in use") == true)
    #expect(lines.first?.contains("--port 0") == true)
    #expect(second.wait() == 1)
  }

  @Test(arguments: [
    (["--set", "max_lin=4096"], "did you mean \"max_line\"?"),
    (["--set", "colour=1"], "there is no setting \"colour\"; baton serve --list-settings lists all settings"),
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

  @Test(arguments: [SIGTERM, SIGINT, SIGHUP])
  func goesWhenToldTo(signal: Int32) throws {
    let server = try RunningServer()
    let peer = try server.peer()
    #expect(peer.ask(#"{"op":"ping"}"#) == #"{"op":"pong"}"#)
    server.program.send(signal)
    #expect(peer.line()?.hasPrefix(#"{"op":"draining""#) == true)
    #expect(peer.line() == nil)
    #expect(server.program.wait() == 0)
  }

  /// `nohup baton serve &` outlives its terminal.
  @Test func leavesAHangUpAloneThatItWasStartedToIgnore() throws {
    let path = freshPath()
    let program = try Program(
      ["-c", "trap '' HUP; exec \"$@\"", "sh", Program.path, "serve", "--listen", "unix:\(path)"], path: "/bin/sh")
    let place = try #require(program.places().first)
    program.send(SIGHUP)
    #expect(try Peer(place).ask(#"{"op":"ping"}"#) == #"{"op":"pong"}"#)
    program.send(SIGTERM)
    #expect(program.remainingErrorLines().count { $0.contains("signal=SIGHUP") } == 0)
    #expect(program.wait() == 0)
  }

  /// A server that is killed starts again at once, on the same port and the same socket path.
  @Test func comesBackAtTheSamePlacesAtOnce() throws {
    let server = try RunningServer(at: ["127.0.0.1:0", "unix:"])
    for _ in 0..<3 {
      let clients = try server.places.map { try ControlClient($0) }
      for client in clients {
        try client.round()
        try client.send()
      }
      try server.kill()
      for client in clients { #expect(client.sender.line() == nil) }
      try server.startAgain()
    }
  }
}
