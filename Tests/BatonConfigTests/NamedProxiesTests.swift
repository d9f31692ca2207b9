import BatonCore
import Proxies
import Testing

@testable import BatonConfig

/// What stands in front of the server: file and options together. `Tests/Configs/bad-files.txt` has what is wrong.
@Suite struct NamedProxiesTests {
  private static let file = """
    listen: [{ tcp: 127.0.0.1:1, proxy_protocol: true }, tls:127.0.0.1:2]
    http: [{ http: 127.0.0.1:3, proxy_protocol: true }, { https: 127.0.0.1:4, proxy_protocol: false }]
    tls: { certificate: a, key: b }
    public_address: HTTPS://Baton.Example:8443
    proxies: [127.0.0.1, 10.0.0.0/24]
    proxy_header: forwarded
    open: true

    """

  private static func configuration(
    _ file: String, _ change: (inout Configuration.Flags) throws -> Void = { _ in }
  ) throws -> Configuration {
    var flags = Configuration.Flags()
    try change(&flags)
    return try Configuration(file: read(file), flags: flags)
  }

  private static func complaints(_ file: String) throws -> [String] {
    do {
      _ = try configuration(file)
      return []
    } catch let error as ConfigMistakes {
      return error.all.map(\.description)
    }
  }

  @Test func theFileSaysIt() throws {
    let found = try Self.configuration(Self.file)
    #expect(found.places.map(\.value.takesProxyHeader) == [true, false, true, false])
    #expect(found.publicAddress?.value.text == "https://baton.example:8443")
    #expect(found.publicAddress?.value.host == "baton.example")
    #expect(found.proxies.map { "\($0.value)" } == ["127.0.0.1", "10.0.0.0/24"])
    #expect(found.proxyHeader?.value == .forwarded)
    #expect(found.warnings.map(\.message) == ["everybody who can connect may do everything"])
    let shown = found.shown.filter { ["listen", "public_address", "proxies", "proxy_header"].contains($0.name) }
    #expect(
      shown.map { "\($0.name) \($0.value) \($0.origin)" } == [
        "listen tcp:127.0.0.1:1, proxy_protocol baton.yaml:1:10", "listen tls:127.0.0.1:2 baton.yaml:1:54",
        "public_address https://baton.example:8443 baton.yaml:4:17", "proxies 127.0.0.1 baton.yaml:5:11",
        "proxies 10.0.0.0/24 baton.yaml:5:22", "proxy_header forwarded baton.yaml:6:15",
      ])
  }

  @Test func optionsWin() throws {
    let found = try Self.configuration(Self.file) {
      $0.publicAddress = Sourced(try HTTPName(publicAddress: "http://other.example"), from: .flag("--public-address"))
      $0.proxies = [Sourced(try AddressRange("::1"), from: .flag("--proxy"))]
      $0.proxyHeader = Sourced(.xForwardedFor, from: .flag("--proxy-header"))
    }
    #expect(found.publicAddress?.value.text == "http://other.example")
    #expect(found.proxies.map { "\($0.value)" } == ["::1"])
    #expect(found.proxyHeader?.value == .xForwardedFor)
  }

  @Test func aDifferenceHasTheNameOfItsKey() throws {
    let before = try Self.configuration(Self.file)
    for (old, new, key) in [
      ("Baton.Example", "other.example", "public_address"), ("10.0.0.0/24", "10.0.0.0/25", "proxies"),
      ("forwarded", "x-forwarded-for", "proxy_header"),
      ("1, proxy_protocol: true", "1, proxy_protocol: false", "listen"),
    ] {
      let after = try Self.configuration(Self.file.replacing(old, with: new))
      #expect(after.changes(from: before, startedWith: before).changed == [key])
    }
  }

  /// Through a proxy, others reach a server that listens to this machine alone.
  @Test func behindAProxySomebodyMustSayWho() throws {
    let proxies = "proxies: [127.0.0.1]\nproxy_header: forwarded\n"
    for (line, words) in [
      (proxies, "baton.yaml:2:11: behind the proxy 127.0.0.1: other machines"),
      ("public_address: https://baton.example\n", "baton.yaml:2:17: behind https://baton.example: other machines"),
    ] {
      let found = try Self.complaints("open: local\n" + line)
      #expect(found.count == 1 && found[0].hasPrefix(words), "\(found)")
      #expect(try Self.complaints("open: true\n" + line).isEmpty)
      #expect(try Self.complaints("peers: { ann: { user: ann, may: [everything] } }\n" + line).isEmpty)
    }
    #expect(try Self.complaints("open: local\npublic_address: https://localhost:8443\n").isEmpty)
  }

  @Test(arguments: [
    ("proxies: [10.0.0.5]\n", "nothing of these proxies is read"),
    ("proxy_header: forwarded\n", "no proxy is named, so nobody's header is read"),
    ("http: off\nproxies: [10.0.0.5]\nproxy_header: forwarded\n", "HTTP is served nowhere, so this means nothing"),
    ("http: off\npublic_address: https://a\n", "HTTP is served nowhere, so this means nothing"),
  ])
  func whatIsProbablyNotMeantIsAWarning(file: String, warning: String) throws {
    let warnings = try Self.configuration(file + "open: true\n").warnings.map(\.message)
    #expect(warnings.contains { $0.contains(warning) } && warnings.count == 2, "\(warnings)")
  }

  @Test func commandsOfThisMachineNeedAPlace() throws {
    let proxied = "listen: [{ tcp: 127.0.0.1:1, proxy_protocol: true }OTHER]\nproxies: [10.0.0.5]\nopen: true\n"
    func warnings(_ other: String) throws -> [String] {
      try Self.configuration(proxied.replacing("OTHER", with: other)).warnings.map(\.message)
    }
    #expect(try warnings("").contains { $0.hasPrefix("every place for lines wants the header of a proxy") })
    #expect(try warnings(", unix:a.sock").count == 1)
  }

  /// Behind a proxy on this machine others speak, and nobody knows here whether the proxy encrypts.
  @Test func tokensOfOthersNeedAWord() throws {
    let digest = "sha256:" + String(repeating: "1", count: 64)
    func warnings(_ more: String) throws -> [String] {
      try Self.configuration(
        "listen: [{ tcp: 127.0.0.1:1, proxy_protocol: true\(more) }, unix:a.sock]\nproxies: [127.0.0.1]\n"
          + "peers: { a: { token: \(digest), may: [] } }\n"
      ).warnings.map(\.message)
    }
    #expect(try warnings("").contains { $0.hasPrefix("at tcp:127.0.0.1:1 tokens are refused") })
    #expect(try warnings(", plain_tokens: true").isEmpty)
  }

  /// Whoever misspells the one proxy is told so, and not that there is none.
  @Test(arguments: ["[nginx]", "10.0.0.5", "['0.0.0.0/1']"]) func aWrongProxyIsOneMistake(proxies: String) {
    let file = "listen: [{ tcp: 127.0.0.1:1, proxy_protocol: true }]\nproxy_header: forwarded\nopen: true\n"
    let found = mistakes(in: file + "proxies: \(proxies)\n")
    #expect(found.count == 1 && found[0].hasPrefix("4:"), "\(found)")
    #expect(isOnly(mistakes(in: file), "1:10", "write its address under proxies"))
  }

  @Test func thereIsABoundForProxies() throws {
    let many = (0...1000).map { "10.0.\($0 / 256).\($0 % 256)" }.joined(separator: ", ")
    let found = try Self.complaints("open: true\nproxies: [\(many)]\n")
    #expect(found == ["baton.yaml:2:10: proxies has more than 1000 entries; write ranges, as in 10.0.0.0/24"])
  }
}
