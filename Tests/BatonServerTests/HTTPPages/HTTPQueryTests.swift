import Testing

@testable import BatonServer

/// The members of a query: which page takes which, and of what kind.
@Suite struct HTTPQueryTests {
  @Test(arguments: [
    (
      "POST /send/a?chain=c&timeout_ms=5000&mode=all&key=k&trace=true&reply=true&name=n",
      #""topic":"a","chain":"c","timeout_ms":5000,"mode":"all","key":"k","trace":true,"reply":true"#
    ),
    ("POST /send/a?mode=notify", #""topic":"a","mode":"notify""#),
    ("POST /send/a?key=a+b%2B%22", #""topic":"a","key":"a b+\"""#),
    ("POST /send/a?key=t%C3%BCr=1", #""topic":"a","key":"tür=1""#),
    ("POST /send/a?timeout_ms=86400000", #""topic":"a","timeout_ms":86400000"#),
    (
      "POST /broadcast/a?via=c&echo=false&timeout_ms=1&key=k&trace=false",
      #""topic":"a","via":"c","echo":false,"timeout_ms":1,"key":"k","trace":false"#
    ),
    (
      "POST /send/a?durable=true&once=a+b&tries=3&retry_ms=100&expires_ms=604800000&delay_ms=1&wait=true",
      #""topic":"a","durable":true,"once":"a b","tries":3,"retry_ms":100,"expires_ms":604800000,"delay_ms":1"#
    ),
    ("POST /broadcast/a?retain=true", #""topic":"a","retain":true"#),
    ("GET /events?topics=a,b&retained=true", #""topics":["a","b"],"retained":true"#),
    ("GET /events?topics=a&after=812&epoch=x7", #""topics":["a"],"after":812,"epoch":"x7""#),
    ("GET /stored?stored=k3-1", #""stored":"k3-1""#),
    ("GET /dead?chain=c&after=k3-1&until=k3-9&limit=100", #""chain":"c","after":"k3-1","until":"k3-9","limit":100"#),
    ("POST /resend?stored=k3-1", #""stored":"k3-1""#), ("POST /discard?stored=k3-1", #""stored":"k3-1""#),
    ("GET /explain/a?chain=c&limit=2&after=c/h/1/1", #""topic":"a","chain":"c","limit":2,"after":"c/h/1/1""#),
    (
      "GET /inspect?server=true&history=true&messages=false&connections=true&changes=true&chain=c&limit=1000&after=x",
      #""server":true,"history":true,"messages":false,"connections":true,"changes":true,"chain":"c","limit":1000,"after":"x""#
    ),
    (
      "GET /walks?status=failed&topic=door.*&walk=9223372036854775807&chain=c&limit=3&after=12",
      #""status":"failed","topic":"door.*","walk":9223372036854775807,"chain":"c","limit":3,"after":"12""#
    ),
  ])
  func becomesMembers(request: String, members: String) throws {
    let line = try Asked.line(request)
    #expect(line.hasSuffix(",\(members)}\n"), "\(line)")
  }

  @Test(arguments: [
    "chian=c", "id=1", "op=send", "topic=a", "payload=1", "meta=1", "durabel=true", "stored=1", "since=1", "via=c",
    "echo=true", "token=a", "Chain=c", "=", "chain=a&", "&chain=a", "%00=1", "chain%3Da",
  ])
  func anUnknownMemberIsRefused(query: String) throws {
    #expect(try Asked.refusal("POST /send/a?\(query)") == "400 unknown_member", "\(query)")
  }

  @Test(arguments: ["chain=a&chain=a", "chain=a&%63hain=b", "trace=true&key=k&trace=false"])
  func aRepeatedMemberIsRefused(query: String) throws {
    #expect(try Asked.refusal("POST /send/a?\(query)") == "400 duplicate_member", "\(query)")
  }

  @Test(arguments: [
    "timeout_ms=", "timeout_ms=0", "timeout_ms=86400001", "timeout_ms=+5", "timeout_ms=05", "timeout_ms=-5",
    "timeout_ms=5.0", "timeout_ms=5e3", "timeout_ms=99999999999999999999999999", "mode=", "mode=any", "mode=FIRST",
    "trace=1", "trace=True", "trace", "reply=no", "key=", "key=%00", "key=%C2%85",
  ])
  func aValueIsRefused(query: String) throws {
    #expect(try Asked.refusal("POST /send/a?\(query)") == "400 bad_member", "\(query)")
  }

  @Test(arguments: [
    "/send/a?wait=true", "/send/a?durable=false&wait=true", "/send/a?durable=true&reply=false", "/send/a?tries=0",
    "/send/a?tries=1001", "/send/a?expires_ms=604800001", "/send/a?once=\(String(repeating: "o", count: 129))",
    "/send/a?durable=1", "/send/a?durable=true&wait=yes", "/broadcast/a?retain=1",
  ])
  func whatDoesNotGoTogetherIsRefused(page: String) throws {
    #expect(try Asked.refusal("POST \(page)") == "400 bad_member", "\(page)")
  }

  @Test func aStoredMessageHasToBeNamed() throws {
    for request in ["GET /stored", "POST /resend", "POST /discard?name=n"] {
      #expect(try Asked.refusal(request) == "400 missing_member", "\(request)")
    }
    for request in ["GET /resend?stored=a", "GET /discard?stored=a", "POST /stored?stored=a", "POST /dead"] {
      #expect(try Asked.refusal(request) == "405 bad_method", "\(request)")
    }
  }

  @Test func aReadersOwnPlaceSaysMoreThanItsURL() throws {
    let place = ["Last-Event-ID: x7:9"]
    #expect(
      try Asked.line("GET /events?topics=a&after=1&epoch=o", place).hasSuffix(
        #""topics":["a"],"after":9,"epoch":"x7"}"# + "\n"))
    #expect(
      try Asked.line("GET /events?topics=a&retained=true", place).hasSuffix(#""topics":["a"],"retained":true}"# + "\n"))
    #expect(
      try Asked.line("GET /events?topics=a", ["Last-Event-ID:"]).hasSuffix(#""topics":["a"]}"# + "\n"))
  }

  @Test(arguments: ["chain=", "chain=a+b", "name=", "name=%22", "name=\(String(repeating: "n", count: 65))"])
  func aNameIsRefused(query: String) throws {
    #expect(try Asked.refusal("POST /send/a?\(query)") == "400 bad_name", "\(query)")
  }

  @Test(arguments: ["key=%", "key=%4", "key=%GG", "key=%FF", "%FF=a", "key=%ED%A0%80", "key=%C0%AF"])
  func whatIsNotEncodedRightlyIsRefused(query: String) throws {
    #expect(try Asked.refusal("POST /send/a?\(query)") == "400 bad_request", "\(query)")
  }

  @Test(arguments: [
    ("/broadcast/a?mode=all", "unknown"), ("/broadcast/a?chain=c", "unknown"), ("/explain/a?mode=all", "unknown"),
    ("/inspect?topic=a", "unknown"), ("/inspect?server=yes", "bad"), ("/inspect?limit=0", "bad"),
    ("/inspect?limit=1001", "bad"), ("/walks?walk=0", "bad"), ("/walks?walk=9223372036854775808", "bad"),
    ("/walks?status=ended", "bad"), ("/findings?limit=1", "unknown"), ("/metrics?name=a", "unknown"),
    ("/ws?token=a", "unknown"), ("/?a=1", "unknown"), ("/readyz?verbose", "unknown"),
    ("/events?topics=a&topics=b", "duplicate"), ("/events?topics=a&where=b", "unknown"),
    ("/walks?topic=\(String(repeating: "a", count: 256))", "bad"),
  ])
  func eachPageHasItsOwn(page: String, code: String) throws {
    let method = page.hasPrefix("/broadcast") ? "POST" : "GET"
    #expect(try Asked.refusal("\(method) \(page)") == "400 \(code)_member", "\(page)")
  }

  @Test func theNearestNameIsTold() throws {
    let answer = Asked.message(of: try Asked.answer("POST /send/a?timout_ms=5"))
    #expect(answer.contains(#"did you mean \"timeout_ms\"?"#))
    let none = Asked.message(of: try Asked.answer("POST /send/a?zzzzzzzz=5"))
    #expect(none.contains("it takes chain, timeout_ms, mode, key, trace, within, reply, name, durable"))
    #expect(Asked.message(of: try Asked.answer("GET /healthz?a=1")).contains("takes no query"))
    let long = try Asked.answer("POST /send/a?\(String(repeating: "x", count: 8000))=5")
    #expect(long.body.count < 500)
  }
}
