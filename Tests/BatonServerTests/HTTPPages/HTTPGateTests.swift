import Testing

@testable import BatonServer

/// Pages of strangers do not get in: `Host`, `Origin`, `Sec-Fetch-Site`, and what a browser is told before it asks.
@Suite struct HTTPGateTests {
  private static let rules = HTTPRules(
    hosts: ["Baton.Example"], origins: ["https://ops.example", "http://10.0.0.1:8080"])

  private func isTaken(_ first: String, _ fields: [String], _ rules: HTTPRules = rules) throws -> Bool {
    if case .answer(let answer) = try Asked.plan(first, fields, rules), answer.status != 200 {
      Asked.check(answer)
      return false
    }
    return true
  }

  @Test(arguments: [
    "localhost", "LocalHost:22868", "127.0.0.1", "127.0.0.1:1", "10.1.2.3:65535", "[::1]", "[::1]:22868", "[fe80::1:2]",
    "[::ffff:1.2.3.4]:80", "[1:2:3:4:5:6:7:8]", "[1::8]", "[1:2:3:4:5:6:7::]", "[::]", "baton.example",
    "BATON.example:443",
  ])
  func aHostIsTaken(host: String) throws {
    #expect(try isTaken("GET /inspect", ["Host: \(host)"]))
  }

  @Test(arguments: [
    "evil.example", "baton.example.evil", "xbaton.example", "localhost.", "localhost.evil", "a.localhost", "127.1",
    "127.0.0.01", "0x7f.0.0.1", "2130706433", "127.0.0.256", "127.0.0.1.evil", "127.0.0.1:", "127.0.0.1:0",
    "127.0.0.1:65536",
    "127.0.0.1:080", "127.0.0.1:+8", "127.0.0.1:8:8", "[::1", "[::1]x", "[::1]:", "::1", "[1::2::3]", "[:::]",
    "[1:2:3]",
    "[1:2:3:4:5:6:7:8:9]", "[1:2:3:4:5:6:7:8::]", "[12345::]", "[::g]", "[1.2.3.4]", "[::1.2.3]", "[]",
    "[fe80::1%25eth0]", "[:1]",
    "[1:]", "[1:2:3:4:5:6:7:]",
  ])
  func aHostIsNotTaken(host: String) throws {
    let answer = try Asked.answer("GET /inspect", ["Host: \(host)"], Self.rules)
    #expect(answer.status == 421, "\(host)")
    #expect(Asked.header("Baton-Error", of: answer) == "wrong_host")
    #expect(answer.closes)
    Asked.check(answer)
  }

  @Test func aHostThatHasToBeAddedIsTold() throws {
    let answer = try Asked.answer("GET /inspect", ["Host: web.example:80"])
    #expect(Asked.message(of: answer).contains("--http-host web.example"))
  }

  @Test(arguments: [
    ("localhost", "http://localhost", false), ("localhost:80", "http://localhost", false),
    ("localhost", "http://localhost:80", false), ("localhost:22868", "http://localhost:22868", false),
    ("LOCALHOST:22868", "http://localhost:22868", false), ("[::1]:5", "http://[::1]:5", false),
    ("localhost", "https://localhost", true), ("localhost:443", "https://localhost", true),
    ("baton.example", "https://baton.example:443", true), ("localhost", "https://ops.example", false),
    ("localhost", "http://10.0.0.1:8080", true),
  ])
  func anOriginIsTaken(host: String, origin: String, isEncrypted: Bool) throws {
    var rules = Self.rules
    rules.isEncrypted = isEncrypted
    for request in ["GET /inspect", "POST /send/a"] {
      #expect(try isTaken(request, ["Host: \(host)", "Origin: \(origin)"], rules), "\(origin)")
    }
  }

  @Test(arguments: [
    ("localhost", "https://localhost", false), ("localhost", "http://localhost", true),
    ("localhost:22868", "http://localhost", false), ("localhost", "http://localhost:22868", false),
    ("localhost", "http://127.0.0.1", false), ("127.0.0.1", "http://localhost", false), ("localhost", "null", false),
    ("localhost", "", false), ("localhost", "http://localhost.evil", false),
    ("localhost", "http://evil@localhost", false),
    ("localhost", "http://localhost/", false), ("localhost", "HTTP://localhost", false),
    ("localhost", "xttp://localhost", false), ("localhost", "xttps://localhost", true),
    ("localhost", "https://ops.example:443", false), ("localhost", "https://OPS.example", false),
    ("localhost", "http://ops.example", false), ("localhost", "https://ops.example.evil", false),
    ("localhost", "https://ops.example https://evil", false), ("localhost", "*", false),
    ("localhost:443", "http://localhost:80", false), ("localhost:80", "https://localhost:443", true),
  ])
  func anOriginIsNotTaken(host: String, origin: String, isEncrypted: Bool) throws {
    var rules = Self.rules
    rules.isEncrypted = isEncrypted
    for request in ["GET /inspect", "POST /send/a", "OPTIONS /send/a", "GET /", "GET /ws", "GET /nowhere"] {
      let answer = try Asked.answer(request, ["Host: \(host)", "Origin: \(origin)"], rules)
      #expect(answer.status == 403, "\(request) \(origin)")
      #expect(Asked.header("Baton-Error", of: answer) == "foreign_page")
      #expect(Asked.header("Access-Control-Allow-Origin", of: answer) == nil)
      Asked.check(answer)
    }
  }

  @Test func nullIsNeverTaken() throws {
    // Nobody can allow it, not even by name: every file and every sandbox has it.
    #expect(try !isTaken("GET /inspect", ["Origin: null"], HTTPRules(origins: ["null"])))
  }

  @Test func twoOriginsAreNotTaken() throws {
    let fields = ["Origin: https://ops.example", "Origin: https://ops.example"]
    #expect(try !isTaken("GET /inspect", fields))
    #expect(try !isTaken("GET /inspect", ["Origin: http://localhost", "Origin: http://localhost"]))
  }

  @Test(arguments: ["cross-site", "same-site", "Cross-Site"])
  func aSiteFromElsewhereIsNotTaken(site: String) throws {
    let field = "Sec-Fetch-Site: \(site)"
    let navigates = "Sec-Fetch-Mode: navigate"
    #expect(try !isTaken("GET /inspect", [field]))
    #expect(try !isTaken("POST /send/a", [field]))
    #expect(try !isTaken("GET /ws", [field]))
    #expect(try !isTaken("GET /inspect", [field, navigates]))
    #expect(try !isTaken("POST /send/a", [field, navigates]))
    #expect(try !isTaken("GET /", [field]))
    #expect(try !isTaken("GET /", [field, "Sec-Fetch-Mode: no-cors"]))
    #expect(try !isTaken("GET /inspect", [field, "Origin: http://localhost"]))
    #expect(try !isTaken("GET /inspect", ["Sec-Fetch-Site: none", field]))
    // A link to the console may stand anywhere.
    #expect(try isTaken("GET /", [field, navigates]))
    #expect(try isTaken("HEAD /", [field, navigates]))
    #expect(try !isTaken("GET /", [field, navigates, "Host: evil.example"]))
    #expect(try isTaken("GET /inspect", [field, "Origin: https://ops.example"]))
  }

  @Test(arguments: ["same-origin", "none"])
  func aSiteOfItsOwnIsTaken(site: String) throws {
    #expect(try isTaken("POST /send/a", ["Sec-Fetch-Site: \(site)", "Origin: http://localhost"]))
    #expect(try isTaken("GET /inspect", ["Sec-Fetch-Site: \(site)"]))
  }

  @Test func aBrowserIsToldWhatItMaySend() throws {
    let fields = ["Origin: https://ops.example", "Access-Control-Request-Method: POST", "Sec-Fetch-Site: cross-site"]
    guard case .answer(let answer) = try Asked.plan("OPTIONS /send/a", fields, Self.rules) else {
      Issue.record("no answer")
      return
    }
    #expect(answer.status == 204 && answer.body.isEmpty && !answer.closes)
    #expect(Asked.header("Access-Control-Allow-Methods", of: answer) == "POST, OPTIONS")
    #expect(
      Asked.header("Access-Control-Allow-Headers", of: answer)
        == "Authorization, Content-Type, Baton-Meta, Last-Event-ID, traceparent, tracestate")
    #expect(Asked.header("Access-Control-Allow-Origin", of: answer) == "https://ops.example")
    #expect(Asked.header("Access-Control-Allow-Credentials", of: answer) == nil)
    #expect(Asked.header("Vary", of: answer) == "Origin")
    guard case .answer(let own) = try Asked.plan("OPTIONS /walks", ["Origin: http://localhost"], Self.rules) else {
      Issue.record("no answer")
      return
    }
    #expect(own.status == 204)
    #expect(Asked.header("Allow", of: own) == "GET, HEAD, OPTIONS")
    #expect(Asked.header("Access-Control-Allow-Headers", of: own) == nil)
    #expect(try Asked.refusal("OPTIONS /nowhere") == "404 no_such_page")
  }

  @Test func everyAnswerToAnAllowedPageSaysSo() throws {
    let fields = ["Origin: https://ops.example"]
    let request = try Asked.request("POST /send/a", fields, Self.rules)
    for name in ["Access-Control-Allow-Origin", "Access-Control-Expose-Headers", "Vary"] {
      #expect(request.cors.contains { $0.name == name })
      for wrong in ["GET /nowhere", "GET /send/a", "POST /send/a?x=1", "POST /send/a%"] {
        #expect(Asked.header(name, of: try Asked.answer(wrong, fields, Self.rules)) != nil)
      }
      let body = try Asked.answer("POST /send/a", fields + HTTPBodyTests.json, body: [0], Self.rules)
      #expect(Asked.header(name, of: body) != nil)
      let late = try Asked.answer("POST /send/a", fields, Self.rules, secondsToDrain: 1)
      #expect(Asked.header(name, of: late) != nil)
    }
    #expect(
      request.cors.first { $0.name == "Access-Control-Expose-Headers" }?.value
        == "Baton-Status, Baton-Error, Retry-After")
    #expect(try Asked.request("POST /send/a", [], Self.rules).cors.map(\.name) == ["Vary"])
    #expect(try Asked.request("POST /send/a").cors.isEmpty)
  }
}
