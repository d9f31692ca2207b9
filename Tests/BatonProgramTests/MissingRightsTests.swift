import Foundation
import ProgramKit
import Testing

/// A command that has nothing to show, because a right is missing, says which one, wherever its output goes. An empty table
/// of who may see is no fault.
@Suite struct MissingRightsTests {
  private static let tokens = [
    "blind": "blind-0123456789", "one": "one-0123456789", "half": "half-0123456789", "all": "all-0123456789",
  ]
  private let server: RunningServer
  private let file: String

  init() throws {
    file = freshPath() + ".yaml"
    try """
    peers:
      blind: { token: sha256:bc53ae33e68ff522be8784c7fb008b9f645f1edce3603cf677db88496731e5cd, may: ['send to seen'] }
      one: { token: sha256:2b77af0f9b3fa044e9e973ab58c16fa996eb374de7baab21859992fe7f0d29fd, may: ['see seen'] }
      half: { token: sha256:ff338e0a75ceea1c359c9ce7ccc62f833ec8486b1a819a73b8dc1dffe738683a, may: ['see half'] }
      all: { token: sha256:797c91dbafeeaa1b358e2ff783c7905c4d88c1a99efce1fa366421a083777d2c, may: ['see *', 'see server'] }
    chains:
      seen: { links: [{ handler: here }] }
      half: { links: [{ mount: hush }] }
      hush: { links: [{ handler: second, required: true, on_failure: stop }, { handler: third }] }
    """.write(toFile: file, atomically: false, encoding: .utf8)
    server = try RunningServer(["--config", file, "--store", freshPath() + ".db"])
  }

  private func run(_ arguments: [String], as name: String) throws -> Program {
    try Program(
      arguments + ["--server", server.address], environment: ["BATON_TOKEN=\(Self.tokens[name] ?? "")"])
  }

  private static let commands = ["walks", "stuck", "changes", "chains", "stored", "top", "dead list"]

  @Test(arguments: commands) func aPipeIsTold(command: String) throws {
    defer { unlink(file) }
    let program = try run(command.split(separator: " ").map(String.init), as: "blind")
    let errors = program.remainingErrorLines()
    #expect(errors.count == 1 && errors[0].contains("the right that is missing: see "), "\(errors)")
    #expect(program.remainingLines() == [])
    #expect(program.wait() == 1)
  }

  @Test(arguments: ["walks", "stuck", "changes", "chains", "stored", "top"]) func jsonIsAnError(command: String) throws
  {
    defer { unlink(file) }
    let program = try run([command, "--json"], as: "blind")
    let lines = program.remainingLines()
    #expect(
      lines.count == 1 && lines[0].hasPrefix(#"{"op":"error","code":"not_allowed","message":"you may "#), "\(lines)")
    #expect(program.wait() == 1)
  }

  /// A mount whose links one may not see may well have a handler.
  @Test func whatIsHiddenIsNotTakenForNothing() throws {
    defer { unlink(file) }
    let terminal = try TerminalProgram(
      ["explain", "t", "--chain", "half", "--server", server.address], columns: 80, rows: 24,
      environment: ["BATON_TOKEN=\(Self.tokens["half"] ?? "")"])
    #expect(terminal.wait() == 0)
    let words = terminal.screen.lines.joined(separator: " ")
    #expect(words.contains("you may not see its links"), "\(words)")
    #expect(!words.contains("unhandled"), "\(words)")
  }

  @Test(arguments: commands) func aTerminalIsTold(command: String) throws {
    defer { unlink(file) }
    let terminal = try TerminalProgram(
      command.split(separator: " ").map(String.init) + ["--server", server.address], columns: 80, rows: 24,
      environment: ["BATON_TOKEN=\(Self.tokens["blind"] ?? "")"])
    #expect(terminal.wait() == 1)
    let words = terminal.screen.lines.joined(separator: " ").split(separator: " ").joined(separator: " ")
    #expect(words.contains("the right that is missing: see "), "\(words)")
  }

  /// The right that is missing for one chain is named.
  @Test(arguments: [
    ["walks", "--chain", "hush"], ["stuck", "--chain", "hush"], ["chains", "hush"], ["stored", "--chain", "hush"],
  ])
  func oneChain(arguments: [String]) throws {
    defer { unlink(file) }
    let program = try run(arguments, as: "one")
    #expect(program.remainingErrorLines().joined().contains("see hush"))
    #expect(program.remainingLines() == [])
    #expect(program.wait() == 1)
  }

  @Test(arguments: ["one", "all"], ["walks", "stuck", "stored", "dead list"])
  func anEmptyTableIsNoFault(name: String, command: String) throws {
    defer { unlink(file) }
    let program = try run(command.split(separator: " ").map(String.init), as: name)
    #expect(program.remainingErrorLines() == [])
    #expect(program.remainingLines().count == 1)
    #expect(program.wait() == 0)
  }

  /// Who may see one chain only is told what concerns it, and no name of another.
  @Test func whatConcernsOneChain() throws {
    defer { unlink(file) }
    let doctor = try run(["doctor"], as: "one")
    let lines = doctor.remainingLines()
    #expect(lines.contains { $0.hasPrefix("wrong\tempty\tseen/here\t") }, "\(lines)")
    #expect(lines.contains { $0.hasPrefix("warning\trights\t") && $0.hasSuffix("see server") }, "\(lines)")
    #expect(
      !lines.contains { $0.contains("hush") || $0.contains("second") || $0.contains("chains that you may not see") })
    #expect(doctor.wait() == 1)
    let top = try run(["top"], as: "one")
    let facts = top.remainingLines()
    #expect(facts.first?.hasPrefix("finding\twrong\tempty\tseen/here\t") == true, "\(facts)")
    #expect(facts.last?.hasPrefix("link\tseen\there\t") == true, "\(facts)")
    #expect(!facts.contains { $0.contains("hush") || $0.hasPrefix("server") })
    #expect(top.wait() == 0)
    let json = try run(["doctor", "--json"], as: "one")
    #expect(json.line()?.contains("hush") == false)
    #expect(json.wait() == 1)
    let page = try TerminalProgram(
      ["top", "--server", server.address], columns: 80, rows: 24, environment: ["BATON_TOKEN=one-0123456789"])
    #expect(page.sees("1 link in trouble: seen/here (empty)"))
    #expect(!page.screen.text.contains("hush"))
    page.type("q")
    #expect(page.wait() == 0)
  }
}
