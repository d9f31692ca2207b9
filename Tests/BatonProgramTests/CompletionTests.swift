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
      environment: ["BATON_SERVER=\(place ?? server.address)", Self.patience])
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

  /// A machine that is busy with other tests may need longer than a person waits.
  private static let patience = "BATON_COMPLETION_MS=60000"

  private var environment: [String] {
    ["BATON_SERVER=\(server.address)", Self.patience]
  }

  /// The script of bash with `try`, which prints what is offered behind its argument, one word a line.
  private static func trying(_ folder: String) -> String {
    """
    PATH=\(folder):$PATH; source \(folder)/script
    try() {
      COMP_LINE="$*"; COMP_WORDS=($COMP_LINE ''); COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
      COMP_POINT=${#COMP_LINE}; COMP_TYPE=9; COMPREPLY=()
      _baton baton "" "${COMP_WORDS[COMP_CWORD - 1]}"; printf '%s\\n' "${COMPREPLY[@]}"
    }

    """
  }

  @Test func bash() throws {
    guard let folder = try folder(for: "bash", script: "script") else { return }
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let script = Self.trying(folder) + "try 'baton send --chain '; try 'baton remove '; try 'baton send '"
    let shell = try Program(["bash", "-c", script], environment: environment, path: "/usr/bin/env")
    #expect(shell.remainingLines() == ["kitchen", "main", "cook", "porter", "door.open", "bread.new"])
    #expect(shell.remainingErrorLines() == [])
  }

  /// The script runs nothing that it is given, also beside a program that gives it everything.
  @Test func bashTakesWordsAsTheyAre() throws {
    guard let folder = try folder(for: "bash", script: "script") else { return }
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let words = folder + "/words"
    try Data(Self.evil.map { $0 + "\n" }.joined().utf8).write(to: URL(fileURLWithPath: words))
    let script = Self.trying(folder) + "cd \(folder); baton() { cat words; }; try 'baton send '; ls"
    let shell = try Program(["bash", "-c", script], path: "/usr/bin/env")
    #expect(shell.remainingLines() == Self.evil + ["baton", "script", "words"])
    #expect(shell.remainingErrorLines() == [])
  }

  /// Somebody at a shell that completes, in the empty folder `at` of `folder`. `first` makes it complete.
  private func typist(_ shell: [String], _ first: String, in folder: String) throws -> Typist {
    let typist = try Typist(shell, environment: environment + ["TERM=dumb"])
    try FileManager.default.createDirectory(atPath: "\(folder)/at", withIntermediateDirectories: false)
    let first = first.replacing("FOLDER", with: folder)
    typist.type("export PATH=\(folder):$PATH; \(first); cd \(folder)/at && echo rea''dy\r")
    typist.see("ready")
    return typist
  }

  /// Each shell that is installed, with the command that makes it complete.
  private static let shells: [(words: [String], script: String, first: String)] = [
    (["bash", "--norc", "--noprofile", "-i"], "script", "source FOLDER/script"),
    (["zsh", "-f", "-i"], "_baton", "fpath=(FOLDER $fpath); autoload -U compinit; compinit -u -D"),
    (["fish", "--no-config", "-i"], "script.fish", "source FOLDER/script.fish"),
  ]

  /// What strangers put in the place of names. Each would make a file, or be an option, in a shell that takes a word of
  /// others for its own.
  private static let evil = [
    "door.$(touch${IFS}x)", "door.`touch${IFS}x`", "door.;touch${IFS}x;", "door.\u{27};touch${IFS}x;\u{27}",
    "door.\"$(touch${IFS}x)\"", "door.\\$(touch${IFS}x)", "door.{a,b}", "door.<(touch${IFS}x)", "door.=(touch${IFS}x)",
    "door.(touch${IFS}x)", "door.\u{202E}x", "--rm", "-x", "~root",
  ]

  @Test func wordsOfOthersAreNoCommands() throws {
    let stranger = try server.peer()
    for word in Self.evil {
      let quoted = String(decoding: try JSONEncoder().encode(word), as: UTF8.self)
      #expect(stranger.ask(#"{"op":"send","chain":"kitchen","topic":\#(quoted)}"#)?.contains("result") == true)
    }
    let all = String(decoding: try JSONEncoder().encode(Self.evil), as: UTF8.self)
    #expect(stranger.ask(#"{"op":"insert","handler":"--rm","accepts":\#(all)}"#)?.contains(#""op":"ok""#) == true)
    defer { withExtendedLifetime(stranger) {} }
    #expect(try offered("baton", "send", for: "positional@0") == ["door.open", "bread.new"])
    #expect(try offered("baton", "remove", for: "positional@0") == ["cook", "porter"])

    for (words, script, first) in Self.shells {
      guard let folder = try folder(for: words[0], script: script) else { continue }
      defer { try? FileManager.default.removeItem(atPath: folder) }
      let typist = try typist(words, first, in: folder)
      typist.type("baton send door.\t")
      typist.see("door.open")
      // A wildcard that a shell puts in stays a word.
      typist.type("\u{15}baton subscribe soup\t\u{1}echo \u{5}; echo do''ne\r")
      typist.see("subscribe soup.>")
      typist.see("done")
      #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder)/at") == [], "\(words[0])")
    }
  }

  @Test func theShellsCompleteOnATerminal() throws {
    for (words, script, first) in Self.shells {
      guard let folder = try folder(for: words[0], script: script) else { continue }
      defer { try? FileManager.default.removeItem(atPath: folder) }
      let typist = try typist(words, first, in: folder)
      typist.type("baton send --chain ki\t")
      typist.see("kitchen")
    }
  }
}
