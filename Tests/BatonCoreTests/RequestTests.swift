import Testing

@testable import BatonCore

/// From a line to a checked request: the order of the checks, and the rule of each member (contract, section 3).
@Suite struct RequestTests {
  /// The op, or the code of the refusal; and the id if it is known.
  private func read(_ line: String) -> (op: Op?, code: String?, message: String, id: String) {
    var request = Request(maxDepth: 128)
    return line.withLine { bytes in
      do throws(Fault) {
        try request.read(bytes)
        return (request.op, nil, "", request.id(isOffer: request.op.isVerdict).string)
      } catch {
        return (nil, error.code.rawValue, error.message, request.id(isOffer: request.isVerdict).string)
      }
    }
  }

  private func code(_ line: String) -> String? { read(line).code }

  @Test func everyMembersRule() {
    for example in LineCases.all {
      let outcome = read(example.line)
      #expect(outcome.code == example.code, "\(example.line.prefix(200)): \(outcome.message)")
    }
    #expect(LineCases.all.count > 700)
  }

  @Test func everyOpIsReadFromItsExample() {
    for op in Op.allCases {
      let outcome = read(op.example)
      #expect(outcome.op == op, "\(op.example): \(outcome.message)")
      let escaped = op.example.replacingFirst(
        "\"\(op.spelling)\"", with: #""\u00\#(op.firstLetterInHex)\#(op.spelling.dropFirst())""#)
      #expect(read(escaped).op == op, "\(escaped)")
    }
  }

  @Test func opsThatAreNone() {
    for op in [
      "", "x", "sen", "sends", "SEND", "continues", "continu", "broadcasx", "subscribed", "unsubscrib",
      "broadcast ", "unsubscribex", "handled\\u0000", "continue\\u0000", "send\\u0000", "a word that is far too long",
    ] {
      #expect(code(#"{"op":"\#(op)"}"#) == "unknown_op", "\(op)")
    }
    for op in ["1", "null", "[\"send\"]", "{}"] { #expect(code(#"{"op":\#(op)}"#) == "bad_member", "\(op)") }
    #expect(read(#"{"op":"subscibe"}"#).message.contains("did you mean \"subscribe\"?"))
  }

  /// Each line has the fault of its row and the faults of all later rows. Only the first fault is told.
  @Test func theFirstFaultIsTold() {
    let rows: [(String, String)] = [
      (#"{"op":"sen","op":1,"topc":1,"timeout_ms":0"#, "bad_json"),
      (#"{"topc":1,"timeout_ms":0,"payload":\#(nested(128))}"#, "too_deep"),
      (#"{"topc":1,"timeout_ms":0,"timeout_ms":0}"#, "missing_member"),
      (#"{"topc":1,"op":"send","op":"send"}"#, "duplicate_member"),
      (#"{"topc":1,"timeout_ms":0,"op":"sen"}"#, "unknown_op"),
      (#"{"topc":1,"timeout_ms":0,"op":"send"}"#, "unknown_member"),
      (#"{"timeout_ms":0,"topc":1,"op":"send"}"#, "bad_member"),
      (#"{"timeout_ms":1,"timeout_ms":0,"topc":1,"op":"send"}"#, "duplicate_member"),
      (#"{"timeout_ms":0,"timeout_ms":1,"op":"send"}"#, "bad_member"),
      (#"{"op":"send","timeout_ms":0}"#, "bad_member"),
      (#"{"op":"send","handler":"h","topic":""}"#, "unknown_member"),
      (#"{"op":"send","topic":"","handler":"h"}"#, "bad_topic"),
      (#"{"op":"send","topic":"a b","chain":"a b"}"#, "bad_topic"),
      (#"{"op":"send","chain":"a b","topic":"a b"}"#, "bad_name"),
      (#"{"op":"send","timeout_ms":1}"#, "missing_member"),
    ]
    for (line, expected) in rows { #expect(code(line) == expected, "\(line.prefix(100))") }
  }

  private func nested(_ depth: Int) -> String {
    String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
  }

  @Test func depthIsCountedWithTheLinesOwnObject() {
    #expect(code(#"{"op":"send","topic":"t","payload":\#(nested(127))}"#) == nil)
    #expect(code(#"{"op":"send","topic":"t","payload":\#(nested(128))}"#) == "too_deep")
  }

  @Test func aMemberTwiceIsFoundHoweverItIsSpelled() {
    for twice in [#""topic":"b""#, #""t\u006fpic":"b""#, #""\u0074\u006f\u0070\u0069\u0063":"b""#] {
      #expect(code(#"{"op":"send","topic":"a",\#(twice)}"#) == "duplicate_member", "\(twice)")
      #expect(code(#"{\#(twice),"op":"send","topic":"a"}"#) == "duplicate_member", "\(twice)")
    }
    #expect(code(#"{"op":"send","topic":"a","payload":{"a":1,"a":2}}"#) == nil, "inside of a payload it is let alone")
  }

  @Test func unknownMembersNameTheNearest() {
    let outcome = read(#"{"op":"insert","id":7,"handler":"h","acepts":["a"]}"#)
    #expect(outcome.code == "unknown_member" && outcome.id == "7")
    #expect(outcome.message == "insert has no member \"acepts\"; did you mean \"accepts\"?")
    #expect(read(#"{"op":"ping","zebra":1}"#).message == "ping has no member \"zebra\"; it takes op, id, reply")
    #expect(code(#"{"op":"handled","reply":false}"#) == "unknown_member", "a verdict is no request")
    #expect(code(#"{"op":"ping","":1}"#) == "unknown_member")
    #expect(code(#"{"op":"ping","topic\u0000":1}"#) == "unknown_member")
  }

  @Test func eachOpNeedsWhatItNeeds() {
    let needs = [
      "send": "topic", "broadcast": "topic", "insert": "handler", "replace": "handler", "remove": "handler",
      "subscribe": "topics", "mount": "on", "unmount": "on", "explain": "topic", "close": "connection",
      "cancel": "request", "resend": "stored", "discard": "stored",
    ]
    for op in Op.allCases {
      let outcome = read(#"{"op":"\#(op.spelling)"}"#)
      if let member = needs[op.spelling] {
        #expect(outcome.code == "missing_member" && outcome.message.contains("\"\(member)\""))
      } else {
        #expect(outcome.op == op)
      }
    }
  }

  @Test func theIDIsKnownWhereTheLineHasOne() {
    let rows = [
      (#"{"op":"ping","id":1}"#, "1"), (#"{"id":"\u0061","op":"ping"}"#, #""\u0061""#), (#"{"op":"ping"}"#, ""),
      (#"{"id":1,"op":"pong2"}"#, "1"), (#"{"id":1,"id":2,"op":"ping"}"#, ""),
      (#"{"id":1,"i\u0064":1,"op":"ping"}"#, ""),
      (#"{"id":1.5,"op":"ping"}"#, ""), (#"{"id":1}"#, "1"), (#"{"id":1,"op":"ping""#, ""),
      (#"{"id":1,"op":"ping","op":"ping"}"#, "1"), (#"{"id":1,"op":2}"#, "1"), (#"{"id":1,"op":"ping","x":1}"#, "1"),
      (#"{"id":-0,"op":"ping"}"#, "-0"), (#"{"op":"handled","id":5,"x":1}"#, "5"), (#"{"op":"handled","id":"5"}"#, ""),
      (#"{"op":"h\u0061ndled","id":"5"}"#, ""), (#"{"payload":{"id":9},"op":"send"}"#, ""),
    ]
    for (line, id) in rows { #expect(read(line).id == id, "\(line)") }
  }

  @Test func textsAreReadHoweverManyHaveEscapes() {
    var request = Request(maxDepth: 128)
    let line = #"{"op":"reject","message":"\u0061\nb\ud83d\ude00","code":"\\\u0022"}"#
    line.withLine { bytes in
      #expect(throws: Never.self) { try request.read(bytes) }
      let (message, code) = (request.text(.message), request.text(.code))
      #expect(message.string == "a\nb😀" && code.string == "\\\"")
    }
    let list = #"{"op":"subscribe","topics":["\u0061","b","\u0063.\u0064"]}"#
    list.withLine { bytes in
      #expect(throws: Never.self) { try request.read(bytes) }
      let texts = request.texts(.topics)
      #expect(texts == [Array("a".utf8), Array("b".utf8), Array("c.d".utf8)])
    }
  }

  /// The texts of a line take as much room as the line together: a text that was resolved again would stand over another.
  @Test func aTextStaysWhereItIsHoweverOftenItIsAskedFor() {
    var request = Request(maxDepth: 128)
    let (topic, key) = (String(repeating: "t", count: 60), String(repeating: "k", count: 60))
    (#"{"op":"send","topic":"\u0061.\#(topic)","key":"\u0062.\#(key)"}"#).withLine { bytes in
      #expect(throws: Never.self) { try request.read(bytes) }
      let first = (request.text(.topic), request.text(.key))
      for _ in 0..<5 {
        let again = (request.text(.topic), request.text(.key))
        #expect(again.0.baseAddress == first.0.baseAddress && again.1.baseAddress == first.1.baseAddress)
      }
      #expect(first.0.string == "a.\(topic)" && first.1.string == "b.\(key)")
    }
  }

  /// A message to people quotes what a peer wrote, but never much of it, whatever characters it has.
  @Test(arguments: ["x", "\u{301}", "\\u0001", "\\\"", "👩‍👩‍👧‍👦", "é"])
  func whatIsQuotedIsShort(_ letter: String) {
    let word = "a" + String(repeating: letter, count: 20_000)
    for line in [
      #"{"op":"\#(word)"}"#, #"{"op":"ping","\#(word)":1}"#, #"{"op":"send","topic":"\#(word)"}"#,
      #"{"op":"send","topic":"t","chain":"\#(word)"}"#, #"{"op":"subscribe","topics":["\#(word)"]}"#,
      #"{"op":"insert","handler":"h","on_failure":{"\#(word)":"stop"}}"#,
      #"{"op":"insert","handler":"h","at":"\#(word)"}"#,
    ] {
      let outcome = read(line)
      #expect(
        outcome.code != nil && outcome.message.utf8.count < 1024, "\(line.prefix(60)): \(outcome.message.utf8.count)")
    }
  }
}

extension String {
  fileprivate func replacingFirst(_ word: String, with other: String) -> String {
    guard let start = ranges(of: word).first else { return self }
    return replacingCharacters(in: start, with: other)
  }

  private func replacingCharacters(in range: Range<String.Index>, with other: String) -> String {
    String(self[..<range.lowerBound]) + other + String(self[range.upperBound...])
  }
}

extension Op {
  fileprivate var firstLetterInHex: String { String(spelling.utf8.first ?? 0, radix: 16) }
}
