import NATS
import ProgramKit
import TLS
import Testing

/// The client against a real NATS server.
@Suite(.enabled(if: RealServer.program != nil))
struct ClientTests {
  @Test func `It publishes, hears, asks and is answered`() throws {
    let server = try RealServer()
    let client = try server.client(subjects: ["a.b"])
    try client.hears("connected 2.")
    client.client?.publish(Array("hello".utf8), to: "a.b")
    try client.hears("a.b hello")
    var answers: [String?] = []
    client.client?.ask([1], at: "a.b", within: 5000) {
      answers.append($0.map { String(decoding: $0.payload, as: UTF8.self) })
    }
    try client.run { answers.count == 1 }
    #expect(answers == ["answer"])
    // Nobody is there.
    var status: Int?
    client.client?.ask([], at: "nobody", within: 5000) { status = $0?.status }
    try client.run { status != nil }
    #expect(status == 503)
    try client.run { client.client?.milliseconds != nil }
  }

  @Test func `All who listen answer, until the time is over`() throws {
    let server = try RealServer()
    // It listens twice, and answers each time.
    let client = try server.client(subjects: ["all", "all"])
    try client.hears("connected")
    var (answers, isOver) = (0, false)
    client.client?.askAll([], at: "all", within: 300) { if $0 == nil { isOver = true } else { answers += 1 } }
    try client.run { isOver }
    #expect(answers == 2)
  }

  @Test func `A server that comes back is found again, and open questions end`() throws {
    let server = try RealServer()
    let client = try server.client(subjects: ["silent"])
    try client.hears("connected")
    var answers: [NATSMessage?] = []
    client.client?.askAll([], at: "silent", within: 60_000) { answers.append($0) }
    try client.hears("silent")
    server.end()
    try client.hears("away")
    #expect(answers.last == .some(nil))
    let again = try RealServer(port: server.port)
    try client.run { client.told.count { $0.hasPrefix("connected") } == 2 }
    again.end()
  }

  @Test func `A key signs what the server gives, and another one is refused`() throws {
    let server = try RealServer(
      "authorization { users: [{ nkey: UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4 }] }")
    // The pair that NATS's own manual shows.
    let seed = "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY"
    try server.client(.key(#require(NATSKey(seed)), proof: nil)).hears("connected")
    let other = "SUAIBDPBAUTWCWBKIO6XHQNINK5FWJW4OHLXC3HQ2KFE4PEJUA44CNHTC4"
    try server.client(.key(#require(NATSKey(other)), proof: nil)).hears("away Authorization Violation")
    #expect(NATSKey(String(seed.dropLast()) + "A") == nil)
    #expect(NATSKey("UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4") == nil)
  }

  @Test func `Users, passwords and tokens are shown, and wrong ones refused`() throws {
    let users = try RealServer("authorization { users: [{ user: a, password: \"p w\" }] }")
    try users.client(.user("a", password: "p w")).hears("connected")
    try users.client(.user("a", password: "x")).hears("away Authorization Violation")
    try users.client().hears("away Authorization Violation")
    let tokens = try RealServer("authorization { token: s3cret }")
    try tokens.client(.token("s3cret")).hears("connected")
    try tokens.client(.token("other")).hears("away Authorization Violation")
  }

  @Test func `A missing right is told by its name, and ends nothing`() throws {
    let server = try RealServer(
      """
      authorization { users: [
        { user: a, password: a, permissions: { publish: ["inbox.>"], subscribe: ["inbox.>"] } }
      ] }
      """
    )
    let client = try server.client(.user("a", password: "a"))
    try client.hears("connected")
    client.client?.publish([], to: "forbidden.subject")
    try client.hears("refused Permissions Violation for Publish to \"forbidden.subject\"")
    client.client?.publish([], to: "inbox.test.99")
    try client.run { client.client?.info != nil }
  }

  @Test(arguments: [false, true]) func `Connections are encrypted, and certificates shown`(asksForCertificate: Bool)
    throws
  {
    let made = try Certificates.shared()
    let server = try RealServer(
      """
      tls { cert_file: "\(made.path("server.pem"))", key_file: "\(made.path("server.key"))",
        ca_file: "\(made.path("authority.pem"))", verify: \(asksForCertificate) }
      """)
    var files = TLSContext.Files()
    files.authorities = made.path("authority.pem")
    if asksForCertificate { (files.certificate, files.key) = (made.path("client.pem"), made.path("client.key")) }
    try server.client(tls: TLSContext(.client, files), isEncrypted: true).hears("connected")
    // A server that wants it gets it, also where the place does not say so.
    try server.client(tls: TLSContext(.client, files)).hears("connected")
    // The system knows nothing of that authority.
    try server.client(tls: TLSContext(.client, TLSContext.Files()), isEncrypted: true).hears(
      "away the server's certificate")
    if asksForCertificate {
      files.certificate = nil
      files.key = nil
      try server.client(tls: TLSContext(.client, files), isEncrypted: true).hears("away")
    }
  }

  @Test func `Where encryption is wanted and not there, nothing is said`() throws {
    let server = try RealServer()
    let client = try server.client(
      .token("s3cret"), tls: TLSContext(.client, TLSContext.Files()), isEncrypted: true)
    try client.hears("away it has no encryption")
  }
}
