import Foundation
import ProgramKit
import Testing

/// `baton config` and `baton token`: what they print, and their exit codes. `BatonConfigTests` tests what they know.
@Suite struct ConfigTests {
  /// A file that a test wrote; it is gone with the value.
  private final class File {
    let path = freshPath() + ".yaml"

    init(_ text: String) throws { try text.write(toFile: path, atomically: false, encoding: .utf8) }

    deinit { unlink(path) }
  }

  /// What a program prints and says, and its exit code.
  private struct Run {
    let lines: [String]
    let errors: [String]
    let code: Int32

    init(_ arguments: [String], environment: [String] = []) throws {
      let program = try Program(arguments, environment: environment)
      lines = program.remainingLines()
      errors = program.remainingErrorLines()
      code = program.wait()
    }
  }

  private static let right = """
    listen: [unix:a.sock]
    settings: { window: 7 }
    peers:
      web:
        user: root
        may:
          - send to main on door.*
      ann:
        token: sha256:1b4f0e9851971998e732078544c96b36c3d01cedf7caa332359d6f1d83567014
        may: [everything]

    """

  @Test func checkSaysOkOrAllThatIsWrong() throws {
    let right = try File(Self.right)
    var run = try Run(["config", "check", right.path])
    #expect(run.lines == ["ok"] && run.code == 0)
    let wrong = try File("settings:\n  windw: 1\n  max_line: 5\nlisten: [tcp:0.0.0.0:1]\nopen: true\n")
    for arguments in [[wrong.path], ["--config", wrong.path]] {
      run = try Run(["config", "check"] + arguments)
      #expect(
        run.lines == [
          "\(wrong.path):2:3: there is no setting \"windw\"; did you mean \"window\"?",
          "\(wrong.path):3:13: max_line must be from 8192 to 268435456, not 5",
        ])
      #expect(run.code == 1)
    }
    run = try Run(["config", "check"], environment: ["BATON_CONFIG=\(right.path)"])
    #expect(run.lines == ["ok"] && run.code == 0)
    run = try Run(["config", "check"])
    #expect(run.code == 64)
    run = try Run(["config", "check", "/nowhere/baton.yaml"])
    #expect(run.lines == ["/nowhere/baton.yaml: the file cannot be read: No such file or directory"] && run.code == 1)
  }

  @Test func checkSpeaksJSON() throws {
    let wrong = try File("settings:\n  windw: 1\n")
    let run = try Run(["config", "check", wrong.path, "--json"])
    #expect(
      run.lines == [
        #"{"errors":[{"file":"\#(wrong.path)","line":2,"column":3,"message":"#
          + #""there is no setting \"windw\"; did you mean \"window\"?"}],"warnings":[]}"#
      ])
    #expect(run.code == 1)
    let open = try File("open: true\n")
    let warned = try Run(["config", "check", open.path, "--json"])
    #expect(
      warned.lines.first?.hasPrefix(#"{"errors":[],"warnings":[{"file":"\#(open.path)","line":1,"column":7,"#) == true)
    #expect(warned.code == 0)
  }

  @Test func whatInitPrintsIsRight() throws {
    let run = try Run(["config", "init"])
    #expect(run.code == 0)
    let file = try File(run.lines.joined(separator: "\n"))
    #expect(try Run(["config", "check", file.path]).lines == ["ok"])
    let server = try Program(["serve", "--config", file.path, "--listen", "unix:\(freshPath())"])
    let place = try #require(server.places().first)
    #expect(try Peer(place).ask(#"{"op":"send","topic":"t"}"#)?.contains(#""status":"unhandled""#) == true)
    let json = try Run(["config", "init", "--json"])
    let object = try JSONSerialization.jsonObject(with: Data((json.lines.first ?? "").utf8)) as? [String: String]
    #expect(object?["text"]?.hasPrefix(run.lines[0]) == true)
  }

  @Test func showSaysWhereEachValueComesFrom() throws {
    let file = try File(Self.right)
    let run = try Run(["config", "show", file.path, "--set", "timeout_ms=5000"])
    #expect(run.code == 0)
    #expect(run.lines.contains("settings.window\t7\t\(file.path):2:21"))
    #expect(run.lines.contains("settings.timeout_ms\t5000\t--set"))
    #expect(run.lines.contains { $0.hasPrefix("settings.max_line\t") && $0.hasSuffix("\tdefault") })
    #expect(run.lines.contains("peers.web.may\tsend to main on door.*\t\(file.path):7:9"))
    #expect(!run.lines.contains { $0.contains("1b4f0e98") })
    let json = try Run(["config", "show", "--json", "--open"], environment: ["BATON_CONFIG="])
    let object =
      try JSONSerialization.jsonObject(with: Data((json.lines.first ?? "").utf8)) as? [String: [[String: Any]]]
    #expect(object?["values"]?.contains { $0["option"] as? String == "--open" } == true)
    #expect(try Run(["config", "show", file.path, "--open"]).code == 64)
  }

  @Test(arguments: [
    (["web", "send to main on door.open"], 0, "web may: \"send to main on door.*\" ("),
    (["web", "send to main"], 1, "web may not; it needs \"send to main\""),
    (["ann", "manage server"], 0, "ann may: \"everything\" ("),
    (["wob", "send to main"], 64, "did you mean \"web\"?"),
    (["web", "sed to main"], 64, "did you mean \"send\"?"),
  ])
  func mayAnswers(arguments: [String], code: Int32, words: String) throws {
    let file = try File(Self.right)
    let run = try Run(["config", "may"] + arguments + [file.path])
    #expect(run.code == code)
    #expect((run.lines + run.errors).count == 1)
    #expect((run.lines + run.errors).first?.contains(words) == true, "\(run)")
  }

  @Test func maySpeaksJSON() throws {
    let file = try File(Self.right)
    let allowed = try Run(["config", "may", "web", "send to main on door.open", file.path, "--json"])
    #expect(
      allowed.lines == [
        #"{"allowed":true,"by":[{"right":"send to main on door.*","from":"file","file":"\#(file.path)","line":7,"#
          + #""column":9}]}"#
      ])
    #expect(allowed.code == 0)
    let refused = try Run(["config", "may", "web", "broadcast a via b", file.path, "--json"])
    #expect(
      refused.lines == [
        #"{"allowed":false,"needs":[["broadcast a via b"],["broadcast a","send to b on a"]]}"#
      ])
    #expect(refused.code == 1)
  }

  @Test func showTellsChains() throws {
    let file = try File("chains: { main: { links: [{ handler: words, timeout_ms: 5 }] } }\nopen: local\n")
    let run = try Run(["config", "show", file.path, "--guard", "other/gate"])
    #expect(run.lines.contains("chains.main.links\thandler words\t\(file.path):1:27"))
    #expect(run.lines.contains("chains.main.words.timeout_ms\t5\t\(file.path):1:57"))
    #expect(run.lines.contains("chains.other.gate.required\ttrue\t--guard"))
    #expect(try Run(["config", "show", file.path, "--guard", "main/gate"]).code == 64)
  }

  @Test func mayNeedsARightFile() throws {
    let wrong = try File("peers: {}\n")
    #expect(try Run(["config", "may", "a", "everything", wrong.path]).code == 64)
    let silent = try File("settings: { window: 1 }\n")
    #expect(try Run(["config", "may", "a", "everything", silent.path]).code == 64)
  }

  /// A right with a pattern counts for links that are not declared; the server does the same.
  @Test func aDeclaredLinkIsServedByWhomTheFileNamesInFull() throws {
    let file = try File(
      """
      chains: { main: { links: [{ handler: words }], open: true } }
      peers:
        ann: { user: root, may: [serve main/*] }
        bob: { user: daemon, may: [serve main/words] }
      listen: [unix:a.sock]

      """)
    #expect(try Run(["config", "may", "ann", "serve main/words", file.path]).code == 1)
    #expect(try Run(["config", "may", "ann", "serve main/other", file.path]).code == 0)
    #expect(try Run(["config", "may", "bob", "serve main/words", file.path]).code == 0)
  }

  @Test func mistakesAreJSONWhereAllElseIs() throws {
    let wrong = try File("peers: {}\n")
    let right = try File(Self.right)
    for arguments in [
      ["show", wrong.path], ["show", "/nowhere"], ["may", "a", "everything", wrong.path], ["diff", "/nowhere"],
      ["may", "wob", "everything", right.path], ["may", "web", "sed", right.path],
    ] {
      let run = try Run(["config"] + arguments + ["--json"])
      let object = try JSONSerialization.jsonObject(with: Data((run.lines.first ?? "").utf8)) as? [String: Any]
      #expect((object?["errors"] as? [Any])?.count == 1 && run.errors == [] && run.code == 64, "\(arguments)")
    }
  }

  /// No machine has such a socket.
  @Test func theCheckFindsAPathThatIsTooLong() throws {
    let path = "/" + String(repeating: "a", count: 107)
    let file = try File("listen: [ 'unix:\(path)' ]\n")
    let check = try Run(["config", "check", file.path])
    #expect(check.code == 1)
    #expect(check.lines.contains { $0.contains("the path of this socket has 108 bytes, and the system allows 10") })
  }

  /// The file may be checked on another machine than the server's.
  @Test func checkWarnsOfWhatThisMachineLacksAndServeTellsAllOfIt() throws {
    let file = try File(
      """
      listen: [tls:127.0.0.1:0, { unix: a.sock, group: nobodies }]
      tls: { certificate: /nowhere/a.pem, key: /nowhere/b.pem }
      peers: { ann: { user: nobody-at-all, may: [] } }
      store: /nowhere/store

      """)
    let check = try Run(["config", "check", file.path])
    let words = [
      "1:27: warning: this machine has no group \"nobodies\"", "2:21: warning: there is no file /nowhere/a.pem",
      "2:42: warning: there is no file /nowhere/b.pem", "3:23: warning: this machine has no user \"nobody-at-all\"",
      "4:8: warning: a server does not start here: /nowhere/store cannot be made: there is no folder /nowhere; make the",
    ]
    #expect(check.code == 0 && check.lines.last == "ok")
    for word in words { #expect(check.lines.contains { $0.hasPrefix("\(file.path):\(word)") }, "\(check.lines)") }
    let serve = try Run(["serve", "--config", file.path])
    #expect(serve.code == 64 && serve.errors.count == 3, "\(serve.errors)")
  }

  @Test func theCheckFindsPathsThatCannotBe() throws {
    let taken = try File(String(repeating: "# no socket, and no store\n", count: 40))
    let folder = URL(fileURLWithPath: taken.path).deletingLastPathComponent().path
    for (text, code, words) in [
      ("listen: [unix:/nowhere/a.sock]", 0, ": warning: there is no folder /nowhere on this machine; a server"),
      ("listen: ['unix:\(taken.path)']", 0, ": warning: \(taken.path) is there already, and is no socket; a"),
      ("listen: ['unix:\(folder)/a', 'unix:\(folder)/./a']", 1, ": unix:\(folder)/./a is unix:\(folder)/a ("),
      ("store: \(folder)/a\nlisten: ['unix:\(folder)/./a']", 1, ": unix:\(folder)/./a is the store ("),
      ("store: \(folder)/a\nlisten: ['unix:\(folder)/a-wal']", 1, ": unix:\(folder)/a-wal is a file beside the"),
      ("store: \(folder)", 0, ": warning: a server does not start here: \(folder) is no file"),
      ("store: \(taken.path)", 0, ": warning: a server does not start here: \(taken.path) does not begin as a store"),
      ("listen: ['tcp:127.0.0.1:7', 'tcp:localhost:7']", 0, ": warning: tcp:127.0.0.1:7 ("),
      ("listen: ['tcp:127.0.0.1:7', 'tcp:[::1]:7', 'tcp:example.com:8', 'tcp:[::1]:8']", 0, "ok"),
      ("listen: ['tcp:127.0.0.1:7']\nhttp: ['http:localhost:7']", 0, ": warning: tcp:127.0.0.1:7 ("),
    ] {
      let file = try File(text + "\nopen: false\n")
      let check = try Run(["config", "check", file.path])
      #expect(check.code == Int32(code) && check.lines.first?.contains(words) == true, "\(check.lines)")
    }
  }

  /// `::` has the port at each other address, too.
  @Test(arguments: ["0.0.0.0", "127.0.0.1", "localhost", "[::1]"]) func theCheckFindsAPortThatAllAddressesHave(
    host: String
  ) throws {
    let file = try File("listen: ['tcp:[::]:7', 'tcp:\(host):7']\npeers: { anonymous: { may: [] } }\n")
    let check = try Run(["config", "check", file.path])
    #expect(check.lines.first?.contains(": warning: tcp:[::]:7 (") == true, "\(check.lines)")
  }

  @Test func theCheckWarnsOfACertificateThatNobodyTakes() throws {
    let made = try Certificates.shared()
    let file = try File(
      "listen: [tls:127.0.0.1:0]\ntls: { certificate: \(made.path("expired.pem")), key: \(made.path("server.key")) }\n"
        + "open: local\n")
    let check = try Run(["config", "check", file.path])
    let words = "2:21: warning: clients refuse the server's certificate: it has ended, "
    #expect(check.code == 0 && check.lines.first?.hasPrefix("\(file.path):\(words)") == true, "\(check.lines)")
  }

  /// What is wrong with a file of TLS is told where that file is named.
  @Test func theCheckTellsWhichOfTheFilesIsWrong() throws {
    let made = try Certificates.shared()
    let none = try File("no PEM\n").path
    let (certificate, key) = (made.path("server.pem"), made.path("server.key"))
    for (certificate, key, clients, line) in [
      (none, key, certificate, 3), (certificate, none, certificate, 4), (certificate, key, none, 5),
      (certificate, key, made.path("expired.pem"), 5),
    ] {
      let file = try File(
        "listen: [tls:127.0.0.1:0]\ntls:\n  certificate: \(certificate)\n  key: \(key)\n  clients: \(clients)\n"
          + "open: local\n")
      let first = try Run(["config", "check", file.path]).lines.first
      #expect(first?.hasPrefix("\(file.path):\(line):") == true, "\(first ?? "")")
    }
  }

  /// The SHA-256 of `test`, and what stands in examples.
  @Test func theCheckWarnsOfTokensThatAreNone() throws {
    let test = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
    let file = try File(
      """
      peers:
        ann: { token: [sha256:\(test.uppercased())], may: [] }
        web: { token: sha256:\(String(repeating: "0", count: 64)), may: [] }

      """)
    let check = try Run(["config", "check", file.path]).lines
    try #require(check.count == 3 && check.last == "ok", "\(check)")
    #expect(check[0].hasPrefix("\(file.path):2:18: warning: anybody guesses this token; baton token NAME makes one"))
    #expect(check[1].hasPrefix("\(file.path):3:17: warning: this stands in examples, and no token has it; baton token"))
    let server = try Program(
      ["serve", "--listen", "unix:\(freshPath())"], environment: ["BATON_TOKEN=changeme"], errors: .intoLog)
    _ = server.places()
    server.send(SIGTERM)
    #expect(server.wait() == 0)
    #expect(server.log.contains("anybody guesses this token"))
  }

  @Test func aTokenFitsIntoTheFile() throws {
    let run = try Run(["token", "ann"])
    #expect(run.code == 0)
    try #require(run.lines.count == 4)
    #expect(run.lines[0].wholeMatch(of: /baton_[A-Za-z0-9_-]{43}[0-9A-Za-z]{6}/) != nil)
    let entry = run.lines.dropFirst().map { "  \($0)\n" }.joined()
    let file = try File("peers:\n\(entry)")
    #expect(try Run(["config", "check", file.path]).lines == ["ok"])
    #expect(try Run(["token", "owner"]).lines.count == 1)
    #expect(try Run(["token", "ann.b"]).code == 64)
    #expect(try Run(["token", "anonymous"]).code == 64)
  }

  // MARK: serve

  @Test func serveUsesTheFile() throws {
    let path = freshPath()
    let file = try File("listen: [unix:\(path)]\nsettings: { window: 7, max_line: 65536 }\nopen: local\n")
    let server = try Program(["serve", "--config", file.path, "--set", "max_line=70000"])
    var lines: [String] = []
    while let line = server.line() {
      lines.append(line)
      if line.hasPrefix("limits: ") { break }
    }
    #expect(lines.contains("listening on unix \(path)"))
    #expect(
      lines.contains(
        "settings: the defaults, except 1 from \(file.path) (window) and 1 from --set (max_line); "
          + "baton config show tells all"))
    #expect(try Peer("unix \(path)").ask(#"{"op":"ping"}"#) == #"{"op":"pong"}"#)
    server.send(SIGTERM)
    #expect(server.wait() == 0)
    let other = try Program(["serve", "--port", "0"], environment: ["BATON_CONFIG=\(file.path)"])
    #expect(other.places().first?.hasPrefix("tcp 127.0.0.1:") == true)
  }

  @Test func peersOfTheFileAreKnownByTheirTokens() throws {
    let made = try Run(["token", "ann", "--may", "send to main"]).lines
    try #require(made.count == 5)
    let path = freshPath()
    let file = try File(
      """
      listen: [unix:\(path)]
      peers:
        \(made[1])
        \(made[2])
        \(made[3])
        \(made[4])
        bob: { user: bob, may: [] }
        anonymous: { may: [] }

      """)
    let server = try Program(["serve", "--config", file.path])
    var lines: [String] = []
    while let line = server.line() {
      lines.append(line)
      if line.hasPrefix("limits: ") { break }
    }
    #expect(
      lines.contains(
        "access: anonymous, ann, bob may do what \(file.path) says, and nobody else anything; "
          + "only this user's programs can connect"))
    let ann = try Peer("unix \(path)")
    #expect(ann.ask(#"{"op":"hello","token":"\#(made[0])"}"#)?.contains(#""identity":"ann""#) == true)
    #expect(ann.ask(#"{"op":"send","topic":"a"}"#)?.contains(#""status":"unhandled""#) == true)
    #expect(ann.ask(#"{"op":"insert","handler":"a"}"#)?.contains("not_allowed") == true)
    let stranger = try Peer("unix \(path)")
    #expect(stranger.ask(#"{"op":"hello","token":"\#(made[0].dropLast())"}"#)?.contains("auth_failed") == true)
  }

  @Test func theTokenOfTheEnvironmentIsAskedOfEverybody() throws {
    let server = try RunningServer(environment: ["BATON_TOKEN=secret"])
    let owner = try server.peer()
    #expect(owner.ask(#"{"op":"hello","token":"secret"}"#)?.contains(#""identity":"owner""#) == true)
    #expect(owner.ask(#"{"op":"inspect","server":true}"#)?.contains(#""op":"error""#) == false)
    #expect(try server.peer().ask(#"{"op":"send","topic":"a"}"#)?.contains("auth_required") == true)
  }

  /// One that is empty, or was cut off. The same server starts without a file, and with one that says it.
  @Test func aFileThatSaysNothingOfAccessStartsNothing() throws {
    let file = try File("# cut off\n")
    for environment in [["BATON_CONFIG="], ["BATON_CONFIG=\(file.path)"]] {
      let named = environment == ["BATON_CONFIG="] ? ["--config", file.path] : []
      let run = try Run(["serve", "--listen", "unix:\(freshPath())"] + named, environment: environment)
      #expect(run.lines == [] && run.errors.count == 1 && run.code == 64)
      #expect(run.errors.first?.hasPrefix("\(file.path): the file does not say who may do what; ") == true)
    }
    #expect(try Run(["config", "check", file.path]).code == 1)
    for (words, access) in [("local", "everybody on this machine may"), ("true", "everybody may")] {
      let open = try File("open: \(words)\n")
      let lines = try Run(["config", "show", open.path]).lines
      #expect(lines.contains("access\t\(access) do everything\t\(open.path):1:7"), "\(lines)")
    }
  }

  @Test func aWrongFileIsToldWholeAndNothingStarts() throws {
    let file = try File("listen: [nowhere]\nsettings: { windw: 1 }\n")
    let run = try Run(["serve", "--config", file.path])
    #expect(run.lines == [])
    #expect(run.errors.map { String($0.dropFirst(file.path.count).prefix(6)) } == [":1:10:", ":2:13:"])
    #expect(run.code == 64)
    let used = try RunningServer()
    let taken = try File("listen: [tcp:127.0.0.1:\(used.port)]\nopen: local\n")
    let words = try Run(["serve", "--config", taken.path]).errors.joined()
    #expect(
      words.contains("with listen (\(taken.path):1:10) (listen (\(taken.path):1:10) tcp:127.0.0.1:0 takes"), "\(words)")
  }

  @Test(arguments: ["0.0.0.0", "::"])
  func whereOthersReachItSomebodyMustSayWhoMayDoWhat(host: String) throws {
    let run = try Run(["serve", "--host", host, "--port", "0"])
    #expect(run.lines == [])
    #expect(run.errors.first?.hasPrefix("--host: tcp:") == true)
    #expect(run.errors.dropFirst().map { String($0.prefix(4)) } == ["  - ", "  - ", "  - "])
    #expect(run.code == 64)
  }

  @Test(arguments: [
    (["BATON_TOKEN="], "BATON_TOKEN: the token is empty"),
    (["BATON_TOKEN=a b"], "BATON_TOKEN: the token has white space"),
    (["BATON_TOKEN_FILE=/nowhere"], "BATON_TOKEN_FILE: /nowhere cannot be read"),
    (["BATON_TOKEN=a", "BATON_TOKEN_FILE=b"], "BATON_TOKEN_FILE: BATON_TOKEN is set, too"),
  ])
  func aWrongTokenOfTheEnvironmentEndsIt(environment: [String], words: String) throws {
    let run = try Run(["serve", "--port", "0"], environment: environment)
    #expect(run.errors.count == 1 && run.errors[0].hasPrefix(words), "\(run.errors)")
    #expect(run.code == 64)
  }
}
