import Foundation
import ProgramKit
import Testing

/// What a person meets who types something wrong, asks for help, or has a full disk.
@Suite struct CommandLineTests {
  // MARK: Subcommands

  @Test(arguments: [
    (["sned"], #"Error: there is no subcommand "baton sned"; did you mean "baton send"?"#),
    (["pub", "t", "1"], #"Error: there is no subcommand "baton pub"; did you mean "baton broadcast"?"#),
    (["run"], #"Error: there is no subcommand "baton run"; did you mean "baton serve"?"#),
    (["help", "nosuch"], #"Error: there is no subcommand "baton nosuch""#),
    (["help", "chians"], #"Error: there is no subcommand "baton chians"; did you mean "baton chains"?"#),
    (["config", "chek"], #"Error: there is no subcommand "baton config chek"; did you mean "baton config check"?"#),
  ])
  func aMistypedSubcommandGetsASuggestion(_ arguments: [String], line: String) throws {
    let program = try Program(arguments)
    let group = arguments[0] == "config" ? "baton config" : "baton"
    #expect(program.remainingErrorLines() == [line, "  \(group) --help lists the subcommands."])
    #expect(program.remainingLines() == [])
    #expect(program.wait() == 64)
  }

  @Test(arguments: [["help", "send"], ["send", "--help"], ["help"], ["help", "config"], ["--version"]])
  func whatWasAskedForIsOutput(_ arguments: [String]) throws {
    let program = try Program(arguments)
    #expect(!program.remainingLines().isEmpty)
    #expect(program.remainingErrorLines() == [])
    #expect(program.wait() == 0)
  }

  /// A script whose variable is empty has meant a command.
  @Test(arguments: [[], ["config"], ["store"], ["dead"], ["bench"]]) func aGroupAloneIsNoCommand(_ arguments: [String])
    throws
  {
    let program = try Program(arguments)
    #expect(program.remainingLines() == [])
    #expect(program.remainingErrorLines().contains { $0.hasPrefix("USAGE: baton") })
    #expect(program.wait() == 64)
  }

  // MARK: Help

  /// All commands, as words.
  private static func commands() throws -> [[String]] {
    let top = try text("--help").matches(of: /(?m)^  ([a-z]+)\ {2,}/).map { [String($0.1)] }
    let below = try ["config", "bench"].flatMap { group in
      try text(group, "--help").matches(of: /(?m)^  ([a-z]+)\ {2,}/).map { [group, String($0.1)] }
    }
    return [[]] + top + below
  }

  private static func text(_ arguments: String...) throws -> String {
    try Program(arguments).remainingLines().joined(separator: "\n")
  }

  @Test func helpFitsEightyColumns() throws {
    let commands = try Self.commands()
    #expect(commands.count > 25)
    for command in commands {
      let program = try Program(command + ["--help"])
      let lines = program.remainingLines()
      #expect(program.wait() == 0 && lines.contains { $0.hasPrefix("USAGE: baton") })
      for line in lines { #expect(line.count <= 80, "\(command): \(line)") }
    }
    let narrow = try TerminalProgram(["--help"], columns: 60, rows: 24)
    #expect(narrow.wait() == 0)
    #expect(narrow.screen.faults == [])
  }

  /// A terminal of 24 lines shows the beginning of the help and each command; one that is high enough, all of it.
  @Test func theHelpFitsOneScreen() throws {
    let low = try TerminalProgram(["--help"], columns: 80, rows: 24)
    #expect(low.wait() == 0)
    #expect(low.screen.lines.count <= 24)
    let shown = low.screen.text
    #expect(shown.contains("Passes a message down a chain"))
    for command in try Self.commands() where command.count == 1 { #expect(shown.contains(command[0]), "\(command)") }
    let high = try TerminalProgram(["--help"], columns: 80, rows: 200)
    #expect(high.wait() == 0 && high.screen.text.contains("EXIT CODES:"))
  }

  /// What is broken goes on below the text of its column, and not at the beginning of a line.
  @Test func brokenLinesStayInTheirColumns() throws {
    let help = try Self.text("--help")
    #expect(
      help.contains(
        "\n  BATON_TLS_CA      the authorities of servers at tls:HOST:PORT if --tls-ca is\n                    not"))
    let usage = try Self.text("chains", "--help")
    #expect(usage.contains(/\nUSAGE: baton chains \[<name>\] .*\]\n {13}\[--/))
  }

  // MARK: Outputs that cannot be written

  @Test(arguments: [
    ["chains"], ["chains", "--json"], ["top"], ["walks"], ["changes"], ["explain", "t"], ["--help"], ["--version"],
    ["man"], ["completions", "bash"], ["serve", "--list-settings"], ["send", "t", "--json"],
  ])
  func aFullDiskIsAnError(_ arguments: [String]) throws {
    guard FileManager.default.fileExists(atPath: "/dev/full") else { return }
    let server = try RunningServer()
    let peer = try server.peer(saying: #"{"op":"insert","handler":"h","accepts":["x"]}"#)
    let program = try Program(
      ["-c", "exec \"$@\" > /dev/full", "sh", Program.path] + arguments,
      environment: ["BATON_SERVER=\(server.address)"],
      path: "/bin/sh")
    #expect(program.remainingErrorLines() == ["baton: standard output cannot be written: No space left on device"])
    #expect(program.wait() == 1)
    withExtendedLifetime(peer) {}
  }

  // MARK: Errors for programs

  @Test(
    arguments: [
      (
        ["chains", "mian"], 1,
        #"{"op":"error","code":"no_such_chain","message":"there is no chain \"mian\"; did you mean"#
      ),
      (["remove", "portr"], 1, #"{"op":"error","code":"no_such_handler","message":"#),
      (["close", "99"], 1, #"{"op":"error","code":"no_such_connection","message":"there is no connection 99; baton"#),
      (["mount", "main", "main"], 1, #"{"op":"error","code":""#),
      (["walks", "99"], 1, #"{"op":"walks","#),
      (["handle", "x", "--name", "porter", "--reply", "1"], 1, #"{"op":"error","code":"name_taken","message":"#),
      (
        ["chains", "--server", "unix:/nowhere/at/all"], 3,
        #"{"op":"error","code":"unreachable","message":"no server can"#
      ),
      (["subscribe", "a", "--format", "x"], 64, #"{"op":"error","code":"usage","message":"give only one of --json"#),
      (["chains", "--nope"], 64, #"{"op":"error","code":"usage","message":"Unknown option '--nope'""#),
      (["send", "t", "{"], 64, #"{"op":"error","code":"usage","message":"the payload begins like JSON and is not: "#),
    ] as [([String], Int32, String)])
  func errorsAreJSONToo(_ arguments: [String], code: Int32, line: String) throws {
    let server = try RunningServer()
    let peer = try server.peer(saying: #"{"op":"insert","handler":"porter"}"#)
    let program = try Program(
      arguments + ["--json"], environment: ["BATON_SERVER=\(server.address)"])
    let lines = program.remainingLines()
    #expect(lines.count == 1 && lines[0].hasPrefix(line), "\(lines)")
    #expect(program.remainingErrorLines() == [])
    #expect(program.wait() == code)
    withExtendedLifetime(peer) {}
  }

  @Test func verdictsAreInTheJSONOfAHandler() throws {
    let server = try RunningServer()
    let handler = try server.handler(">", "--name", "h", "--reply", "7", "--json")
    _ = try server.send("t", "3")
    #expect(handler.line()?.hasPrefix(#"{"op":"offer","id":1,"#) == true)
    #expect(handler.line() == #"{"op":"handled","id":1,"payload":7}"#)
  }

  // MARK: Files that cannot be run

  @Test func aFileThatCannotBeRunIsNotMissing() throws {
    let path = freshPath()
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Data("#!/no/such/interpreter\n".utf8).write(to: URL(fileURLWithPath: path))
    func complaint(_ file: String) throws -> String {
      let program = try Program(["handle", "x", "--server", "unix:/nowhere", "--", file])
      let line = program.errorLine() ?? ""
      #expect(program.wait() == 64)
      return line
    }
    #expect(
      try complaint(path) == "Error: \"\(path)\" is there, but may not be run; if it is a program: chmod +x \(path)")
    chmod(path, 0o700)
    #expect(
      try complaint(path)
        == "Error: \"\(path)\" cannot be run: its first line names /no/such/interpreter, which is not there or may not be run"
    )
    for line in ["#!/bin/sh\r\n", "#!/usr/bin/env python3\r\n", "#!/bin/sh -e\r\n"] {
      try Data(line.utf8).write(to: URL(fileURLWithPath: path))
      #expect(
        try complaint(path)
          == "Error: \"\(path)\" cannot be run: its lines end with CR LF, as on Windows, and the system takes the CR for a "
          + "part of the interpreter's name; end them with LF alone: dos2unix \(path)")
    }
    #expect(try complaint("/tmp") == "Error: \"/tmp\" is a folder, and no program")
    #expect(try complaint(path + "x") == "Error: there is no program \"\(path)x\"")
  }

  // MARK: What is wrong with a value

  @Test(arguments: [
    (["close", "x"], "Error: The value 'x' is invalid for '<connection>': it is not a whole number"),
    (["walks", "x"], "Error: The value 'x' is invalid for '<walk>': it is not a whole number"),
    (["close", "0"], "Error: <connection> is the number of a connection, from 1; baton connections shows the numbers"),
    (["subscribe", "a", "-n", "x"], "Error: The value 'x' is invalid for '-n <count>': it is not a whole number"),
    (
      ["serve", "--port", "99999"],
      "Error: The value '99999' is invalid for '--port <port>': it must be a number from 0"
    ),
    (
      ["send", "t", "--timeout", "-5"], "Error: The value '-5' is invalid for '--timeout <time>': \"-5\" is not a time;"
    ),
    (
      ["trace", "--slower-than", "soon"], "Error: The value 'soon' is invalid for '--slower-than <ms>': \"soon\" is not"
    ),
    (["send", "t", "@"], "Error: @ has no name of a file behind it; write @FILE"),
    (["stuck", "--chain", "a b"], "Error: The value 'a b' is invalid for '--chain <chain>': it contains a character"),
    (["man", "sned"], "Error: there is no page baton-sned; did you mean baton-send?"),
    (
      ["healthcheck", "--timeout", "0"], "Error: The value '0' is invalid for '--timeout <time>': the least time is 1ms"
    ),
  ])
  func theReasonIsSaid(_ arguments: [String], line: String) throws {
    let program = try Program(
      arguments + (["serve", "man"].contains(arguments[0]) ? [] : ["--server", "unix:/nowhere"]))
    let said = program.remainingErrorLines()
    #expect(said.first?.hasPrefix(line) == true, "\(said)")
    #expect(program.wait() == 64)
  }

  @Test func aPayloadThatBeginsWithADashStandsBehindTwo() throws {
    let server = try RunningServer()
    let wrong = try server.run("send", "t", "-5")
    #expect(
      wrong.remainingErrorLines().last == "  A payload that begins with - stands behind --: baton send TOPIC -- -5")
    #expect(wrong.wait() == 64)
    let handler = try server.handler(">", "--name", "h", "--", "cat")
    let right = try Program(["send", "t", "--server", server.address, "--", "-5"])
    #expect(right.remainingLines() == ["-5"])
    withExtendedLifetime(handler) {}
  }

  @Test func bytesThatAreNoTextAreRefused() throws {
    let script = #"exec "$0" send t "$(printf 'a\377')" --server unix:/nowhere"#
    let program = try Program(["-c", script, Program.path], path: "/bin/sh")
    #expect(program.errorLine()?.hasPrefix("Error: argument 3 is not UTF-8 text: ") == true)
    #expect(program.wait() == 64)
  }

  /// Nobody has written the line of JSON in which a byte would be wrong.
  @Test func aTokenThatNobodyAsksForIsToldInWordsOfTheProgram() throws {
    let server = try RunningServer()
    let program = try Program(["whoami", "--server", server.address], environment: ["BATON_TOKEN=x"])
    #expect(
      program.remainingErrorLines() == [
        "baton: this server has no tokens; leave out BATON_TOKEN, BATON_TOKEN_FILE and --token-file (bad_member)"
      ])
    #expect(program.wait() == 1)
  }

  @Test func theNameThatIsMissingGetsTheHint() throws {
    let server = try RunningServer()
    let peer = try server.peer(
      saying: #"{"op":"insert","handler":"porter"}"#, #"{"op":"insert","handler":"butler"}"#)
    for arguments in [["move", "butler", "--before", "portre"], ["mount", "main", "x", "--before", "portre"]] {
      let program = try server.run(arguments)
      let said = program.remainingErrorLines().joined(separator: "\n")
      #expect(said.matches(of: /did you mean "porter"\?/).count == 1, "\(said)")
      #expect(program.wait() == 1)
    }
    let far = try server.run("move", "butler", "--before", "cook")
    #expect(far.remainingErrorLines().contains { $0.contains("did you mean") } == false)
    withExtendedLifetime(peer) {}
  }

  // MARK: Terminals and pipes

  @Test func aDumbTerminalGetsOneLook() throws {
    let server = try RunningServer()
    let terminal = try TerminalProgram(
      ["top", "--server", server.address], columns: 80, rows: 24, environment: ["TERM=dumb"])
    #expect(terminal.wait() == 0)
    #expect(!terminal.screen.hasStyles && !terminal.screen.isAlternate)
    #expect(terminal.screen.lines.contains { $0.contains("draining") })
  }

  @Test func aTraceEndsWithItsReaderWithoutAnotherWalk() throws {
    let server = try RunningServer()
    let program = try server.run("trace")
    #expect(program.line()?.hasPrefix("time\t") == true)
    program.stopReading()
    #expect([0, -SIGPIPE].contains(program.wait()))
    #expect(program.remainingErrorLines() == [])
  }
}
