import BatonCore
import Testing

@testable import BatonServer

/// What becomes of a body, of `Baton-Meta`, and of the trace that a request belongs to.
@Suite struct HTTPBodyTests {
  private func payload(_ body: String, _ fields: [String] = []) throws -> String? {
    let line = try Asked.line("POST /send/a", fields, body: body)
    let begin = #"{"op":"send","id":1,"topic":"a""#
    #expect(line.hasPrefix(begin) && line.hasSuffix("}\n"))
    let rest = line.dropFirst(begin.count).dropLast(2)
    return rest.isEmpty ? nil : String(rest.dropFirst(#","payload":"#.count))
  }

  static let json = ["Content-Type: application/json"]
  static let text = ["Content-Type: text/plain"]

  @Test(arguments: [
    ("1", "1"), (" 1 ", "1"), ("\r\n\t[1,\r\n2]\n", "[1,  2]"), ("{\"a\":\n1}", "{\"a\": 1}"),
    ("\"a\\nb\"", "\"a\\nb\""),
    ("1e999999", "1e999999"), ("\"\u{2028}\"", "\"\u{2028}\""), ("\"\\ud83d\\ude00\"", "\"\\ud83d\\ude00\""),
    ("{\"a\":1,\"a\":2}", "{\"a\":1,\"a\":2}"), ("null", "null"), ("\"\\\\\"", "\"\\\\\""),
    ("[\"\\\"\",\n1]", "[\"\\\"\", 1]"),
    ("123456789012345678901234567890", "123456789012345678901234567890"),
  ])
  func jsonIsPassedOn(body: String, payload: String) throws {
    #expect(try self.payload(body, Self.json) == payload)
    #expect(try self.payload(body) == payload)
    #expect(try self.payload(body, ["Content-Type: application/x-www-form-urlencoded"]) == payload)
    #expect(try self.payload(body, ["Content-Type: Application/JSON ; Charset=\"UTF-8\""]) == payload)
  }

  @Test(arguments: [
    " ", "\n", "1 2", "1\n2", "{}{}", "1}", "1,\"topic\":\"b\"", "1}\n{\"op\":\"drain\"", "{\"a\":1", "[1,]", "{,}",
    "'a'", "01",
    "+1", "NaN", "tru", "\"a\nb\"", "\"\\ud800\"", "\"\\x\"", "\"a\u{1}\"", "[1}", "\"", "1 //", "\u{0}", "{\"a\" 1}",
  ])
  func otherThanOneValueIsRefused(body: String) throws {
    #expect(try Asked.refusal("POST /send/a", Self.json, body: body) == "400 bad_json")
    // As a text it is one, and can end nothing either.
    let text = try #require(try payload(body))
    #expect(JSONText.value(text.utf8) == Array(text.utf8))
    #expect(text == String(decoding: JSONText.quoted(body), as: UTF8.self))
  }

  @Test func theByteIsTold() throws {
    let message = { (body: String) in
      Asked.message(of: try Asked.answer("POST /send/a", Self.json, body: Array(body.utf8)))
    }
    #expect(try message("\n\n[1,x]").contains("expected a value, at byte 5"))
    #expect(try message("{} {}").contains("behind the end of the first one, at byte 3"))
    #expect(try message("  [1").contains("ends before it is complete, at byte 4"))
    #expect(try message(" ").contains("ends before it is complete"))
  }

  @Test func bytesThatAreNoUTF8AreRefused() throws {
    for bytes: [UInt8] in [
      [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0x61, 0x22, 0xE2, 0x82], [0xF5, 0x80, 0x80, 0x80],
    ] {
      for fields in [Self.text, []] {
        let answer = try Asked.answer("POST /send/a", fields, body: bytes)
        Asked.check(answer)
        #expect(Asked.header("Baton-Error", of: answer) == "bad_request")
      }
      let quoted = try Asked.answer("POST /send/a", Self.json, body: [0x22] + bytes + [0x22])
      #expect(Asked.header("Baton-Error", of: quoted) == "bad_json")
    }
    let answer = try Asked.answer("POST /send/a", Self.text, body: Array("a\n\u{1}\"ü".utf8) + [0x80])
    #expect(Asked.message(of: answer).contains("at byte 6"))
  }

  @Test(arguments: [
    "", "a", "a\nb\r\n\t\u{0}\u{1f}\u{7f}\u{85}\u{2028}\"\\/", "😀", "1", "{}", String(repeating: "\"", count: 1000),
  ])
  func textBecomesAString(body: String) throws {
    let expected = body.isEmpty ? nil : String(decoding: JSONText.quoted(body), as: UTF8.self)
    #expect(try payload(body, Self.text) == expected)
    #expect(try payload(body, ["Content-Type: text/plain;charset=UTF-8; format=flowed"]) == expected)
    let parameters = [
      #"; a="b;c=d, e"; charset="utf-8""#, #";a="\";charset=latin1";;"#, #"; a="" ; CHARSET="u\tf-8""#, "; ",
    ]
    for more in parameters {
      #expect(try payload(body, ["Content-Type: text/plain" + more]) == expected, "\(more)")
    }
  }

  @Test func eachByteIsEscapedWhereverItStands() {
    for byte in UInt8(0)..<0x80 {
      for count in [1, 7, 8, 9, 24] {
        for at in 0..<count {
          var text = [UInt8](repeating: UInt8(ascii: "a"), count: count)
          text[at] = byte
          var quoted: [UInt8] = []
          quoted.appendQuoted(text)
          #expect(quoted == JSONText.quoted(String(decoding: text, as: UTF8.self)))
        }
      }
    }
    let long = (0..<3000).map { UInt8(truncatingIfNeeded: $0 * $0 % 128) }
    var quoted: [UInt8] = []
    quoted.appendQuoted(long)
    #expect(quoted == JSONText.quoted(String(decoding: long, as: UTF8.self)))
  }

  /// The steps until a body is a line, with the length of its payload; nil if it is refused.
  private func steps(_ body: [UInt8], _ fields: [String]) throws -> (steps: Int, count: Int?) {
    let request = try Asked.request("POST /send/a", fields + ["Transfer-Encoding: chunked"])
    var making = request.making(bodyCount: body.count)
    for step in 1..<100 {
      switch body.withUnsafeBytes({ making.goOn($0) }) {
      case .success(let line):
        return (step, line.count - #"{"op":"send","id":1,"topic":"a","payload":}"#.utf8.count - 1)
      case .failure: return (step, nil)
      case nil: continue
      }
    }
    return (100, nil)
  }

  @Test func aLongBodyTakesManySteps() throws {
    let numbers = Array("[\(String(repeating: "1,", count: 400_000))1]".utf8)
    let json = try steps(numbers, Self.json)
    #expect(json.steps >= 6 && json.count == numbers.count)
    // What is no JSON at its end is a text in the end.
    let either = try steps(numbers.dropLast() + Array(",]".utf8), [])
    #expect(either.steps >= 8 && either.count == numbers.count + 3)
    #expect(try steps(numbers.dropLast(), Self.json).count == nil)
    let text = try steps([UInt8](repeating: UInt8(ascii: "\""), count: 400_000), Self.text)
    #expect(text.steps >= 3 && text.count == 800_002)
  }

  @Test(arguments: [
    "Content-Type: text/html", "Content-Type: application/octet-stream",
    "Content-Type: multipart/form-data; boundary=x",
    "Content-Type: text/plain; charset=iso-8859-1", "Content-Type: application/json; charset=utf-16",
    #"Content-Type: text/plain; charset="latin1""#, #"Content-Type: text/plain; a="b"#,
    #"Content-Type: text/plain; a="b"c"#,
    #"Content-Type: text/plain; a="\"#, "Content-Type: text/plain; a=b c", "Content-Type: text/plain; a =b",
    "Content-Type: json", "Content-Type: ", "Content-Type: a/b/c", "Content-Type: application/json; charset",
    "Content-Type: application/json; charset=utf-8; charset=utf-8", "Content-Type: application/json, text/plain",
    "Content-Type: application/cloudevents+json", "Content-Encoding: gzip", "Content-Encoding: identity",
    "Content-Encoding: ", "Content-Type: text/plain\r\nContent-Type: text/plain",
  ])
  func otherTypesAreRefused(field: String) throws {
    let fields = field.components(by: "\r\n")
    #expect(try Asked.refusal("POST /send/a", fields, body: "1") == "415 bad_type")
    // Before the body is read, where there surely is one.
    guard case .answer(let answer) = try Asked.plan("POST /send/a", fields + ["Content-Length: 1"]) else {
      Issue.record("the body would have been read")
      return
    }
    #expect(answer.closes)
    // No body, nothing to refuse.
    #expect(try payload("", fields) == nil)
    guard case .request(let request) = try Asked.plan("POST /send/a", fields + ["Transfer-Encoding: chunked"]) else {
      Issue.record("nobody knows yet whether there is a body")
      return
    }
    #expect(throws: Never.self) { try request.line(body: []).get() }
    #expect(throws: HTTPAnswer.self) { try request.line(body: [49]).get() }
  }

  @Test func aByteOrderMarkIsRefused() throws {
    for fields in [Self.json, Self.text, []] {
      #expect(try Asked.refusal("POST /send/a", fields, body: "\u{FEFF}1") == "400 bad_request")
    }
  }

  @Test func depthIsThatOfTheLine() throws {
    let rules = HTTPRules(maxDepth: 4)
    let deep = { (levels: Int) in String(repeating: "[", count: levels) + String(repeating: "]", count: levels) }
    #expect(try Asked.line("POST /send/a", body: deep(3), rules).contains(deep(3)))
    for fields in [Self.json, []] {
      #expect(try Asked.refusal("POST /send/a", fields, body: deep(4), rules) == "400 too_deep")
    }
    #expect(try Asked.refusal("POST /send/a", ["Baton-Meta: \(deep(4))"], body: "1", rules) == "400 too_deep")
    #expect(try Asked.line("POST /send/a", Self.text, body: deep(400), rules).contains(deep(400)))
    #expect(
      try Asked.refusal("POST /send/a", Self.json, body: String(repeating: "[", count: 500_000)) == "400 too_deep")
  }

  @Test func sizesAreThoseOfTheLine() throws {
    let rules = HTTPRules(maxLine: 8192)
    let text = { (count: Int) in String(repeating: "x", count: count) }
    // The quotes count: this is 4096 bytes in the line.
    #expect(try Asked.line("POST /send/a", Self.text, body: text(4094), rules).utf8.count < 8192)
    #expect(try Asked.refusal("POST /send/a", Self.text, body: text(4095), rules) == "413 bad_member")
    #expect(
      try Asked.refusal("POST /send/a", Self.text, body: String(repeating: "\n", count: 2048), rules)
        == "413 bad_member")
    #expect(try Asked.line("POST /send/a", Self.json, body: "\"\(text(4094))\"", rules).utf8.count < 8192)
    #expect(try Asked.refusal("POST /send/a", Self.json, body: "\"\(text(4095))\"", rules) == "413 bad_member")
    #expect(
      try Asked.line("POST /send/a", Self.json, body: text(4096).replacing("x", with: " ") + "1", rules).utf8.count < 99
    )
    #expect(try Asked.refusal("POST /send/a", body: text(8192), rules) == "413 bad_member")
    guard case .answer(let answer) = try Asked.plan("POST /send/a", ["Content-Length: 8193"], rules) else {
      Issue.record("the body would have been read")
      return
    }
    #expect(Asked.header("Baton-Error", of: answer) == "line_too_long")
    #expect(answer.status == 413 && answer.closes)
    #expect(try Asked.request("POST /send/a", ["Transfer-Encoding: chunked"], rules).maxBody == 8192)
    // Meta and payload count together.
    let meta = ["Baton-Meta: \"\(text(998))\""]
    #expect(try Asked.line("POST /send/a", meta + Self.text, body: text(3094), rules).utf8.count < 8192)
    #expect(try Asked.refusal("POST /send/a", meta + Self.text, body: text(3095), rules) == "413 bad_member")
    #expect(try Asked.refusal("POST /send/a", ["Baton-Meta: \"\(text(4095))\""], rules) == "413 bad_member")
  }

  static let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

  @Test(
    arguments: [
      ([], ""),
      (["Baton-Meta: 1"], #","meta":1"#),
      (["Baton-Meta:  {\"a\": [1]} "], #","meta":{"a": [1]}"#),
      (["traceparent: \(parent)"], #","meta":{"traceparent":"\#(parent)"}"#),
      (
        ["traceparent: \(parent)", "tracestate: a=1", "tracestate: b=\"2\""],
        #","meta":{"traceparent":"\#(parent)","tracestate":"a=1,b=\"2\""}"#
      ),
      (["tracestate: a=1"], #","meta":{"tracestate":"a=1"}"#),
      (["traceparent: \(parent)", "Baton-Meta: {}"], #","meta":{"traceparent":"\#(parent)"}"#),
      (["traceparent: \(parent)", "Baton-Meta: { }"], #","meta":{ "traceparent":"\#(parent)"}"#),
      (["traceparent: \(parent)", "Baton-Meta: {\"a\":\"}\"}"], #","meta":{"a":"}","traceparent":"\#(parent)"}"#),
      (["traceparent: \(parent)", "Baton-Meta: {\"traceparent\":1}"], #","meta":{"traceparent":1}"#),
      (["traceparent: \(parent)", "Baton-Meta: {\"tr\\u0061ceparent\":1}"], #","meta":{"tr\u0061ceparent":1}"#),
      (
        ["traceparent: \(parent)", "tracestate: a=1", "Baton-Meta: {\"traceparent\":1}"],
        #","meta":{"traceparent":1,"tracestate":"a=1"}"#
      ),
      (
        ["traceparent: \(parent)", "Baton-Meta: {\"b\":{\"traceparent\":1}}"],
        #","meta":{"b":{"traceparent":1},"traceparent":"\#(parent)"}"#
      ),
      (["traceparent: \(parent)", "Baton-Meta: [1]"], #","meta":[1]"#),
      (["traceparent: \(parent)", "Baton-Meta: null"], #","meta":null"#),
      (["traceparent: a", "traceparent: b"], ""),
      (["traceparent: \"},\\"], #","meta":{"traceparent":"\"},\\"}"#),
    ] as [([String], String)])
  func metaComesFromTheHead(fields: [String], meta: String) throws {
    #expect(try Asked.line("POST /send/a", fields) == #"{"op":"send","id":1,"topic":"a"\#(meta)}"# + "\n")
    #expect(
      try Asked.line("POST /broadcast/a", fields, body: "2")
        == #"{"op":"broadcast","id":1,"topic":"a"\#(meta),"payload":2}"# + "\n")
    #expect(
      try Asked.line("POST /explain/a?key=k", fields, body: "2")
        == #"{"op":"explain","id":1,"topic":"a","key":"k"\#(meta),"payload":2}"# + "\n")
    #expect(try Asked.line("GET /explain/a", fields) == #"{"op":"explain","id":1,"topic":"a"}"# + "\n")
  }

  @Test(arguments: ["", "x", "1 2", "{", "1}", "1,\"topic\":\"b\"", "\"\\ud800\""])
  func badMetaIsRefused(meta: String) throws {
    #expect(try Asked.refusal("POST /send/a", ["Baton-Meta: \(meta)"], body: "1") == "400 bad_json")
    #expect(try Asked.refusal("POST /send/a", ["Baton-Meta: 1", "Baton-Meta: 1"]) == "400 bad_request")
  }
}

extension String {
  fileprivate func components(by separator: String) -> [String] { split(separator: separator).map(String.init) }
}
