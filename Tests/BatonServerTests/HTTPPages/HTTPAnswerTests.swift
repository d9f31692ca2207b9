import Testing

@testable import BatonServer

/// What goes back: statuses, headers, dates, and the bytes of an answer.
@Suite struct HTTPAnswerTests {
  @Test func isWrittenAsHTTP() {
    let answer = HTTPAnswer(200, headers: [("A", "b")], body: [49, 10])
    let text = { (keepsAlive: Bool, isHead: Bool) in
      String(decoding: answer.bytes(keepsAlive: keepsAlive, isHead: isHead, date: "D"), as: UTF8.self)
    }
    let head = "HTTP/1.1 200 OK\r\nDate: D\r\nA: b\r\nContent-Length: 2\r\nConnection: "
    #expect(text(true, false) == head + "keep-alive\r\n\r\n1\n")
    #expect(text(true, true) == head + "keep-alive\r\n\r\n")
    #expect(text(false, false) == head + "close\r\n\r\n1\n")
    let closing = HTTPAnswer(421, closes: true).bytes(keepsAlive: true, isHead: false, date: "D")
    #expect(
      String(decoding: closing, as: UTF8.self)
        == "HTTP/1.1 421 Misdirected Request\r\nDate: D\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    for status in [204, 304] {
      let bytes = HTTPAnswer(status).bytes(keepsAlive: true, isHead: false, date: "D")
      #expect(!String(decoding: bytes, as: UTF8.self).contains("Content-Length"))
    }
    #expect(HTTPAnswer.taken(cors: []).status == 202)
    var stream: [UInt8] = []
    HTTPAnswer(200).appendHead(to: &stream, bodyCount: nil, keepsAlive: false, date: "D")
    #expect(!String(decoding: stream, as: UTF8.self).contains("Content-Length"))
  }

  @Test(arguments: [
    ("bad_request", 400), ("no_such_page", 404), ("bad_method", 405), ("bad_type", 415), ("wrong_host", 421),
    ("head_too_long", 431), ("foreign_page", 403), ("line_timeout", 408), ("line_too_long", 413),
    ("once_mismatch", 409), ("damaged", 409), ("no_such_message", 404), ("not_declared", 409), ("limit_reached", 429),
    ("no_store", 503), ("store_failed", 503),
    ("store_full", 503), ("auth_required", 401), ("auth_failed", 401), ("not_allowed", 403), ("busy", 503),
    ("too_many_connections", 503), ("draining", 503), ("closed_by_peer", 503), ("too_slow", 503), ("idle", 503),
    ("identity_changed", 503), ("bad_topic", 400), ("bad_json", 400), ("name_taken", 400), ("anything", 400),
  ])
  func aCodeHasAStatus(code: String, status: Int) { #expect(HTTPStatus.of(code: code) == status) }

  @Test func everyStatusHasItsWords() {
    for code in HTTPCode.allCases {
      let refusal = HTTPRefusal(code, "m")
      #expect(refusal.closes == [408, 413, 421, 431].contains(refusal.status), "\(code)")
      #expect("\(HTTPStatus.reason(refusal.status))" != "Answer")
      Asked.check(refusal.answer())
    }
    for status in [101, 200, 202, 204, 304, 417, 422, 426, 429, 500, 505] {
      #expect("\(HTTPStatus.reason(status))" != "Answer")
    }
  }

  @Test func someErrorsSayWhenToComeAgain() {
    let again = { (code: HTTPCode, seconds: Int?) in
      Asked.header("Retry-After", of: HTTPRefusal(code, "m").answer(secondsToDrain: seconds))
    }
    #expect(again(.busy, nil) == "1")
    #expect(again(.tooManyConnections, 9) == "1")
    #expect(again(.draining, 25) == "25")
    #expect(again(.draining, 0) == "1")
    #expect(again(.badMember, nil) == nil)
  }

  @Test func aWordInAMessageEndsNothing() {
    let answer = HTTPRefusal(.badMember, "\"\n\r\\\u{0}\u{1F}}{").answer()
    Asked.check(answer)
    #expect(Asked.message(of: answer).contains(#""message":"\"\n\r\\\u0000\u001f}{""#))
    #expect(shown([0xFF, 0x61]) == "\u{FFFD}a")
    #expect(shown(Array(repeating: 0x61, count: 10_000)).utf8.count < 70)
  }

  @Test(
    arguments: [
      (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
      (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (951_868_799, "Tue, 29 Feb 2000 23:59:59 GMT"),
      (951_868_800, "Wed, 01 Mar 2000 00:00:00 GMT"), (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
      (1_735_689_599, "Tue, 31 Dec 2024 23:59:59 GMT"), (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
      (-5, "Thu, 01 Jan 1970 00:00:00 GMT"), (Int64.max, "Fri, 31 Dec 9999 23:59:59 GMT"),
    ] as [(Int64, String)])
  func aDateIsSpelled(second: Int64, text: String) {
    #expect(HTTPDate.spell(second) == text)
    var date = HTTPDate()
    #expect(date.text(at: second) == text)
    #expect(date.text(at: second) == text)
    #expect(date.text(at: 784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
  }

  @Test func theConsoleIsServed() throws {
    let answer = try Asked.get("GET /")
    #expect(answer.status == 200)
    #expect(Asked.header("Content-Type", of: answer) == "text/html; charset=utf-8")
    #expect(String(decoding: answer.body, as: UTF8.self).lowercased().hasPrefix("<!doctype html>"))
    #expect(Asked.header("Cache-Control", of: answer) == "no-cache")
    #expect(Asked.header("X-Content-Type-Options", of: answer) == "nosniff")
    #expect(Asked.header("Referrer-Policy", of: answer) == "no-referrer")
    #expect(
      Asked.header("Content-Security-Policy", of: answer)
        == "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'")
    let tag = try #require(Asked.header("ETag", of: answer))
    for list in [tag, "W/\(tag)", "\"x\", \(tag)", "*"] {
      let again = try Asked.get("GET /", ["If-None-Match: \(list)"])
      #expect(again.status == 304 && again.body.isEmpty)
      #expect(Asked.header("ETag", of: again) == tag)
    }
    for list in ["\"x\"", tag.replacing("\"", with: ""), "W/\"x\""] {
      #expect(try Asked.get("GET /", ["If-None-Match: \(list)"]).status == 200)
    }
    for file in ConsoleFile.all {
      #expect(try Asked.get("GET \(file.path)").body == file.bytes)
      #expect(!file.bytes.isEmpty && file.path.hasPrefix("/") && file.type.contains("/"))
    }
    #expect(Set(ConsoleFile.all.map(\.path)).count == ConsoleFile.all.count)
  }
}

extension Asked {
  /// The answer that the door has ready.
  static func get(_ first: String, _ fields: [String] = []) throws -> HTTPAnswer {
    guard case .answer(let answer) = try plan(first, fields) else { throw Unread() }
    return answer
  }
}
