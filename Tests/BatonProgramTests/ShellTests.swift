import Foundation
import ProgramKit
import Testing

/// What the program gives to a shell: completions, pages of the manual, exit codes.
@Suite struct ShellTests {
  private static func page(_ path: String) throws -> String {
    let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return try String(contentsOf: package.appending(path: path), encoding: .utf8)
  }

  private static func text(_ arguments: String...) throws -> String {
    let program = try Program(arguments)
    let text = program.remainingLines().joined(separator: "\n")
    #expect(program.wait() == 0)
    return text
  }

  /// The subcommands that the help lists.
  private static func subcommands() throws -> [String] {
    let help = try text("--help")
    let listed = help.components(separatedBy: "SUBCOMMANDS:\n").dropFirst()
    return listed.flatMap {
      $0.components(separatedBy: "\n\n")[0].matches(of: /(?m)^  ([a-z]+)(?: |$)/).map { String($0.1) }
    }
  }

  private static func isInstalled(_ program: String) -> Bool {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
      .contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") }
  }

  @Test(arguments: [("bash", "-n"), ("zsh", "-n"), ("fish", "--no-execute")])
  func completionsAreScripts(shell: String, check: String) throws {
    let script = try Self.text("completions", shell)
    for subcommand in try Self.subcommands() { #expect(script.contains(subcommand), "\(subcommand)") }
    #expect(try Self.text("--generate-completion-script", shell) == script)
    guard Self.isInstalled(shell) else { return }
    let path = freshPath()
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Data(script.utf8).write(to: URL(fileURLWithPath: path))
    let parsed = try Program([shell, check, path], path: "/usr/bin/env")
    #expect(parsed.remainingErrorLines() == [])
    #expect(parsed.wait() == 0)
  }

  @Test func bashCompletesASubcommand() throws {
    let path = freshPath()
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Data(try Self.text("completions", "bash").utf8).write(to: URL(fileURLWithPath: path))
    let script = """
      source \(path); COMP_WORDS=(baton expl); COMP_CWORD=1; COMP_LINE='baton expl'; COMP_POINT=10; COMP_TYPE=9
      _baton baton expl baton; echo "${COMPREPLY[@]}"
      """
    let bash = try Program(["bash", "-c", script], path: "/usr/bin/env")
    #expect(bash.remainingLines() == ["explain"], "\(bash.remainingErrorLines())")
  }

  @Test func theManualHasEverySubcommandAndExitCode() throws {
    let page = try Self.text("man")
    let subcommands = try Self.subcommands()
    #expect(subcommands.contains("send"))
    for subcommand in subcommands {
      #expect(page.contains(".BR baton\\-\(subcommand) (1)"))
    }
    for (code, meaning) in try Self.exitCodes() {
      let words = NSRegularExpression.escapedPattern(for: meaning.replacing("-", with: "\\-"))
      #expect(page.matches(of: try Regex("(?m)^\(code) +\(words)$")).count == 1)
    }
  }

  @Test func thePagesAreWrittenAndRead() throws {
    let directory = freshPath()
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    #expect(try Self.text("man", "--into", directory) == "")
    let pages = try FileManager.default.contentsOfDirectory(atPath: directory)
    let wanted = try Set(["baton.1", "baton-bench-chain.1"] + Self.subcommands().map { "baton-\($0).1" })
    #expect(wanted.isSubset(of: pages))
    for subcommand in try Self.subcommands() {
      let page = try String(contentsOfFile: "\(directory)/baton-\(subcommand).1", encoding: .utf8)
      #expect(page.hasPrefix(".TH BATON-\(subcommand.uppercased()) 1 "))
      if subcommand == "send" { #expect(try Self.text("man", subcommand) + "\n" == page) }
    }
    guard Self.isInstalled("groff") else { return }
    let paths = pages.map { "\(directory)/\($0)" }
    let groff = try Program(["groff", "-man", "-ww", "-z", "-Tutf8"] + paths, path: "/usr/bin/env")
    #expect(groff.remainingErrorLines() == [])
    #expect(groff.wait() == 0)
    let missing = try Program(["man", "--into", "\(directory)/nowhere"])
    #expect(missing.errorLine()?.hasSuffix("cannot be written: No such file or directory") == true)
    #expect(missing.wait() == 64)
  }

  /// What the page of commands says of exit codes.
  private static func exitCodes() throws -> [(String, String)] {
    try page("Docs/commands.md").matches(of: /(?m)^\| ([0-9]+) \| (.+) \|$/).map { (String($0.1), String($0.2)) }
  }

  @Test func theExitCodesOfThePageAreThoseOfTheHelp() throws {
    let help = try Self.text("--help")
    let section = try #require(help.firstMatch(of: /EXIT CODES:\n((?:  .*\n)+)/)).1
    let codes = section.split(separator: "\n").map { line in
      let words = line.split(separator: " ", maxSplits: 1)
      return "\(words[0]) \(words[1].drop { $0 == " " })"
    }
    #expect(codes == (try Self.exitCodes().map { "\($0.0) \($0.1)" }))
    #expect(codes.count == 11)
  }
}
