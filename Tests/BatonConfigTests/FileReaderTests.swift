import BatonCore
import Testing

@testable import BatonConfig

/// What the keys of the file mean, and each mistake with its place.
@Suite struct FileReaderTests {
  private static let digest = "sha256:" + String(repeating: "ab", count: 32)
  private static let other = "sha256:" + String(repeating: "01", count: 32)

  @Test func aWholeFile() throws {
    let file = try read(
      """
      listen:
        - tcp:127.0.0.1:22866
        - 'tcp:[::1]:22866'
        - { unix: run/a.sock, mode: '0660', group: baton }
        - { tcp: 10.0.0.1:1, plain_tokens: true }
        - tls:0.0.0.0:2
      tls: { certificate: a.pem, key: /etc/a.key, clients: ca.pem, require_clients: 'true' }
      settings:
        max_line: "65536"
      peers:
        ann: { token: [\(Self.digest), \(Self.other)], user: [ann, 5], certificate: DNS:Web.Example, may: [everything] }
        anonymous: { may: [], limits: { max_links: 3, per_second: 20, burst: 30 } }
      """, path: "/etc/baton/baton.yaml")
    let listen = try #require(file.listen)
    #expect(
      listen.map { "\($0.value.place)" } == [
        "tcp:127.0.0.1:22866", "tcp:[::1]:22866", "unix:/etc/baton/run/a.sock", "tcp:10.0.0.1:1", "tls:0.0.0.0:2",
      ])
    #expect(listen[2].value.mode == 0o660)
    #expect(listen[2].value.group == .name("baton"))
    #expect(listen.map(\.value.takesPlainTokens) == [false, false, false, true, false])
    #expect(listen[1].origin == .file("/etc/baton/baton.yaml", FilePlace(line: 3, column: 5)))
    #expect(file.tls.certificate?.value == "/etc/baton/a.pem")
    #expect(file.tls.key?.value == "/etc/a.key")
    #expect(file.tls.requireClients?.value == true)
    #expect(file.settings["max_line"]?.value == 65536)
    let peers = try #require(file.peers)
    #expect(peers.map(\.name) == ["ann", "anonymous"])
    #expect(peers[0].tokens.map(\.value.spelling) == [Self.digest, Self.other])
    #expect(peers[0].users.map(\.value) == [.named("ann"), .numbered(5)])
    #expect(peers[0].certificates.map(\.value) == ["dns:web.example"])
    #expect(peers[0].may.map(\.value.spelling) == ["everything"])
    #expect(peers[1].limits.links == 3 && peers[1].limits.perSecond == 20 && peers[1].limits.burst == 30)
  }

  @Test(arguments: [
    ("- a\n", "1:1", "the file is a map, and a list stands here"),
    ("setings: {}\n", "1:1", "no key \"setings\"; did you mean \"settings\"?"),
    (
      "colours: {}\n", "1:1",
      "no key \"colours\"; its keys are: listen, http, http_hosts, allow_origins, public_address, proxies"
    ),
    ("listen: tcp:127.0.0.1:1\n", "1:9", "listen is a list"),
    ("listen:\n", "1:8", "listen is a list, and nothing stands here"),
    ("listen: []\n", "1:9", "leave it out to listen at tcp:127.0.0.1:22866"),
    ("listen: [127.0.0.1:1]\n", "1:10", "write tcp:127.0.0.1:1"),
    ("listen: [nowhere]\n", "1:10", "write tcp:HOST:PORT, tls:HOST:PORT or unix:PATH"),
    ("listen: ['tcp:::1:1']\n", "1:10", "'tcp:[::1]:1'"),
    ("listen: ['tcp:127.0.0.1:65536']\n", "1:10", "\"65536\" is not a port"),
    ("listen: ['tcp:127.0.0.1:+1']\n", "1:10", "\"+1\" is not a port"),
    ("listen: ['unix:']\n", "1:10", "needs a path"),
    ("listen: [unix:a, unix:a]\n", "1:18", "already; line 1 says so"),
    ("listen: [{ mode: '0660' }]\n", "1:10", "one of tcp, tls and unix; this one has 0"),
    ("listen: [{ unix: a, tcp: 'b:1' }]\n", "1:10", "this one has 2"),
    ("listen: [{ unix: a, mode: 660 }]\n", "1:27", "mode is four octal digits"),
    ("listen: [{ unix: a, mode: '0689' }]\n", "1:27", "mode is four octal digits"),
    ("listen: [{ tcp: '127.0.0.1:1', mode: '0660' }]\n", "1:32", "mode is for unix, not for tcp"),
    ("listen: [{ unix: a, plain_tokens: true }]\n", "1:21", "plain_tokens is for tcp"),
    ("listen: [{ tcp: '127.0.0.1:1', plain_tokens: yes }]\n", "1:46", "true or false, not \"yes\""),
    ("listen: [{ unix: a, grup: b }]\n", "1:21", "did you mean \"group\"?"),
    ("tls: { certificat: a }\n", "1:8", "did you mean \"certificate\"?"),
    ("tls: { certificate: [a], key: b }\n", "1:21", "certificate is a text, and a list stands here"),
    ("settings: { max_lin: 1 }\n", "1:13", "did you mean \"max_line\"?"),
    ("settings: { colour: 1 }\n", "1:13", "--list-settings lists all settings"),
    ("settings: { max_line: 5 }\n", "1:23", "max_line must be from 8192"),
    ("settings: { max_line: 1e5 }\n", "1:23", "whole number such as 65536, not \"1e5\""),
    ("settings: { max_line: 065536 }\n", "1:23", "whole number"),
    ("settings: { max_line: 65_536 }\n", "1:23", "whole number"),
    ("settings: { window: -1 }\n", "1:21", "window must be from 1"),
    ("settings: { window: 99999999999999999999 }\n", "1:21", "64 bits"),
    ("settings: { window: }\n", "1:21", "window is empty"),
  ])
  func aMistakeHasItsPlace(text: String, place: String, words: String) {
    let found = mistakes(in: text)
    #expect(isOnly(found, place, words), "\(found)")
  }

  @Test(arguments: [
    ("peers: {}\n", "1:8", "peers is empty"),
    ("peers: { a: { user: b, may: everything } }\n", "1:29", "may is a list"),
    ("peers: { a: { user: b } }\n", "1:10", "does not say what it may do"),
    ("peers: { a: { may: [] } }\n", "1:10", "nobody could be \"a\""),
    ("peers: { a.b: { user: b, may: [] } }\n", "1:10", "has a dot"),
    ("peers: { 'a b': { user: b, may: [] } }\n", "1:10", "is not one of A-Z"),
    ("peers: { abcdefghijklmnopqrstuvwxyz012345: { user: b, may: [] } }\n", "1:10", "more than 31 bytes"),
    ("peers: { owner: { user: b, may: [] } }\n", "1:10", "no identity is called \"owner\""),
    ("peers: { stranger: { user: b, may: [] } }\n", "1:10", "no identity is called \"stranger\""),
    ("peers: { reload: { user: b, may: [] } }\n", "1:10", "no identity is called \"reload\""),
    ("peers: { anonymous: { user: b, may: [] } }\n", "1:10", "so it has no user"),
    ("peers: { a: { user: b, mya: [], may: [] } }\n", "1:24", "did you mean \"may\"?"),
    ("peers: { a: { user: b, may: [send main] } }\n", "1:35", "\"to\" must follow \"send\""),
    ("peers: { a: { user: b, may: ['send main'] } }\n", "1:36", "\"to\" must follow \"send\""),
    ("peers: { a: { user: b, may: [subscribe a..b] } }\n", "1:40", "empty word at byte 2"),
    ("peers: { a: { user: [], may: [] } }\n", "1:21", "user is an empty list"),
    ("peers: { a: { user: 4294967295, may: [] } }\n", "1:21", "not the number of a user"),
    ("peers: { a: { user: 'b:c', may: [] } }\n", "1:21", "not the name of a user"),
    ("peers: { a: { user: [7, b], may: [] }, c: { user: 7, may: [] } }\n", "1:51", "a's already, in line 1"),
    ("peers: { a: { user: [root, 0], may: [] } }\n", "1:28", "a's already, in line 1"),
    (
      "peers: { a: { token: \(other), may: [] },\n b: { token: \(other), may: [] } }\n", "2:14",
      "a's already, in line 1"
    ),
    ("peers: { a: { token: sha256:12, may: [] } }\n", "1:22", "sha256: and 64 digits"),
    ("peers: { a: { certificate: web, may: [] } }\n", "1:28", "write dns:HOST or uri:URI"),
    ("peers: { a: { certificate: 'dns:', may: [] } }\n", "1:28", "needs a name after it"),
    ("peers: { a: { certificate: dns:é, may: [] } }\n", "1:28", "characters that no certificate has"),
    ("peers: { a: { certificate: ['dns:X', 'DNS:x'], may: [] } }\n", "1:38", "a's already, in line 1"),
    ("peers: { a: { user: b, may: [], limits: { max_link: 1 } } }\n", "1:43", "did you mean \"max_links\"?"),
    ("peers: { a: { user: b, may: [], limits: { max_links: 0 } } }\n", "1:54", "max_links must be from 1"),
    ("peers: { a: { user: b, may: [], limits: { per_second: 0 } } }\n", "1:55", "per_second must be from 1 to 1000000"),
    ("peers: { a: { user: b, may: [], limits: { burst: 5 } } }\n", "1:41", "burst needs per_second"),
  ])
  func aMistakeOfAPeerHasItsPlace(text: String, place: String, words: String) {
    let found = mistakes(in: text)
    #expect(isOnly(found, place, words), "\(found)")
  }

  @Test func allMistakesAreToldInTheOrderOfTheFile() {
    let found = mistakes(
      in: """
        listen: [tls:0.0.0.0:1]
        settings:
          window: 0
          windw: 1
        peers:
          a.b: { user: c, may: [sed to x] }
        tls: { certificate: a.pem }
        """)
    #expect(found.map { String($0.prefix { $0 != " " }) } == ["3:11", "4:3", "6:3", "6:25", "7:21"])
  }

  @Test func aTokenIsNeverTold() {
    let token = Token().text
    for text in [
      "peers: { a: { token: \(token), may: [] } }", "peers: { a: { user: \(token)/, may: [] } }", "\(token): 1",
      "settings: { \(token): 1 }", "settings: { window: \(token) }", "listen: [\(token)]",
      "peers: { a: { certificate: \(token), may: [] } }", "peers: { a: { user: b, may: [\(token)] } }",
    ] {
      let found = mistakes(in: text)
      #expect(!found.isEmpty)
      #expect(!found.contains { $0.contains(token.dropFirst(6).prefix(12)) }, "\(found)")
    }
  }
}
