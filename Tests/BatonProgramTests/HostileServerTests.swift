import Foundation
import ProgramKit
import Testing

/// A server whose texts are made for terminals: whatever it says, a person sees no more than text, and lines stay lines.
@Suite final class HostileServerTests {
  private let server: RunningServer
  private let folder = freshPath()
  private let peers: [Peer]

  init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    for chain in ["decl", "other"] {
      let links = "[{ handler: gone, on_failure: stop }]"
      let text = "peers: { anonymous: { may: [everything] } }\nchains: { \(chain): { links: \(links) } }\n"
      try text.write(toFile: "\(folder)/\(chain).yaml", atomically: true, encoding: .utf8)
    }
    server = try RunningServer(["--config", "\(folder)/decl.yaml", "--store", "\(folder)/store"])
    let porter = try server.peer(saying: #"{"op":"insert","handler":"porter","accepts":["door.*"]}"#)
    let sender = try server.peer(
      saying: #"{"op":"mount","chain":"main","on":"house"}"#, #"{"op":"hello","name":"anna"}"#,
      #"{"op":"broadcast","topic":"kept","payload":{"a":"b"},"retain":true}"#)
    _ = sender.ask(#"{"op":"send","id":1,"chain":"decl","topic":"a","payload":"p","durable":true,"tries":1}"#)
    for verdict in [#""failed","message":"why""#, #""reject","message":"why","code":"c""#] {
      sender.say(#"{"op":"send","topic":"door.x","key":"k","payload":"p"}"#)
      _ = porter.line()
      porter.say(#"{"op":\#(verdict)}"#)
      _ = sender.line()
    }
    sender.say(#"{"op":"send","topic":"door.slow","key":"k","payload":"p","timeout_ms":600000}"#)
    peers = [porter, sender]
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  @Test(arguments: [
    "chains", "chains nowhere", "top", "stuck", "connections", "connections --closed", "changes", "walks", "walks 1",
    "walks 2", "explain door.x", "explain x", "doctor", "whoami", "send nobody.x {}", "send x --count 2",
    "broadcast x {}", "dead list", "stored", "stored x", "remove nobody", "move nobody --at front", "unmount a b",
    "mount main house", "mount house main", "close 999", "reload", "config diff OTHER", "healthcheck",
    "subscribe > --retained -n 1", "subscribe > --retained -n 1 --format {topic}{payload}{payload.a}{from}",
  ])
  func nothingItSaysActs(command: String) throws {
    let words = command.split(separator: " ").map { $0 == "OTHER" ? "\(folder)/other.yaml" : String($0) }
    let pipe = try Program(words, environment: [try relay()], errors: .amongOutput)
    let lines = pipe.remainingLines()
    let isSeen = { (scalar: Unicode.Scalar) in
      scalar == "\t" || ![.control, .format].contains(scalar.properties.generalCategory)
    }
    #expect(lines.allSatisfy { $0.unicodeScalars.allSatisfy(isSeen) }, "\(lines)")
    // The page of top has no end, and its cells are those of other tables.
    for more in command == "top" ? [["--json"]] : command.contains("--format") ? [[]] : [[], ["--json"]] {
      let terminal = try TerminalProgram(
        words + more, columns: 60_000, rows: 24, environment: [try relay(), "BATON_DEBUG=1"])
      _ = terminal.wait()
      #expect(terminal.screen.faults.filter { $0 != "U+9" } == [], "\(terminal.screen.text)")
      #expect(terminal.screen.text.contains("baton "))
    }
  }

  /// A person may copy what is said.
  @Test func aCommandThatIsNamedIsOneWord() throws {
    let fake = try FakeServer()
    let terminal = try TerminalProgram(["stored", "x", "--server", fake.place], columns: 200, rows: 24)
    fake.answer(#""op":"stored","stored":"a'$(touch b)","chain":"main","state":"dead","tries":1"#)
    #expect(terminal.wait() == 0)
    #expect(terminal.screen.text.contains(#"baton dead show 'a'\''$(touch b)' tells more"#))
  }

  /// A token is not shown, whatever is in it.
  @Test func aTokenIsNotShown() throws {
    let fake = try FakeServer()
    let program = try Program(
      ["healthcheck", "--server", fake.place], environment: ["BATON_DEBUG=1", #"BATON_TOKEN=first"second\"third"#])
    fake.turnAway()
    let said = program.remainingErrorLines().joined()
    #expect(said.contains(#""token":"…""#) && !said.contains(/first|second|third/), "\(said)")
  }

  // MARK: The server between

  /// What a terminal obeys, as it is and as JSON escapes it.
  private static let evil = "\u{7F}\u{9B}31m\u{202E}" + #"\u001b[31m\u009b2J\r\n\u0007\u202e"#
  /// What these say is known to the program, or goes back to the server.
  private static let kept = [
    "op", "status", "outcome", "cause", "state", "level", "kind", "skipped", "code", "epoch", "start", "version",
    "after", "stored", "would", "what", "on_failure",
  ]

  /// Takes one connection, and lets it speak with the real server. Returns the place as the environment says it.
  private func relay() throws -> String {
    let (fake, ours) = (try FakeServer(), try server.peer())
    nonisolated(unsafe) let server = ours
    Thread.detachNewThread {
      nonisolated(unsafe) let program = fake.take()
      Thread.detachNewThread {
        while let line = program.line() { server.say(line) }
        server.end()
      }
      while let line = server.line() { program.say(Self.told(line)) }
      program.end()
    }
    return "BATON_SERVER=\(fake.place)"
  }

  private static func told(_ line: String) -> String {
    var key = ""
    return line.replacing(/"((?:[^"\\]|\\.)*)"(:?)/.matchingSemantics(.unicodeScalar)) { match in
      if !match.2.isEmpty { key = String(match.1) }
      return match.2.isEmpty && !kept.contains(key) ? "\"\(match.1)\(evil)\"" : String(match.0)
    }
  }
}
