import Foundation
import ProgramKit
import Testing

/// Where the real program serves HTTP, from its start and after a reload. What it speaks there is tested elsewhere.
@Suite struct HTTPPlacesTests {
  /// A server with a file, and a Unix socket by which it is told to reload.
  private final class Served {
    let file = freshPath() + ".yaml"
    let socket = freshPath()
    let program: Program
    let lines: [String]

    init(_ text: String, options: [String] = []) throws {
      try Served.whole(socket, text).write(toFile: file, atomically: false, encoding: .utf8)
      program = try Program(["serve", "--config", file] + options, errors: .intoLog)
      lines = startLines(of: program)
    }

    deinit {
      program.send(SIGTERM)
      unlink(file)
    }

    private static func whole(_ socket: String, _ text: String) -> String {
      "listen: [unix:\(socket)]\n\(text)\nopen: local\n"
    }

    /// Its consoles, as a browser takes them.
    var consoles: [String] { HTTPPlacesTests.consoles(lines) }

    /// Reloads with another file. Returns what `baton reload` prints, and its exit code.
    func reload(_ text: String, under words: [String] = ["reload"]) throws -> (lines: [String], code: Int32) {
      try Served.whole(socket, text).write(toFile: file, atomically: false, encoding: .utf8)
      let program = try Program(words + ["--server", "unix:\(socket)"])
      return (program.remainingLines() + program.remainingErrorLines(), program.wait())
    }

    /// The last place that the log says was opened by a reload.
    var opened: String? {
      program.log.matches(of: /listening at one more place address="http (\S+)"/).last.map { String($0.1) }
    }
  }

  private static func startLines(of program: Program) -> [String] {
    var lines: [String] = []
    while let line = program.line() {
      lines.append(line)
      if line.hasPrefix("limits: ") { break }
    }
    return lines
  }

  private static func consoles(_ lines: [String]) -> [String] {
    lines.filter { $0.hasPrefix("console at ") }.map { String($0.dropFirst("console at ".count)) }
  }

  /// The address in `http://127.0.0.1:1/`.
  private static func address(_ console: String) -> String {
    console.split(separator: "/").last.map(String.init) ?? ""
  }

  private func connects(_ address: String) -> Bool { (try? Peer("tcp \(address)")) != nil }

  @Test func aFreePortHasAConsole() throws {
    let program = try Program(["serve", "--port", "0"])
    let lines = Self.startLines(of: program)
    #expect(
      lines.map { String($0.prefix { $0 != " " }) } == [
        "baton", "listening", "console", "access:", "settings:", "limits:",
      ])
    #expect(lines[1].wholeMatch(of: /listening on tcp 127\.0\.0\.1:[1-9][0-9]*/) != nil)
    #expect(lines[2].wholeMatch(of: /console at http:\/\/127\.0\.0\.1:[1-9][0-9]*\//) != nil, "\(lines)")
    #expect(lines[3].hasSuffix("; only programs on this machine can connect"))
    #expect(connects(Self.address(lines[2])))
    program.send(SIGTERM)
    #expect(program.wait() == 0)
    #expect(!connects(Self.address(lines[2])))
  }

  @Test(arguments: [
    ["--port", "0", "--http", "off"], ["--port", "0", "--host", "127.0.0.1"], ["--listen", "127.0.0.1:0"],
    ["--port", "0", "--listen", "127.0.0.1:0"],
  ])
  func whoSaysWhereToListenSaysAll(arguments: [String]) throws {
    let program = try Program(["serve"] + arguments)
    #expect(Self.consoles(Self.startLines(of: program)) == [])
  }

  /// With them, the first line of the access says who can connect.
  @Test func namedPlacesHaveALineEach() throws {
    let made = try Certificates.shared()
    let program = try Program([
      "serve", "--listen", "unix:\(freshPath())", "--http", "127.0.0.1:0", "--http", "https:127.0.0.1:0",
      "--tls-certificate", made.path("server.pem"), "--tls-key", made.path("server.key"), "--http-host",
      "baton.example",
      "--allow-origin", "https://app.example",
    ])
    let lines = Self.startLines(of: program)
    let consoles = Self.consoles(lines)
    #expect(consoles.map { $0.prefix { $0 != ":" } } == ["http", "https"], "\(lines)")
    for console in consoles { #expect(connects(Self.address(console))) }
    #expect(lines.contains { $0.hasPrefix("access: ") && $0.hasSuffix("; only programs on this machine can connect") })
    #expect(lines.count == 7)
  }

  @Test func otherMachinesNeedToBeKnown() throws {
    let refused = try Program(["serve", "--listen", "unix:\(freshPath())", "--http", "0.0.0.0:0"])
    #expect(refused.remainingErrorLines().first?.hasPrefix("--http: http:0.0.0.0:0: other machines could") == true)
    #expect(refused.wait() == 64)
    let open = try Program(["serve", "--listen", "unix:\(freshPath())", "--http", "0.0.0.0:0", "--open"])
    let lines = Self.startLines(of: open)
    #expect(Self.consoles(lines).first?.hasPrefix("http://0.0.0.0:") == true)
    #expect(lines.contains { $0.contains("WARNING: other machines can connect at tcp 0.0.0.0:") }, "\(lines)")
  }

  /// The rest of what may be wrong is in `Tests/Configs/bad-files.txt`.
  @Test(arguments: [
    (["--http", "22868"], "\"22868\" needs a host and a port, as in http:127.0.0.1:22868"),
    (["--http", "http://127.0.0.1:22868/"], "has slashes, which belong to URLs; write http:127.0.0.1:22868"),
    (
      ["--http", "unix:/tmp/http.sock"],
      "HTTP is served at a host and a port, and not at a Unix socket; write http:HOST"
    ),
    (["--http", "tls:127.0.0.1:1"], "is no place for HTTP; write https:127.0.0.1:1"),
    (["--http", "off", "--http", "127.0.0.1:0"], "--http off says that HTTP is served nowhere; leave the other out"),
    (["--http", "https:127.0.0.1:0"], "--http: https:127.0.0.1:0 needs a certificate and its key"),
    (["--listen", "http:127.0.0.1:0"], "\"http:127.0.0.1:0\" is for HTTP; write it with --http"),
    (["--http-host", "baton.example:443"], "without a scheme and a port; write baton.example"),
    (["--allow-origin", "*"], "\"*\" would let strangers' pages in"),
    (["--allow-origin", "null"], "\"null\" would let strangers' pages in"),
    (["--allow-origin", "https://app.example/"], "has more than an origin has; write https://app.example"),
  ])
  func wrongOptionsAreTold(arguments: [String], words: String) throws {
    let program = try Program(["serve", "--port", "0"] + arguments)
    let first = program.remainingErrorLines().first
    #expect(first?.contains(words) == true, "\(first ?? "")")
    #expect(program.wait() == 64)
  }

  @Test func aNamedPortThatIsTakenEndsTheStart() throws {
    let rival = try RunningServer()
    let socket = freshPath()
    let program = try Program(["serve", "--listen", "unix:\(socket)", "--http", rival.address])
    let line = program.remainingErrorLines().first ?? ""
    #expect(line.contains("port \(rival.port) on 127.0.0.1 is in use"), "\(line)")
    #expect(line.hasSuffix("or choose another port with --http (--http 127.0.0.1:0 takes a free port)"), "\(line)")
    #if os(Linux)
      #expect(line.contains("by baton (process \(rival.program.number))"), "\(line)")
    #endif
    #expect(program.wait() == 1)
    #expect(!FileManager.default.fileExists(atPath: socket))
    let file = freshPath() + ".yaml"
    defer { unlink(file) }
    try "listen: [unix:\(socket)]\nhttp: [\(rival.address)]\nopen: local\n"
      .write(toFile: file, atomically: false, encoding: .utf8)
    let second = try Program(["serve", "--config", file])
    let words = second.remainingErrorLines().first ?? ""
    #expect(
      words.hasSuffix("with http (\(file):2:8) (http (\(file):2:8) http:127.0.0.1:0 takes a free port)"), "\(words)")
    #expect(second.wait() == 1)
  }

  // MARK: A reload

  @Test func placesComeAndGo() throws {
    let served = try Served("http: [127.0.0.1:0]")
    let console = Self.address(try #require(served.consoles.first))
    #expect(connects(console))
    #expect(try served.reload("http: off") == (["changed\thttp"], 0))
    #expect(!connects(console))
    #expect(try served.reload("") == ([], 0))
    #expect(try served.reload("http: [127.0.0.1:0]") == (["changed\thttp"], 0))
    let other = try #require(served.opened)
    #expect(connects(other))
    #expect(try served.reload("http: [{ http: 127.0.0.1:0, plain_tokens: true }]") == (["changed\thttp"], 0))
    // The place is there already, and keeps its port.
    #expect(served.opened == other)
    #expect(connects(other))
    #expect(
      try served.reload(
        "http: [{ http: 127.0.0.1:0, plain_tokens: true }]\nhttp_hosts: [a]\nallow_origins: [https://b]")
        == (["changed\thttp_hosts", "changed\tallow_origins"], 0))
    served.program.send(SIGTERM)
    #expect(served.program.wait() == 0)
  }

  /// A free port is one for lines, or one for HTTP: none becomes the other.
  @Test func aFreePortKeepsItsKind() throws {
    let served = try Served("http: [127.0.0.1:0]", options: ["--listen", "127.0.0.1:0"])
    let lines = try #require(served.lines.first { $0.hasPrefix("listening on tcp ") }).dropFirst("listening on ".count)
    let console = Self.address(try #require(served.consoles.first))
    try "http: off\nopen: local\n".write(toFile: served.file, atomically: false, encoding: .utf8)
    let reload = try Program(["reload", "--server", String(lines.dropFirst("tcp ".count))])
    #expect(reload.remainingLines() == ["changed\thttp"])
    #expect(try Peer(String(lines)).ask(#"{"op":"ping"}"#) == #"{"op":"pong"}"#)
    #expect(!connects(console))
  }

  @Test func oneThatFailsChangesNothing() throws {
    let rival = try RunningServer()
    let served = try Served("http: [127.0.0.1:0]")
    let console = Self.address(try #require(served.consoles.first))
    let refused = try served.reload("http: [127.0.0.1:0, \(rival.address)]\nsettings: { max_links: 9 }")
    #expect(refused.code == 1)
    #expect(refused.lines.first?.hasPrefix("2:21: port \(rival.port) on 127.0.0.1 is in use") == true, "\(refused)")
    for (text, words) in [
      ("http: [https:127.0.0.1:0]", "2:8: https:127.0.0.1:0 needs a certificate"),
      ("http: [0.0.0.0:0]", "2:8: http:0.0.0.0:0: other machines could reach the server"),
      ("http: [unix:a]", "2:8: HTTP is served at a host and a port"),
      ("allow_origins: ['*']", "2:17: \"*\" would let strangers' pages in"),
    ] {
      let refused = try served.reload(text)
      #expect(refused.lines.first?.hasPrefix(words) == true && refused.code == 1, "\(refused)")
    }
    #expect(connects(console))
    #expect(served.opened == nil)
    // What did not hold is no difference.
    #expect(try served.reload("http: [127.0.0.1:0]") == ([], 0))
  }

  @Test func optionsWin() throws {
    let served = try Served("", options: ["--http", "127.0.0.1:0", "--http-host", "a"])
    let console = Self.address(try #require(served.consoles.first))
    #expect(try served.reload("http: off\nhttp_hosts: [b]") == ([], 0))
    #expect(connects(console))
  }

  @Test func diffTellsIt() throws {
    let served = try Served("http: [127.0.0.1:0]")
    let other = freshPath() + ".yaml"
    defer { unlink(other) }
    try "listen: [unix:\(served.socket)]\nhttp: off\nhttp_hosts: [a]\nopen: local\n"
      .write(toFile: other, atomically: false, encoding: .utf8)
    let diff = try Program(["config", "diff", other, "--server", "unix:\(served.socket)"])
    #expect(diff.remainingLines().prefix(2) == ["changed\thttp", "changed\thttp_hosts"])
    #expect(diff.wait() == 1)
    #expect(served.consoles.allSatisfy { connects(Self.address($0)) })
  }
}
