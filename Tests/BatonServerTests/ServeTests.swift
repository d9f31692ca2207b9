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
    let program = try Program(["serve", "--port", "0", "--listen", "tcp:127.0.0.1:0", "--listen", "unix:\(path)"])
    #expect(program.line()?.hasPrefix("baton ") == true)
    let lines = (0..<3).map { _ in program.line() ?? "" }
    for line in lines.prefix(2) {
      #expect(line.wholeMatch(of: /listening on tcp 127\.0\.0\.1:[1-9][0-9]*/) != nil, "\(line)")
    }
    #expect(lines.last == "listening on unix \(path)")
    #expect(
      program.line() == "access: anybody who can connect may do everything; only programs on this machine can connect")
    #expect(program.line() == "settings: the defaults; --list-settings lists them")
    #expect(program.line()?.hasPrefix("limits: 10000 connections") == true)
    for line in lines {
      let place = String(line.dropFirst("listening on ".count))
      #expect(try Peer(place).ask(#"{"op":"ping"}"#) == #"{"op":"pong"}"#)
    }
  }

  /// With four places the start has eight lines.
  @Test func saysWhoCanConnectAndWhereTheSettingsComeFrom() throws {
    let path = freshPath()
    let program = try Program(
      [
        "serve", "--port", "0", "--host", "0.0.0.0", "--open", "--listen", "127.0.0.1:0", "--listen", "[::1]:0",
        "--listen",
        "unix:\(path)", "--guard", "main/door", "--set", "max_line=65536", "--set", "timeout_ms=30000", "--set",
        "window=1",
      ])
    var lines: [String] = []
    while let line = program.line() {
      lines.append(line)
      if line.hasPrefix("limits: ") { break }
    }
    #expect(lines.count == 8)
    let access = try #require(lines.first { $0.hasPrefix("access: ") })
    #expect(access.contains("WARNING: other machines can connect at \(lines[1].dropFirst("listening on ".count)); if"))
    #expect(
      lines.contains(
        "settings: the defaults, except 2 from --set (max_line, window); 1 declared link in 1 chain; "
          + "--list-settings lists them"))
  }

  @Test func aUnixSocketIsForThisUser() throws {
    let program = try Program(["serve", "--listen", "unix:\(freshPath())"])
    var line = program.line()
    while let other = line, !other.hasPrefix("access: ") { line = program.line() }
    #expect(line == "access: anybody who can connect may do everything; only this user's programs can connect")
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
    #if os(Linux)
      #expect(lines.first?.contains(" by baton (process \(first.program.number)): stop it, ") == true)
    #endif
    #expect(second.wait() == 1)
  }

  #if os(Linux)
    @Test func aPortThatTwoPlacesOfTheServerWantIsTold() throws {
      let port = try RunningServer().port
      let program = try Program(["serve", "--listen", "127.0.0.1:\(port)", "--listen", "localhost:\(port)"])
      let line = program.remainingErrorLines().first
      #expect(
        line?.hasSuffix(
          "port \(port) on localhost is in use by another place of this server: leave one of the two out, or choose another "
            + "port with --listen") == true, "\(line ?? "")")
      #expect(program.wait() == 1)
    }
  #endif

  @Test func aPlaceInUseIsToldWithTheOptionThatGaveIt() throws {
    let first = try RunningServer()
    let second = try Program(["serve", "--listen", "127.0.0.1:\(first.port)"])
    let lines = second.remainingErrorLines()
    #expect(
      lines.first?.hasSuffix("choose another port with --listen (--listen 127.0.0.1:0 takes a free port)") == true,
      "\(lines)")
    #expect(second.wait() == 1)
  }

  @Test(arguments: [
    (["--set", "max_lin=4096"], "did you mean \"max_line\"?"),
    (["--set", "colour=1"], "there is no setting \"colour\"; baton serve --list-settings lists all settings"),
    (["--set", "max_line=1"], "max_line must be from 8192"),
    (["--set", "max_line"], "write name=value"),
    (["--spin-us", "1000001"], "to 1000000"),
    (["--listen", "nowhere"], "write HOST:PORT, tls:HOST:PORT or unix:PATH"),
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

  /// With a file, a hang-up ends nothing: it lets the file be read, also where nohup has started the server.
  @Test func readsItsFileAtAHangUpThatItWasStartedToIgnore() throws {
    let path = freshPath()
    try Data("open: local\n".utf8).write(to: URL(fileURLWithPath: path + ".yaml"))
    defer { try? FileManager.default.removeItem(atPath: path + ".yaml") }
    let program = try Program(
      [
        "-c", "trap '' HUP; exec \"$@\"", "sh", Program.path, "serve", "--listen", "unix:\(path)", "--config",
        path + ".yaml",
      ], path: "/bin/sh")
    _ = try #require(program.places().first)
    program.send(SIGHUP)
    let line = try #require(program.errorLine())
    #expect(line.contains("because=SIGHUP"))
    program.send(SIGTERM)
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
