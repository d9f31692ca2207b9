import Testing

@testable import BatonServer

/// Who a request says that it is.
@Suite struct HTTPGreetingTests {
  @Test(
    arguments: [
      ("", [], nil), ("?name=cli", [], #"{"op":"hello","name":"cli"}"#),
      ("", ["Authorization: Bearer baton_x"], #"{"op":"hello","token":"baton_x"}"#),
      ("", ["authorization: bEARER  a\"\\b"], #"{"op":"hello","token":"a\"\\b"}"#),
      ("?name=n", ["Authorization: Bearer t"], #"{"op":"hello","token":"t","name":"n"}"#),
      (
        "?name=n", ["Authorization: Bearer \(String(repeating: "t", count: 256))"],
        #"{"op":"hello","token":"\#(String(repeating: "t", count: 256))","name":"n"}"#
      ),
    ] as [(String, [String], String?)])
  func becomesHello(query: String, fields: [String], line: String?) throws {
    for request in ["POST /send/a", "GET /inspect", "GET /walks", "GET /explain/a", "GET /findings"] {
      let request = try Asked.request(request + query, fields)
      #expect(request.greeting.map { String(decoding: $0, as: UTF8.self) } == line.map { $0 + "\n" })
    }
  }

  @Test(arguments: [
    ("Authorization: Basic YTpi", "401 auth_failed"), ("Authorization: Bearer", "401 auth_failed"),
    ("Authorization: ", "401 auth_failed"), ("Authorization: baton_x", "401 auth_failed"),
    ("Authorization: Bearer a b", "401 auth_failed"), ("Authorization: Bearer tür", "401 auth_failed"),
    ("Authorization: Bearer \(String(repeating: "t", count: 257))", "401 auth_failed"),
    ("Authorization: Bearer a\r\nAuthorization: Bearer a", "400 bad_request"),
  ])
  func isRefused(field: String, refusal: String) throws {
    let fields = field.split(separator: "\r\n").map(String.init)
    for request in ["POST /send/a", "GET /metrics", "GET /events?topics=a"] {
      #expect(try Asked.refusal(request, fields) == refusal)
    }
  }

  @Test func whoIsRefusedIsToldHowToAsk() throws {
    let answer = try Asked.answer("GET /inspect", ["Authorization: Basic secret"])
    #expect(Asked.header("WWW-Authenticate", of: answer) == "Bearer")
    #expect(!Asked.message(of: answer).contains("secret"))
    #expect(!Asked.message(of: try Asked.answer("GET /inspect", ["Authorization: Bearer secret x"])).contains("secret"))
  }

  static let upgrade = [
    "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
  ]

  private func webSocket(_ fields: [String], _ rules: HTTPRules = HTTPRules()) throws -> WebSocketPlan {
    guard case .webSocket(let plan) = try Asked.plan("GET /ws", Self.upgrade + fields, rules) else {
      throw Asked.Unread()
    }
    return plan
  }

  @Test func aWebSocketIsOpened() throws {
    let plain = try webSocket([])
    #expect(plain.accept == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    #expect(plain.subprotocol == nil && plain.greeting == nil && plain.cors.isEmpty)
    let bytes = plain.answer.bytes(keepsAlive: true, isHead: false, date: "D")
    #expect(
      String(decoding: bytes, as: UTF8.self)
        == "HTTP/1.1 101 Switching Protocols\r\nDate: D\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n")
    let other = try webSocket(["Sec-WebSocket-Protocol: chat, baton.1", "Authorization: Bearer t"])
    #expect(other.subprotocol == "baton.1")
    #expect(other.greeting == Array("{\"op\":\"hello\",\"token\":\"t\"}\n".utf8))
    #expect(Asked.header("Sec-WebSocket-Protocol", of: other.answer) == "baton.1")
    #expect(try webSocket(["Sec-WebSocket-Protocol: chat"]).subprotocol == nil)
    #expect(try Asked.refusal("GET /ws", Self.upgrade, secondsToDrain: 1) == "503 draining")
    #expect(try Asked.refusal("GET /ws?name=a", Self.upgrade) == "400 unknown_member")
    #expect(try Asked.refusal("GET /ws", Self.upgrade + ["Origin: http://evil.example"]) == "403 foreign_page")
  }
}
