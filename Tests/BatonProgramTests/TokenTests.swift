import Foundation
import ProgramKit
import Testing

/// How the program says to a server who it is.
@Suite struct TokenTests {
  private let server: RunningServer
  private let token: String
  /// A file that holds the token.
  private let file = freshPath() + ".token"

  init() throws {
    let maker = try Program(["token", "web"])
    let made = maker.remainingLines() + maker.remainingErrorLines()
    token = try #require(made.first { $0.hasPrefix("baton_") })
    let digest = try #require(made.first { $0.contains("sha256:") }).drop { $0 != "s" }
    let config = freshPath() + ".yaml"
    try """
    peers:
      web:
        token: \(digest)
        may: [send to main, serve main/h]

    """.write(toFile: config, atomically: false, encoding: .utf8)
    defer { unlink(config) }
    server = try RunningServer(["--config", config])
    try "\(token)\r\n".write(toFile: file, atomically: false, encoding: .utf8)
  }

  private func run(_ arguments: [String], _ environment: [String] = []) throws -> Program {
    try Program(arguments, environment: environment + ["BATON_SERVER=\(server.address)"])
  }

  @Test func whoamiTellsTheIdentityAndItsRights() throws {
    defer { unlink(file) }
    let lines = ["web", "send to main", "serve main/h"]
    #expect(try run(["whoami"], ["BATON_TOKEN=\(token)"]).remainingLines() == lines)
    #expect(try run(["whoami"], ["BATON_TOKEN_FILE=\(file)"]).remainingLines() == lines)
    #expect(try run(["whoami", "--token-file", file]).remainingLines() == lines)
    let json = try #require(try run(["whoami", "--token-file", file, "--json"]).line())
    #expect(json.hasSuffix(#","identity":"web","may":["send to main","serve main/h"]}"#))
  }

  @Test func whoamiOfAServerThatAsksNobody() throws {
    let server = try RunningServer()
    let program = try server.run("whoami")
    #expect(program.remainingLines() == ["the server asks nobody who they are; everybody may do everything"])
    #expect(program.wait() == 0)
  }

  @Test func withoutATokenTheProgramSaysHowToGiveOne() throws {
    for command in [["whoami"], ["send", "t"], ["handle", ">", "--name", "h", "--continue"]] {
      let program = try run(command)
      let line = try #require(program.errorLine())
      #expect(line.contains("BATON_TOKEN") && line.contains("--token-file") && line.contains("(auth_required)"))
      #expect(program.wait() == 1)
    }
  }

  @Test func aTokenIsNeverTold() throws {
    for (environment, code) in [("BATON_TOKEN=secret-word", 1), ("BATON_TOKEN= secret-word", 64)] as [(String, Int32)] {
      let program = try run(["handle", ">", "--name", "h", "--continue"], [environment])
      let lines = program.remainingLines() + program.remainingErrorLines()
      #expect(!lines.isEmpty && !lines.contains { $0.contains("secret") })
      #expect(program.wait() == code)
    }
  }

  @Test func aTokenDoesNotGoToAnotherMachineInPlain() throws {
    let program = try Program(["send", "t", "--server", "192.0.2.1:9"], environment: ["BATON_TOKEN=\(token)"])
    let line = try #require(program.errorLine())
    #expect(line.contains("tls:192.0.2.1:9") && line.contains("--plain-token") && !line.contains(token))
    #expect(program.wait() == 64)
    // Every address of this machine, but spelled as none of its own.
    let port = server.port
    let allowed = try Program(
      ["whoami", "--server", "0.0.0.0:\(port)", "--plain-token"], environment: ["BATON_TOKEN=\(token)"])
    #expect(allowed.line() == "web")
  }

  @Test func programsOfAHandlerDoNotGetTheToken() throws {
    let script = #"echo "$BATON_TOKEN,$BATON_TOKEN_FILE,$BATON_FROM""#
    let environment = ["BATON_TOKEN=\(token)", "BATON_TOKEN_FILE=\(file)"]
    let handler = try run(["handle", ">", "--name", "h", "--", "sh", "-c", script], environment)
    #expect(handler.errorLine() == "baton: connected to \(server.place)")
    // Whoever may only send gets its result all the same.
    let sender = try run(["send", "t"], environment)
    #expect(sender.remainingLines() == [#"",,web.cli""#])
    #expect(sender.wait() == 0)
    handler.send(SIGTERM)
    #expect(handler.wait() == 0)
  }
}
