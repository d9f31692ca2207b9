import BatonCore
import DoorKit
import Testing

@testable import BatonServer

/// What the router's lines are to a request: read from lines that the router itself writes.
@Suite struct AnswerLineTests {
  private func read(_ line: String) -> AnswerKind { Array(line.utf8).withUnsafeBytes { AnswerLine.read($0) } }

  private func answer(_ status: Int, _ name: String = "", _ value: String = "") -> AnswerKind {
    .answer(AnswerMark(status: status, name: name, value: value))
  }

  @Test(arguments: [
    ("handled", 200), ("published", 200), ("unhandled", 404), ("rejected", 422), ("failed", 500), ("timeout", 500),
    ("cancelled", 500), ("later", 500),
  ])
  func aResultHasAStatus(word: String, status: Int) {
    for id in ["", ",\"id\":1"] {
      #expect(
        read("{\"op\":\"result\"\(id),\"status\":\"\(word)\",\"hops\":1}\n") == answer(status, "Baton-Status", word))
    }
  }

  /// The places of members in a line that its peer has never seen are left out.
  @Test func anErrorNamesNoByteOfTheLineThatTheDoorMade() {
    func shown(_ message: String, code: String = "bad_member") -> String {
      let line = "{\"op\":\"error\",\"id\":1,\"code\":\"\(code)\",\"message\":\"\(message)\"}\n"
      let mark = AnswerMark(status: 400, name: "Baton-Error", value: code)
      return String(decoding: Array(line.utf8).withUnsafeBytes { AnswerLine.shown($0, mark) }, as: UTF8.self)
    }
    #expect(shown("no after, at byte 31") == shown("no after"))
    #expect(shown("no after, at byte ").contains("at byte "))
    #expect(shown("a key with a NUL, at byte 3, at byte 40").contains("NUL, at byte 3\""))
    #expect(shown("the topic is wrong, at byte 3", code: "bad_topic").contains("at byte 3"))
  }

  @Test func aStoredMessageHasItsAnswer() {
    #expect(
      read(#"{"op":"accepted","id":1,"stored":"k3-1"}"# + "\n")
        == .stored(AnswerMark(status: 202, name: "Baton-Status", value: "accepted")))
    #expect(read(#"{"op":"stored","id":1,"stored":"k3-1","state":"waiting"}"#) == answer(200))
    #expect(read(#"{"op":"dead","id":1,"dead":[],"more":false}"#) == answer(200))
  }

  /// What a peer has written makes no dead letter.
  @Test(arguments: [
    (#","hops":1,"stored":"k3-1","try":2,"dead":true}"#, 500), (#","hops":1,"stored":"k3-1","try":2}"#, 404),
    (#","payload":{"dead":true}}"#, 404), (#","payload":{"a":1,"dead":true}}"#, 404),
    (#","message":",\"dead\":true}"}"#, 404), (#","payload":",\"dead\":true","hops":1}"#, 404),
  ])
  func theResultOfADeadLetterIsToldApart(rest: String, status: Int) {
    for end in ["", "\n"] {
      #expect(
        read(#"{"op":"result","id":1,"status":"unhandled""# + rest + end) == answer(status, "Baton-Status", "unhandled")
      )
    }
  }

  @Test(arguments: [
    "", "{", "{\"op\":\"", "{\"op\":\"result\"", "{\"op\":\"result\",\"id\":1}",
    "{\"op\":\"result\",\"id\":2,\"status\":\"handled\"}",
    "{\"op\":\"error\"}", "{\"op\":\"error\",\"code\":\"", "{\"op\":\"error\",\"code\":\"a b\"}",
    "{\"op\":\"error\",\"code\":\"\"}",
    "{\"op\":\"error\",\"code\":\"\(String(repeating: "a", count: 33))\"}", "{\"op\":\"event\",\"topic\":\"a\"}",
    "{\"op\":\"draining\",\"deadline_ms\":1}", "{\"op\":\"ping\"}", "{\"op\":\"missed\",\"count\":1}", "\n",
    "{\"op\":\"offer\",\"id\":1}",
  ])
  func othersArePassed(line: String) { #expect(read(line) == .skip) }

  /// What the router says to the lines of a request.
  private func answers(_ driver: Driver, _ first: String, _ fields: [String] = []) throws -> [AnswerKind] {
    let connection = driver.open()
    let request = try Asked.request(first, fields)
    var kinds: [AnswerKind] = []
    let tell = { (line: [UInt8]) in
      driver.receive(line, from: connection)
      let lines = driver.takeAll(of: connection).split(separator: 10)
      kinds += lines.map { line in Array(line).withUnsafeBytes { AnswerLine.read($0) } }
    }
    if let greeting = request.greeting { tell(greeting) }
    guard kinds.isEmpty || kinds == [.welcome] else { return kinds }
    tell(try request.line(body: []).get())
    return kinds
  }

  @Test func theRoutersOwnLinesAreRead() throws {
    let driver = Driver(settings: Settings())
    #expect(try answers(driver, "POST /send/a") == [answer(404, "Baton-Status", "unhandled")])
    #expect(try answers(driver, "POST /send/a?name=n") == [.welcome, answer(404, "Baton-Status", "unhandled")])
    #expect(try answers(driver, "POST /send/a?mode=notify") == [answer(200, "Baton-Status", "ok")])
    #expect(try answers(driver, "POST /send/a?reply=false") == [.taken])
    #expect(try answers(driver, "POST /broadcast/a") == [answer(200, "Baton-Status", "ok")])
    #expect(try answers(driver, "POST /broadcast/a?via=c") == [answer(200, "Baton-Status", "published")])
    #expect(try answers(driver, "GET /events?topics=a.*") == [answer(200, "Baton-Status", "ok")])
    for page in ["/inspect", "/inspect?server=true", "/walks", "/findings", "/explain/a", "/metrics"] {
      #expect(try answers(driver, "GET \(page)") == [answer(200)], "\(page)")
    }
    #expect(try answers(driver, "POST /send/a..b") == [answer(400, "Baton-Error", "bad_topic")])
    #expect(try answers(driver, "POST /send/a..b?reply=false") == [answer(400, "Baton-Error", "bad_topic"), .taken])
    #expect(try answers(driver, "POST /send/$baton.a") == [answer(400, "Baton-Error", "bad_topic")])
    #expect(try answers(driver, "POST /send/a?mode=notify&key=k") == [answer(400, "Baton-Error", "bad_member")])
    // A server without peers refuses a token. Then the op must not come.
    let token = ["Authorization: Bearer t"]
    #expect(try answers(driver, "POST /send/a", token) == [answer(400, "Baton-Error", "bad_member")])
  }

  @Test func whoMayNotIsTold() throws {
    let access = AccessRules(forTests: [.init("web", may: ["send to main"])])
    let driver = Driver(settings: Settings(), access: access)
    let web = ["Authorization: Bearer \(TestToken.text(of: "web"))"]
    #expect(try answers(driver, "POST /send/a", web) == [.welcome, answer(404, "Baton-Status", "unhandled")])
    #expect(try answers(driver, "POST /send/a?chain=b", web) == [.welcome, answer(403, "Baton-Error", "not_allowed")])
    #expect(try answers(driver, "GET /metrics", web) == [.welcome, answer(403, "Baton-Error", "not_allowed")])
    #expect(try answers(driver, "POST /send/a") == [answer(401, "Baton-Error", "auth_required")])
    #expect(
      try answers(driver, "POST /send/a", ["Authorization: Bearer wrong"]) == [
        answer(401, "Baton-Error", "auth_failed")
      ])
    let long = String(repeating: "n", count: 33)
    #expect(try answers(driver, "POST /send/a?name=\(long)", web) == [answer(400, "Baton-Error", "bad_name")])
    driver.drain()
    #expect(try answers(driver, "POST /send/a", web).contains(answer(503, "Baton-Error", "draining")))
  }
}
