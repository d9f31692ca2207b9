import Foundation
import ProgramKit
import Testing

/// What shells offer of a running server while somebody types.
@Suite struct CompletionTests {
  private let server: RunningServer
  private let peer: Peer

  init() throws {
    server = try RunningServer()
    peer = try server.peer(
      saying: #"{"op":"insert","handler":"porter","accepts":["door.*","door.open"]}"#,
      #"{"op":"insert","chain":"kitchen","handler":"cook","accepts":["soup.>"]}"#)
    // A topic that only a message had.
    _ = try server.peer().ask(#"{"op":"send","chain":"kitchen","topic":"bread.new"}"#)
  }

  /// What the program tells a shell, in the way of its completion scripts.
  private func offered(_ words: String..., for argument: String..., at place: String? = nil) throws -> [String] {
    let program = try Program(
      ["---completion", words[1], "--"] + argument + ["\(words.count)", "0"] + words + [""],
      environment: ["BATON_SERVER=\(place ?? server.address)"])
    let lines = program.remainingLines().filter { !$0.isEmpty }
    #expect(program.remainingErrorLines() == [])
    _ = program.wait()
    return lines
  }

  @Test func chainsHandlersAndTopics() throws {
    #expect(try offered("baton", "send", "--chain", for: "--chain") == ["kitchen", "main"])
    #expect(try offered("baton", "remove", for: "positional@0") == ["cook", "porter"])
    #expect(try offered("baton", "remove", "--chain", "kitchen", for: "positional@0") == ["cook"])
    #expect(try offered("baton", "send", for: "positional@0") == ["door.open", "bread.new"])
    #expect(try offered("baton", "subscribe", for: "positional@0") == ["soup.>", "door.*", "door.open", "bread.new"])
    #expect(try offered("baton", "walks", for: "positional@0") == ["1"])
    #expect(try offered("baton", "close", for: "positional@0").contains("1"))
  }

  @Test func theServerThatIsTypedIsAsked() throws {
    let other = try RunningServer()
    let handler = try other.peer(saying: #"{"op":"insert","chain":"garden","handler":"h"}"#)
    #expect(try offered("baton", "send", "--server", other.address, "--chain", for: "--chain") == ["garden"])
    withExtendedLifetime(handler) {}
  }

  @Test func withoutAServerNothingIsSaid() throws {
    for place in ["unix:/nowhere/at/all", "127.0.0.1:1", "no place"] {
      #expect(try offered("baton", "send", "--chain", for: "--chain", at: place) == [])
    }
  }

  /// An attempt to connect takes ten seconds at most. Nobody waits so long for a shell.
  @Test func aServerThatDoesNotAnswerIsNotWaitedFor() throws {
    let fake = try FakeServer()
    let program = try Program(
      ["---completion", "send", "--", "--chain", "3", "0", "baton", "send", "--chain", ""],
      environment: ["BATON_SERVER=\(fake.place)"])
    let peer = fake.take()
    #expect(peer.line()?.contains(#""op":"hello""#) == true)
    #expect([0, 64].contains(program.wait(within: 5000)))
    withExtendedLifetime(peer) {}
  }

  // MARK: The shells

  /// The path of a folder with the script of that shell under its name, and with `baton`; nil, and a word, if the shell is
  /// not there.
  private func folder(for shell: String, script: String) throws -> String? {
    let places = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    guard places.contains(where: { FileManager.default.isExecutableFile(atPath: "\($0)/\(shell)") }) else {
      print("\(shell) is not installed: its completion was not tried")
      return nil
    }
    let folder = freshPath()
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(atPath: "\(folder)/baton", withDestinationPath: Program.path)
    let text = try Program(["completions", shell]).remainingLines().joined(separator: "\n")
    try Data((text + "\n").utf8).write(to: URL(fileURLWithPath: "\(folder)/\(script)"))
    return folder
  }

  private var environment: [String] {
    ["BATON_SERVER=\(server.address)"]
  }

  @Test func bash() throws {
    guard let folder = try folder(for: "bash", script: "script") else { return }
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let script = """
      PATH=\(folder):$PATH; source \(folder)/script
      try() {
        COMP_LINE="$*"; COMP_WORDS=($COMP_LINE ''); COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        COMP_POINT=${#COMP_LINE}; COMP_TYPE=9; COMPREPLY=()
        _baton baton "" "${COMP_WORDS[COMP_CWORD - 1]}"; echo "${COMPREPLY[@]}"
      }
      try 'baton send --chain '; try 'baton remove '; try 'baton send '
      """
    let shell = try Program(["bash", "-c", script], environment: environment, path: "/usr/bin/env")
    #expect(shell.remainingLines() == ["kitchen main", "cook porter", "door.open bread.new"])
    #expect(shell.remainingErrorLines() == [])
  }

  /// Types `baton send --chain ki`, a tab and a line's end into a shell on a terminal of its own.
  private func typed(_ shell: [String], _ first: String, ready: String, _ folder: String) throws -> String {
    let terminal = try Terminal(columns: 100, rows: 24)
    let child = try Child(
      ["/usr/bin/env"] + shell, environment: environment + ["TERM=dumb"] + Child.environment, leading: .session
    ) { streams in
      posix_spawn_file_actions_addopen(&streams, 0, terminal.name, O_RDWR, 0)
      posix_spawn_file_actions_adddup2(&streams, 0, 1)
      posix_spawn_file_actions_adddup2(&streams, 0, 2)
    }
    var seen = ""
    func read(until text: String) {
      while !seen.contains(text), let part = terminal.readPart() { seen += String(decoding: part, as: UTF8.self) }
    }
    terminal.type("export PATH=\(folder):$PATH; \(first); echo rea''dy\r")
    read(until: ready)
    terminal.type("baton send --chain ki\t")
    read(until: "kitchen")
    withExtendedLifetime(child) {}
    return seen
  }

  @Test func zsh() throws {
    guard let folder = try folder(for: "zsh", script: "_baton") else { return }
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let first = "fpath=(\(folder) $fpath); autoload -U compinit; compinit -u -D"
    #expect(try typed(["zsh", "-f", "-i"], first, ready: "ready", folder).contains("kitchen"))
  }

  @Test func fish() throws {
    guard let folder = try folder(for: "fish", script: "script.fish") else { return }
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let first = "source \(folder)/script.fish"
    #expect(try typed(["fish", "--no-config", "-i"], first, ready: "ready", folder).contains("kitchen"))
  }
}
