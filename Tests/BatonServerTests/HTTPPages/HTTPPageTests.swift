import Testing

@testable import BatonServer

/// Which page a path is, and what may be asked of it.
@Suite struct HTTPPageTests {
  @Test(arguments: [
    ("GET /explain/door.open", #"{"op":"explain","id":1,"topic":"door.open"}"#),
    ("GET /explain/a%2Fb", #"{"op":"explain","id":1,"topic":"a/b"}"#),
    ("GET /explain/a+b", #"{"op":"explain","id":1,"topic":"a+b"}"#),
    ("GET /explain/a%2B%25b", #"{"op":"explain","id":1,"topic":"a+%b"}"#),
    ("GET /explain/%2541", #"{"op":"explain","id":1,"topic":"%41"}"#),
    ("GET /explain/t%C3%BCr", #"{"op":"explain","id":1,"topic":"tür"}"#),
    ("GET /explain/a%22%5C%0A%00", #"{"op":"explain","id":1,"topic":"a\"\\\n\u0000"}"#),
    ("GET /inspect", #"{"op":"inspect","id":1}"#),
    ("HEAD /inspect", #"{"op":"inspect","id":1}"#),
    ("GET /inspect?", #"{"op":"inspect","id":1}"#),
    ("GET /findings", #"{"op":"findings","id":1}"#),
    ("GET /walks", #"{"op":"walks","id":1}"#),
    ("GET /metrics", #"{"op":"inspect","id":1,"server":true}"#),
    ("POST /send/door.open", #"{"op":"send","id":1,"topic":"door.open"}"#),
    ("POST /broadcast/door.open", #"{"op":"broadcast","id":1,"topic":"door.open"}"#),
    ("GET /events?topics=a.*,b.%3E", #"{"op":"subscribe","id":1,"topics":["a.*","b.>"]}"#),
    ("GET /events?topics=a%2Cb,c&name=n", #"{"op":"subscribe","id":1,"topics":["a,b","c"]}"#),
  ])
  func becomesALine(request: String, line: String) throws {
    #expect(try Asked.line(request) == line + "\n")
  }

  @Test(arguments: [
    ("GET /x", "404 no_such_page"), ("GET /healthz/", "404 no_such_page"), ("GET //healthz", "404 no_such_page"),
    ("GET /%68ealthz", "404 no_such_page"), ("GET /Healthz", "404 no_such_page"), ("GET /%2e", "404 no_such_page"),
    ("POST /send", "404 no_such_page"), ("POST /send/", "404 no_such_page"), ("POST /send/a/b", "404 no_such_page"),
    ("POST /send/a/", "404 no_such_page"), ("GET /explain//", "404 no_such_page"),
    ("POST /send/a%", "400 bad_request"), ("POST /send/a%4", "400 bad_request"), ("POST /send/a%zz", "400 bad_request"),
    ("POST /send/%FF", "400 bad_request"), ("POST /send/%ED%A0%80", "400 bad_request"),
    ("GET /send/a", "405 bad_method"), ("POST /inspect", "405 bad_method"), ("DELETE /walks", "405 bad_method"),
    ("PUT /send/a", "405 bad_method"), ("POST /", "405 bad_method"), ("POST /healthz", "405 bad_method"),
    ("POST /ws", "405 bad_method"), ("GET /events", "400 missing_member"),
    ("GET /events?name=a", "400 missing_member"), ("GET /events?topics=a%", "400 bad_request"),
    ("GET /ws", "426 bad_request"), ("HEAD /ws", "405 bad_method"),
    ("HEAD /events?topics=a", "405 bad_method"),
  ])
  func isRefused(request: String, refusal: String) throws {
    #expect(try Asked.refusal(request) == refusal)
  }

  @Test func aTopicOfAnyLengthIsRefusedShortly() throws {
    let long = String(repeating: "a", count: 256)
    #expect(try Asked.refusal("POST /send/\(long)") == "400 bad_topic")
    #expect(try Asked.line("POST /send/\(long.dropLast())").contains(long.dropLast()))
    #expect(try Asked.answer("POST /send/\(String(repeating: "b", count: 9000))").body.count < 500)
  }

  @Test func whatIsMeantIsTold() throws {
    let near = Asked.message(of: try Asked.answer("GET /inspec"))
    #expect(near.contains(#"did you mean \"/inspect\"?"#))
    #expect(Asked.message(of: try Asked.answer("POST /send")).contains(#"\"/send/TOPIC\""#))
    #expect(Asked.message(of: try Asked.answer("GET /nothing-alike")).contains("/broadcast/TOPIC"))
    #expect(Asked.header("Allow", of: try Asked.answer("GET /send/a")) == "POST, OPTIONS")
    #expect(Asked.header("Allow", of: try Asked.answer("POST /walks")) == "GET, HEAD, OPTIONS")
    #expect(Asked.header("Allow", of: try Asked.answer("HEAD /events")) == "GET, OPTIONS")
    #expect(Asked.header("Upgrade", of: try Asked.answer("GET /ws")) == "websocket")
  }

  @Test func theBodyOfAGETIsNothing() throws {
    let line = #"{"op":"inspect","id":1}"# + "\n"
    #expect(try Asked.line("GET /inspect", ["Content-Type: a/b", "Content-Encoding: gzip"], body: "}\n{") == line)
    #expect(try !Asked.request("GET /inspect", ["Transfer-Encoding: chunked", "Baton-Meta: {"]).takesBody)
    #expect(try Asked.request("GET /inspect").maxBody == HTTPRules().maxLine)
    for page in ["GET /inspect", "GET /", "OPTIONS /send/a"] {
      #expect(try Asked.refusal(page, ["Content-Length: \((1 << 20) + 1)"]) == "413 line_too_long")
    }
  }

  @Test func errorsBeforeTheBodyWasReadClose() throws {
    #expect(try Asked.answer("POST /send", body: Array("1".utf8)).closes)
    #expect(try Asked.answer("POST /send", ["Transfer-Encoding: chunked"]).closes)
    #expect(try !Asked.answer("POST /send", body: []).closes)
    #expect(try !Asked.answer("POST /send").closes)
    #expect(try !Asked.answer("GET /x").closes)
    // A body that was read and is wrong keeps the connection.
    #expect(try !Asked.answer("POST /send/a", ["Content-Type: application/json"], body: Array("x".utf8)).closes)
  }

  @Test func probesAreAnsweredWhateverTheHost() throws {
    for fields in [[], ["Host: evil.example"], ["Host: x", "Origin: null", "Sec-Fetch-Site: cross-site"]] {
      guard case .healthz = try Asked.plan("GET /healthz", fields) else {
        Issue.record("/healthz \(fields)")
        continue
      }
      guard case .readyz = try Asked.plan("HEAD /readyz", fields) else {
        Issue.record("/readyz \(fields)")
        continue
      }
    }
    let bare = try Asked.head(bytes: Array("GET /healthz HTTP/1.0\r\n\r\n".utf8))
    guard case .healthz = Asked.plan(bare, secondsToDrain: 3) else {
      Issue.record("no Host, and draining")
      return
    }
    #expect(try Asked.refusal("GET /healthz?a=1") == "400 unknown_member")
  }

  @Test func withoutAHostOnlyProbesAreAnswered() throws {
    let bare = try Asked.head(bytes: Array("GET /inspect HTTP/1.0\r\n\r\n".utf8))
    guard case .answer(let answer) = Asked.plan(bare) else {
      Issue.record("it was taken")
      return
    }
    #expect(answer.status == 421)
    Asked.check(answer)
  }

  @Test func aDrainingServerTellsWhoLooks() throws {
    for request in ["GET /inspect", "GET /explain/a", "GET /metrics", "GET /", "GET /healthz"] {
      if case .answer(let answer) = try Asked.plan(request, secondsToDrain: 7) {
        #expect(answer.status == 200 && answer.closes, "\(request)")
      }
    }
    for request in [
      "POST /send/a", "POST /broadcast/a", "GET /events?topics=a", "GET /walks", "GET /findings", "GET /ws",
      "GET /readyz", "GET /dead", "DELETE /send/a", "GET /walks?a=1", "POST /readyz",
    ] {
      let answer = try Asked.answer(request, secondsToDrain: 7)
      Asked.check(answer)
      #expect(answer.status == 503 && answer.closes)
      #expect(Asked.header("Baton-Error", of: answer) == "draining")
      #expect(Asked.header("Retry-After", of: answer) == "7")
    }
    for request in ["GET /nowhere", "POST /send/", "POST /send/a/b"] {
      #expect(try Asked.refusal(request, secondsToDrain: 7) == "404 no_such_page", "\(request)")
    }
    #expect(try Asked.answer("OPTIONS /send/a", secondsToDrain: 7).status == 204)
  }

  @Test func whoWantsNoReplyGetsAPing() throws {
    let request = try Asked.request("POST /send/a?reply=false")
    #expect(!request.reply)
    #expect(
      try String(decoding: request.line(body: []).get(), as: UTF8.self)
        == #"{"op":"send","id":1,"topic":"a","reply":false}"# + "\n" + #"{"op":"ping","id":2}"# + "\n")
    #expect(try Asked.request("POST /send/a?reply=true").reply)
    #expect(try Asked.request("POST /send/a").reply)
  }
}
