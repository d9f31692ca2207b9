import BatonCore
import Testing

@testable import BatonConfig

/// Where HTTP is served, and whose pages may ask: file and options together.
@Suite struct HTTPPlacesTests {
  private static let tls = "tls: { certificate: a, key: b }\n"

  private static func places(_ texts: String...) throws -> [Sourced<ListenEntry>] {
    try texts.map { Sourced(ListenEntry(try ListenEntry.Place(http: $0)), from: .flag("--http")) }
  }

  private static func configuration(
    _ file: String = "", _ change: (inout Configuration.Flags) throws -> Void = { _ in }
  ) throws -> Configuration {
    var flags = Configuration.Flags()
    try change(&flags)
    return try Configuration(file: readOpen(file), flags: flags)
  }

  private static func complaints(
    _ file: String = "", _ change: (inout Configuration.Flags) throws -> Void = { _ in }
  ) throws -> [String] {
    do {
      _ = try configuration(file, change)
      return []
    } catch let error as ConfigMistakes {
      return error.all.map(\.description)
    }
  }

  private static func lines(_ port: UInt16) -> [Sourced<ListenEntry>] {
    [Sourced(ListenEntry(.tcp(host: "127.0.0.1", port: port)), from: .flag("--port"))]
  }

  /// Who says where to listen says all. Only a free port is a start for a trial, with a console.
  @Test func aDefaultIsServedWhereNobodySaysWhereToListen() throws {
    let nobody = try Self.configuration()
    #expect(nobody.http == [Sourced(.httpByDefault, from: .byDefault)])
    #expect(nobody.places.map { "\($0.value.place)" } == ["tcp:127.0.0.1:22866", "http:127.0.0.1:22868"])
    let free = try Self.configuration {
      $0.listen = Self.lines(0)
      $0.takesFreePort = true
    }
    #expect(free.http.map { "\($0.value.place)" } == ["http:127.0.0.1:0"])
    #expect(free.http.map(\.origin) == [.byDefault])
    #expect(try Self.configuration { $0.listen = Self.lines(1) }.http.isEmpty)
    #expect(try Self.configuration("listen: [unix:a]").http.isEmpty)
    #expect(try Self.configuration("settings: { window: 1 }").http.count == 1)
  }

  @Test func offIsNowhere() throws {
    #expect(try Self.configuration("http: off").http.isEmpty)
    #expect(try Self.configuration("http: 'off'").http.isEmpty)
    #expect(try Self.configuration { $0.http = [] }.http.isEmpty)
    #expect(try Self.configuration("http: [127.0.0.1:1]") { $0.http = [] }.http.isEmpty)
    let free = try Self.configuration("http: off") {
      $0.listen = Self.lines(0)
      $0.takesFreePort = true
    }
    #expect(free.http.isEmpty)
  }

  @Test func theFileSaysIt() throws {
    let text =
      "http: [ 127.0.0.1:22868, { https: 0.0.0.0:443 }, { http: 0.0.0.0:80, plain_tokens: true }, https:localhost:1 ]\n"
      + Self.tls + "peers: { ann: { user: ann, may: [everything] } }\n"
      + "http_hosts: [Baton.Example, a_b]\nallow_origins: [HTTPS://app.example, 'http://[::1]:8080']\n"
    let configuration = try Self.configuration(text)
    #expect(
      configuration.http.map { "\($0.value.place)" } == [
        "http:127.0.0.1:22868", "https:0.0.0.0:443", "http:0.0.0.0:80", "https:localhost:1",
      ])
    #expect(configuration.http.map(\.value.takesPlainTokens) == [false, false, true, false])
    #expect(configuration.http.map(\.value.isEncrypted) == [false, true, false, true])
    #expect(configuration.http.allSatisfy { $0.value.speaksHTTP })
    #expect(configuration.http[1].origin == .file("baton.yaml", FilePlace(line: 1, column: 26)))
    #expect(configuration.httpHosts.map(\.value) == ["baton.example", "a_b"])
    #expect(configuration.allowOrigins.map(\.value) == ["https://app.example", "http://[::1]:8080"])
    #expect(configuration.listen.map(\.origin) == [.byDefault])
  }

  /// `http` of the file stays in force where options say where lines are spoken.
  @Test func optionsWin() throws {
    let text = "listen: [unix:a]\nhttp: [127.0.0.1:1]\nhttp_hosts: [a]\nallow_origins: ['https://a']\n"
    let lines = try Self.configuration(text) { $0.listen = Self.lines(7) }
    #expect(lines.http.map { "\($0.value.place)" } == ["http:127.0.0.1:1"])
    let free = try Self.configuration(text) {
      $0.listen = Self.lines(0)
      $0.takesFreePort = true
    }
    #expect(free.http.map { "\($0.value.place)" } == ["http:127.0.0.1:1"])
    let all = try Self.configuration(text) {
      $0.http = try Self.places("127.0.0.1:2", "http:127.0.0.1:3")
      $0.httpHosts = [Sourced("b", from: .flag("--http-host"))]
      $0.allowOrigins = [Sourced("https://b", from: .flag("--allow-origin"))]
    }
    #expect(all.http.map { "\($0.value.place)" } == ["http:127.0.0.1:2", "http:127.0.0.1:3"])
    #expect(all.httpHosts.map(\.value) == ["b"])
    #expect(all.allowOrigins.map(\.value) == ["https://b"])
    #expect(all.listen.map { "\($0.value.place)" } == ["unix:a"])
  }

  @Test func socketsThatAreHandedOverStandInThePlaceOfAll() throws {
    let origin = Origin.environment("LISTEN_FDS")
    let handed = [
      Sourced(ListenEntry(.http(host: "127.0.0.1", port: 2)), from: origin),
      Sourced(ListenEntry(.tcp(host: "127.0.0.1", port: 1)), from: origin),
    ]
    let both = try Self.configuration { $0.handedOver = handed }
    #expect(both.places.map { "\($0.value.place)" } == ["tcp:127.0.0.1:1", "http:127.0.0.1:2"])
    // No default stands beside them.
    #expect(try Self.configuration { $0.handedOver = [handed[1]] }.http.isEmpty)
    #expect(try Self.complaints("http: off") { $0.handedOver = handed }.isEmpty)
    let refused = try Self.complaints("http: [127.0.0.1:3]") {
      $0.handedOver = handed
      $0.http = try Self.places("127.0.0.1:4")
    }
    #expect(refused.count == 2, "\(refused)")
    #expect(refused.contains { $0.hasPrefix("--http: beside sockets that are handed over (LISTEN_FDS)") })
    #expect(refused.contains { $0.hasPrefix("baton.yaml:1:8: beside sockets that are handed over (LISTEN_FDS)") })
  }

  @Test(arguments: [("http", "127.0.0.1", false), ("http", "0.0.0.0", true), ("https", "[::]", true)])
  func beyondThisMachineSomebodyMustSayWho(kind: String, host: String, isOutside: Bool) throws {
    let text = "http: ['\(kind):\(host):1']\n" + (kind == "https" ? Self.tls : "")
    let found = try Self.complaints(text)
    #expect(found.count { $0.contains("Do one of three things") } == (isOutside ? 1 : 0), "\(found)")
    #expect(found.allSatisfy { $0.hasPrefix("baton.yaml:1:8: \(kind):") })
    #expect(try Self.complaints(text) { $0.isOpen = true }.isEmpty)
    #expect(try Self.complaints(text + "peers: { ann: { user: ann, may: [everything] } }").isEmpty)
  }

  @Test func onePortHasOnePlace() throws {
    let words = "--http: tcp:127.0.0.1:7 (--port) has this port; choose another one for HTTP"
    let taken = try Self.complaints {
      $0.listen = Self.lines(7)
      $0.http = try Self.places("127.0.0.1:7", "127.0.0.1:8")
    }
    #expect(taken == [words])
    #expect(try Self.complaints { $0.http = try Self.places("127.0.0.1:7", "127.0.0.1:7") }.count == 1)
    #expect(try Self.complaints { $0.http = try Self.places("127.0.0.1:0", "127.0.0.1:0") }.isEmpty)
  }

  @Test(arguments: [
    ("http: [127.0.0.1:1]\ntls: { certificate: a, key: b }", "the certificate is not used"),
    ("listen: [unix:a]\nhttp_hosts: [a]", "HTTP is served nowhere, so this means nothing"),
    ("http: off\nallow_origins: [https://a]", "HTTP is served nowhere, so this means nothing"),
    (
      "http: [0.0.0.0:1]\npeers: { a: { token: sha256:\(String(repeating: "1", count: 64)), may: [] } }",
      "at http:0.0.0.0:1 tokens are refused, for anybody on the way could read them; listen with https:"
    ),
  ])
  func whatIsProbablyNotMeantIsAWarning(file: String, warning: String) throws {
    let warnings = try BatonConfigTests.warnings(in: file)
    #expect(warnings.count == 1 && warnings[0].message.contains(warning), "\(warnings)")
  }

  @Test func aCertificateIsUsedByHTTPS() throws {
    #expect(try Self.configuration("http: [https:127.0.0.1:1]\n" + Self.tls).warnings.isEmpty)
    let plain = "http: [{ http: 0.0.0.0:1, plain_tokens: true }]\n"
    let token = "peers: { a: { token: sha256:\(String(repeating: "1", count: 64)), may: [] } }"
    #expect(try Self.configuration(plain + token).warnings.isEmpty)
  }

  @Test func aDifferenceHasTheNameOfItsKey() throws {
    let before = try Self.configuration("http: [127.0.0.1:1]")
    func changed(_ text: String) throws -> [String] {
      try Self.configuration(text).changes(from: before, startedWith: before).changed
    }
    #expect(try changed("http: [http:127.0.0.1:1]") == [])
    #expect(try changed("http: [127.0.0.1:2]") == ["http"])
    #expect(try changed("http: [{ http: 127.0.0.1:1, plain_tokens: true }]") == ["http"])
    #expect(try changed("http: off") == ["http"])
    #expect(try changed("") == ["http"])
    #expect(
      try changed("http: [127.0.0.1:1]\nhttp_hosts: [a]\nallow_origins: [https://a]") == [
        "http_hosts", "allow_origins",
      ])
  }

  @Test func whatIsShownSaysWhereItComesFrom() throws {
    func shown(_ configuration: Configuration) -> [String] {
      configuration.shown.filter { ["http", "http_hosts", "allow_origins"].contains($0.name) }
        .map { "\($0.name) \($0.value) \($0.origin)" }
    }
    #expect(try shown(Self.configuration()) == ["http http:127.0.0.1:22868 default"])
    #expect(try shown(Self.configuration("listen: [unix:a]")) == ["http off default"])
    #expect(try shown(Self.configuration("http: off")) == ["http off baton.yaml:1:1"])
    #expect(try shown(Self.configuration { $0.http = [] }) == ["http off --http"])
    let text = "http: [{ http: 127.0.0.1:1, plain_tokens: true }]\nhttp_hosts: [a, b]\nallow_origins: [https://c]\n"
    #expect(
      try shown(Self.configuration(text)) == [
        "http http:127.0.0.1:1, plain_tokens baton.yaml:1:8", "http_hosts a baton.yaml:2:14",
        "http_hosts b baton.yaml:2:17", "allow_origins https://c baton.yaml:3:17",
      ])
  }

  @Test(arguments: [
    ("127.0.0.1:22868", "http:127.0.0.1:22868"), ("[::1]:0", "http:[::1]:0"), ("http:localhost:1", "http:localhost:1"),
    ("https:[::]:443", "https:[::]:443"), ("http.example:80", "http:http.example:80"),
  ])
  func aPlaceIsRead(text: String, place: String) throws {
    let read = try ListenEntry.Place(http: text)
    #expect("\(read)" == place)
    #expect(try ListenEntry.Place(http: "\(read)") == read)
  }

  @Test(arguments: [
    "https://app.example", "http://localhost:8080", "http://10.0.0.1", "http://[::1]:1", "https://app.example:80",
    "moz-extension://0a1b",
  ])
  func anOriginIsAsBrowsersSendIt(text: String) throws {
    #expect(try HTTPName(origin: text).text == text)
    #expect(try HTTPName(origin: text.uppercased()).text == text)
  }

  @Test(arguments: [
    "", "*", "null", "https://", "https://a/", "https://a?b", "https://a#b", "https://a:0", "https://a:01",
    "https://a:",
    "https://a:b", "https://a b", "https://a\n", "https://é", "https:a", "//a", "1a://b", "https://[::1", "https://[]",
    "https://[::1]a", "https://a:443", "http://a:80", "https://a@b", "https://a,https://b",
    "https://" + String(repeating: "a", count: 64), "https://\u{0}",
  ])
  func whatIsNoOriginIsRefused(text: String) throws {
    #expect(throws: HTTPName.Complaint.self) { try HTTPName(origin: text) }
  }

  @Test(arguments: [
    "", "*", "a:1", "a/", "https://a", "a b", ".a", "a.", "a..b", "[::1]", "é", "a\n", "a,b",
    String(repeating: "a.", count: 130) + "a",
  ])
  func whatIsNoHostIsRefused(text: String) throws {
    #expect(throws: HTTPName.Complaint.self) { try HTTPName(host: text) }
  }
}
