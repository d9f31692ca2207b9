import BatonCore
import DoorKit
import Testing

@testable import BatonServer

/// What the router's lines are to a request: the router itself says so.
@Suite struct AnswerMarkTests {
  @Test func aResultHasAStatus() {
    for status in Outcome.Status.allCases {
      let code =
        switch status {
        case .handled, .published: 200
        case .unhandled: 404
        case .rejected: 422
        case .failed, .timeout, .cancelled: 500
        }
      let word = "\(status.spelling)"
      #expect(AnswerMark(.result(status)) == AnswerMark(status: code, name: "Baton-Status", value: word))
      #expect(AnswerMark(.dead(status)) == AnswerMark(status: 500, name: "Baton-Status", value: word))
    }
  }

  /// The places of members in a line that its peer has never seen are left out.
  @Test func anErrorNamesNoByteOfTheLineThatTheDoorMade() {
    for (door, isSaid) in [(PeerDoor.lines, true), (.webSocket, true), (.request, false), (.events, false)] {
      let driver = Driver(settings: Settings())
      let connection = open(driver, door)
      driver.receive(Array(#"{"op":"inspect","limit":-1}"#.utf8) + [10], from: connection)
      let text = String(decoding: driver.takeAll(of: connection), as: UTF8.self)
      #expect(text.contains("bad_member") && text.contains(", at byte 24\"}") == isSaid, "\(text)")
    }
  }

  /// Events, notices and pieces of long lines stand between the answers.
  @Test func eachLineIsMarkedUntilTheDoorKnowsEnough() {
    let driver = Driver(settings: Settings())
    func say(_ line: String, _ connection: Int) { driver.receive(Array((line + "\n").utf8), from: connection) }
    for number in 0..<400 { say(#"{"op":"insert","handler":"h\#(number)","id":1}"#, driver.open()) }
    let stream = open(driver, .events)
    say(#"{"op":"inspect"}"#, stream)
    say(#"{"op":"subscribe","topics":["a"]}"#, stream)
    say(#"{"op":"broadcast","topic":"a"}"#, stream)
    let lines = driver.takeLines(of: stream)
    #expect(lines.map { $0.mark } == [.told, .ok] && lines.allSatisfy { $0.line.last == 10 })
    #expect(lines[0].line.count > 40_000, "it comes in pieces")
    let rest = String(decoding: driver.takeAll(of: stream), as: UTF8.self)
    #expect(rest.contains(#"{"op":"event""#) && rest.contains(#"{"op":"ok""#))
    let socket = open(driver, .webSocket)
    say(#"{"op":"hello","name":"w"}"#, socket)
    say(#"{"op":"ping"}"#, socket)
    #expect(driver.takeLines(of: socket).map { $0.mark } == [.welcome])
    #expect(String(decoding: driver.takeAll(of: socket), as: UTF8.self).contains("pong"))
  }

  private func open(_ driver: Driver, _ door: PeerDoor) -> Int {
    var facts = PeerFacts()
    facts.door = door
    return driver.open(facts)
  }

  /// What the router says to the lines of a request.
  private func marks(_ driver: Driver, _ first: String, _ fields: [String] = []) throws -> [LineMark] {
    let connection = open(driver, first.hasPrefix("GET /events") ? .events : .request)
    let request = try Asked.request(first, fields)
    var marks: [LineMark] = []
    if let greeting = request.greeting {
      driver.receive(greeting, from: connection)
      marks = driver.takeLines(of: connection).map { $0.mark }
    }
    guard marks.isEmpty || marks == [.welcome] else { return marks }
    driver.receive(try request.line(body: []).get(), from: connection)
    return marks + driver.takeLines(of: connection).map { $0.mark }
  }

  @Test func theRouterSaysWhatItsLinesAre() throws {
    let driver = Driver(settings: Settings())
    #expect(try marks(driver, "POST /send/a") == [.result(.unhandled)])
    #expect(try marks(driver, "POST /send/a?name=n") == [.welcome, .result(.unhandled)])
    #expect(try marks(driver, "POST /send/a?mode=notify") == [.ok])
    #expect(try marks(driver, "POST /send/a?reply=false") == [.pong])
    #expect(try marks(driver, "POST /broadcast/a") == [.ok])
    #expect(try marks(driver, "POST /broadcast/a?via=c") == [.result(.published)])
    #expect(try marks(driver, "GET /events?topics=a.*") == [.ok])
    for page in ["/inspect", "/inspect?server=true", "/walks", "/findings", "/explain/a", "/metrics"] {
      #expect(try marks(driver, "GET \(page)") == [.told], "\(page)")
    }
    #expect(try marks(driver, "POST /send/a..b") == [.error(.badTopic)])
    #expect(try marks(driver, "POST /send/a..b?reply=false") == [.error(.badTopic), .pong])
    #expect(try marks(driver, "POST /send/$baton.a") == [.error(.badTopic)])
    #expect(try marks(driver, "POST /send/a?mode=notify&key=k") == [.error(.badMember)])
    // A server without peers refuses a token. Then the op must not come.
    let token = ["Authorization: Bearer t"]
    #expect(try marks(driver, "POST /send/a", token) == [.error(.badMember)])
  }

  @Test func anErrorHasAStatus() {
    for (code, status) in [
      (ErrorCode.badTopic, 400), (.authRequired, 401), (.notAllowed, 403), (.noSuchMessage, 404), (.onceMismatch, 409),
      (.limitReached, 429), (.busy, 503), (.draining, 503), (.noStore, 503),
    ] {
      #expect(AnswerMark(.error(code)) == AnswerMark(status: status, name: "Baton-Error", value: code.rawValue))
    }
  }

  /// Who has sent too fast hears when the next message may come, in whole seconds.
  @Test func whoIsTooFastIsToldWhenToComeAgain() throws {
    var access = AccessRules(forTests: [.init("anonymous", may: ["send to main"])])
    access.peers[0].limits.perSecond = 2
    access.peers[0].limits.burst = 1
    let driver = Driver(settings: Settings(), access: access)
    #expect(try marks(driver, "POST /send/a") == [.result(.unhandled)])
    #expect(try marks(driver, "POST /send/a") == [.error(.busy, retryMilliseconds: 500)])
    let mark = AnswerMark(.error(.busy, retryMilliseconds: 1500))
    #expect(mark.status == 429 && mark.headers(secondsToDrain: nil).contains { $0 == ("Retry-After", "2") })
  }

  @Test func whoMayNotIsTold() throws {
    let access = AccessRules(forTests: [.init("web", may: ["send to main"])])
    let driver = Driver(settings: Settings(), access: access)
    let web = ["Authorization: Bearer \(TestToken.text(of: "web"))"]
    #expect(try marks(driver, "POST /send/a", web) == [.welcome, .result(.unhandled)])
    #expect(try marks(driver, "POST /send/a?chain=b", web) == [.welcome, .error(.notAllowed)])
    #expect(try marks(driver, "GET /metrics", web) == [.welcome, .error(.notAllowed)])
    #expect(try marks(driver, "POST /send/a") == [.error(.authRequired)])
    #expect(
      try marks(driver, "POST /send/a", ["Authorization: Bearer wrong"]) == [
        .error(.authFailed)
      ])
    let long = String(repeating: "n", count: 33)
    #expect(try marks(driver, "POST /send/a?name=\(long)", web) == [.error(.badName)])
    driver.drain()
    #expect(try marks(driver, "POST /send/a", web).contains(.error(.draining)))
  }
}
