import BatonCore
import Foundation
import Testing

@testable import BatonConfig

/// File, environment and options together: what wins, and what does not fit.
@Suite struct ConfigurationTests {
  private static let peers = "peers: { ann: { user: ann, may: [send to main on door.*, see server] } }"

  private static func flags(_ change: (inout Configuration.Flags) -> Void) -> Configuration.Flags {
    var flags = Configuration.Flags()
    change(&flags)
    return flags
  }

  private static func listen(_ text: String) throws -> [Sourced<ListenEntry>] {
    [Sourced(ListenEntry(try ListenEntry.Place(text)), from: .flag("--listen"))]
  }

  private static func complaints(_ file: String, _ flags: Configuration.Flags = .init(), token: String? = nil) throws
    -> [String]
  {
    let environment = try ServerEnvironment { $0 == "BATON_TOKEN" ? token : nil }
    do throws(ConfigMistakes) {
      _ = try Configuration(file: read(file), environment: environment, flags: flags)
      return []
    } catch {
      return error.all.filter { $0.message != Configuration.silence }.map(\.description)
    }
  }

  @Test func withoutAnythingTheDefaultsHold() throws {
    let configuration = try Configuration()
    #expect(configuration.listen == [Sourced(.byDefault, from: .byDefault)])
    #expect(configuration.settings.isEmpty)
    #expect(configuration.rules == nil)
    #expect(!configuration.mayBeReachedFromOutside)
  }

  @Test func optionsWinOverTheFile() throws {
    let file = try read(
      "listen: [unix:a, unix:b]\nsettings: { window: 1, max_line: 9000 }\ntls: { certificate: a, key: b }\nopen: local")
    let configuration = try Configuration(
      file: file,
      flags: Self.flags {
        $0.settings = [("window", 2), ("window", 3)]
        $0.tls.key = Sourced("c", from: .flag("--tls-key"))
        $0.listen = [Sourced(.byDefault, from: .flag("--port"))]
      })
    #expect(configuration.listen.map(\.origin) == [.flag("--port")])
    #expect(configuration.settings["window"] == Sourced(3, from: .flag("--set")))
    #expect(configuration.settings["max_line"]?.origin == .file("baton.yaml", FilePlace(line: 2, column: 34)))
    #expect(configuration.coreSettings().window == 3)
    #expect(configuration.coreSettings().maxLine == 9000)
    #expect(configuration.tls.certificate?.value == "a")
    #expect(configuration.tls.key?.value == "c")
  }

  @Test(arguments: [
    ("127.0.0.1", false), ("127.9.8.7", false), ("[::1]", false), ("localhost", false), ("0.0.0.0", true),
    ("[::]", true), ("10.0.0.1", true), ("127.example.com", true), ("127.1", true), ("example.com", true),
  ])
  func beyondThisMachineSomebodyMustSayWho(host: String, isOutside: Bool) throws {
    for kind in ["tcp", "tls"] {
      let tls = "tls: { certificate: a, key: b }\n"
      let text = "\(kind == "tls" ? tls : "")listen: ['\(kind):\(host):1']\n"
      #expect(try Self.complaints(text).count { $0.contains("Do one of three things") } == (isOutside ? 1 : 0))
      #expect(try Self.complaints(text, Self.flags { $0.isOpen = true }).isEmpty)
      #expect(try Self.complaints(text, token: "secret").isEmpty)
      #expect(try Self.complaints(text + Self.peers).isEmpty)
    }
  }

  @Test func whatFitsTogetherIsOneOfThree() throws {
    let open = Self.flags { $0.isOpen = true }
    #expect(
      try Self.complaints(Self.peers, open) == [
        "--open: beside peers (baton.yaml:1:1) it says the opposite; leave one of them out"
      ])
    #expect(
      try Self.complaints(Self.peers, token: "x").first?.hasPrefix("BATON_TOKEN: beside peers (baton.yaml:1:1)") == true
    )
    #expect(try Self.complaints("", open, token: "x").first?.hasPrefix("--open: beside BATON_TOKEN") == true)
  }

  @Test(arguments: [
    ("listen: [tls:127.0.0.1:1]", "baton.yaml:1:10: tls:127.0.0.1:1 needs a certificate"),
    ("tls: { certificate: a }", "baton.yaml:1:21: the certificate needs its key"),
    ("tls: { key: a }", "baton.yaml:1:13: the key needs its certificate"),
    ("tls: { require_clients: true }", "baton.yaml:1:25: require_clients needs clients"),
  ])
  func encryptionIsWhole(file: String, complaint: String) throws {
    let found = try Self.complaints(file)
    #expect(found.count == 1 && found[0].hasPrefix(complaint), "\(found)")
  }

  @Test(arguments: [
    ("tls: { certificate: a, key: b }", "the certificate is not used"),
    ("peers: { a: { certificate: dns:a, may: [] } }", "without tls: clients"),
    ("peers: { a: { user: b, may: [] } }", "at a Unix socket only"),
    (
      "listen: [tcp:0.0.0.0:1]\npeers: { a: { token: sha256:\(String(repeating: "1", count: 64)), may: [] } }",
      "at tcp:0.0.0.0:1 tokens are refused"
    ),
    ("listen: [tcp:0.0.0.0:1]\nopen: true", "everybody who can connect may do everything"),
  ])
  func whatIsProbablyNotMeantIsAWarning(file: String, warning: String) throws {
    let warnings = try BatonConfigTests.warnings(in: file)
    #expect(warnings.count == 1 && warnings[0].message.contains(warning), "\(warnings)")
  }

  @Test func openDoorsAreToldAtEachStart() throws {
    let open = try Configuration(flags: Self.flags { $0.isOpen = true })
    #expect(open.warnings.map(\.description) == ["--open: everybody who can connect may do everything"])
    let token = try ServerEnvironment { $0 == "BATON_TOKEN" ? "secret" : nil }
    let unguessed = try ServerEnvironment { $0 == "BATON_TOKEN" ? Token().text : nil }
    #expect(try Configuration(environment: unguessed).warnings.isEmpty)
    #expect(
      try Configuration(environment: token).warnings.map(\.description) == ["BATON_TOKEN: \(KnownTokens.guessedWords)"])
    let plain = try Configuration(file: read("listen: [tcp:0.0.0.0:1]"), environment: unguessed)
    #expect(plain.warnings.count == 1 && plain.warnings[0].message.contains("anybody on the way can read the token"))
  }

  @Test(arguments: ["secret", "secret\n", "secret\r\n", "secret\n\n"])
  func endsOfLinesOfATokensFileAreCut(text: String) throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "baton-token-\(UUID())").path
    try text.write(toFile: path, atomically: false, encoding: .utf8)
    defer { try? FileManager.default.removeItem(atPath: path) }
    let environment = try ServerEnvironment { $0 == "BATON_TOKEN_FILE" ? path : nil }
    #expect(environment.token == Sourced(TokenDigest(of: "secret"), from: .environment("BATON_TOKEN_FILE")))
  }

  @Test(arguments: [
    ("", "the token is empty"), ("a b", "white space"), ("a\n", "white space"), ("é", "ASCII"),
    (String(repeating: "x", count: 257), "more than 256 bytes"),
  ])
  func aTokenOfTheEnvironmentIsChecked(token: String, complaint: String) {
    do throws(ConfigMistakes) {
      _ = try ServerEnvironment { $0 == "BATON_TOKEN" ? token : nil }
      Issue.record("it is taken")
    } catch {
      #expect(error.all.map(\.origin) == [.environment("BATON_TOKEN")])
      #expect(error.all[0].message.contains(complaint))
    }
  }

  @Test func theTokenOfTheEnvironmentIsTheOwners() throws {
    let environment = try ServerEnvironment { $0 == "BATON_TOKEN" ? "secret" : nil }
    let rules = try #require(try Configuration(environment: environment).rules)
    #expect(rules.takesPlainTokens)
    #expect(rules.peers.map(\.name) == ["owner"])
    #expect(rules.peers[0].may.map(\.spelling) == ["everything"])
    #expect(rules.peers[0].tokens == [TokenDigest(of: "secret")])
    #expect(Array("secret".utf8).withUnsafeBytes { rules.digest($0) } == TokenDigest(of: "secret"))
    #expect(throws: ConfigMistakes.self) { try ServerEnvironment { _ in "x" } }
  }

  @Test func thePeersOfTheFileAreTheRules() throws {
    let rules = try #require(try Configuration(file: read(Self.peers)).rules)
    #expect(!rules.takesPlainTokens)
    #expect(rules.peers.map(\.name) == ["ann"])
    #expect(rules.peers[0].users == [.named("ann")])
    #expect(rules.peers[0].may.map(\.spelling) == ["send to main on door.*", "see server"])
  }

  @Test func aGroupIsOneOfThisMachine() throws {
    let file = try readOpen("listen: [{ unix: a, group: nobodies }, { unix: b, group: 5 }, { unix: c, group: daemon }]")
    do throws(ConfigMistakes) {
      _ = try Configuration(file: file, flags: .init(), knowing: MistakeList(), machine: .servers)
      Issue.record("it is taken")
    } catch {
      #expect(
        error.all.map(\.description) == [
          "baton.yaml:1:10: this machine has no group \"nobodies\"; make it, or leave group out"
        ])
    }
  }

  @Test func whatIsShownSaysWhereItComesFrom() throws {
    let file = try read("settings: { window: 7 }\n" + Self.peers)
    let shown = try Configuration(file: file).shown
    #expect(shown.contains { $0.name == "listen" && "\($0.origin)" == "default" })
    #expect(
      shown.contains { $0.name == "settings.window" && $0.value == .number(7) && "\($0.origin)" == "baton.yaml:1:21" })
    #expect(shown.count { $0.name.hasPrefix("settings.") } == Settings.table.count)
    #expect(
      shown.filter { $0.name.hasPrefix("peers.") }.map(\.value.description) == [
        "ann", "send to main on door.*", "see server",
      ])
  }

  @Test(arguments: [
    ("send to main on door.open", ["send to main on door.*"], []),
    ("send to main", [], ["send to main"]),
    ("broadcast a via main", [], ["broadcast a via main", "broadcast a + send to main on a"]),
    ("subscribe $baton.>", [], ["subscribe $baton.>"]),
    ("see server", ["see server"], []),
  ])
  func aQuestionIsAnswered(question: String, allowing: [String], missing: [String]) throws {
    let entry = try #require(try read(Self.peers).peers?.first)
    switch entry.judge(try Right(parsing: question)) {
    case .allowed(let rights):
      #expect(rights.map(\.value.spelling) == allowing)
      #expect(rights.allSatisfy { "\($0.origin)".hasPrefix("baton.yaml:1:") })
    case .refused(let ways): #expect(ways.map { $0.map(\.spelling).joined(separator: " + ") } == missing)
    }
  }
}
