import BatonCore
import FuzzKit
import Testing

/// What can be asked of a value once its line is known to be valid: text, numbers, entries.
@Suite struct ScannerValuesTests {
  /// Scans `{"payload":VALUE}` and gives the value and its line to `body`.
  private func with<Result>(
    _ value: String, _ body: (MemberValue, UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    let line = Array(#"{"payload":\#(value)}"#.utf8) + [UInt8(ascii: "\n")]
    return try line.withUnsafeBytes { bytes in
      var scanner = LineScanner(maximumDepth: 128)
      let unended = UnsafeRawBufferPointer(rebasing: bytes.dropLast())
      let fault = scanner.scan(unended)
      #expect(fault == nil)
      return try body(scanner[.payload], unended)
    }
  }

  private func text(_ value: MemberValue, _ line: UnsafeRawBufferPointer) -> String {
    let target = UnsafeMutableRawBufferPointer.allocate(byteCount: value.textCount(in: line) + 1, alignment: 1)
    defer { target.deallocate() }
    target[target.count - 1] = 0xEE
    #expect(value.copyText(in: line, into: target) == target.count - 1)
    #expect(target.last == 0xEE)
    return String(decoding: target.dropLast(), as: UTF8.self)
  }

  @Test func escapesAreResolved() {
    let texts = [
      (#""""#, ""), (#""door.open""#, "door.open"), (#""é京😀""#, "é京😀"),
      (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{c}\n\r\t"), (#""a\u0000b""#, "a\u{0}b"),
      (#""\u0041\u007f\u0080\u07fF\u0800\uffff""#, "A\u{7f}\u{80}\u{7ff}\u{800}\u{ffff}"),
      (#""\ud83d\ude00""#, "😀"), (#""\ud800\udc00\uDBFF\uDFFF""#, "\u{10000}\u{10ffff}"),
      (#""\\u0041""#, #"\u0041"#), (#""é\u00e9é""#, "ééé"),
    ]
    for (spelling, expected) in texts {
      with(spelling) { value, line in
        #expect(text(value, line).utf8.elementsEqual(expected.utf8), "\(spelling)")
        #expect(value.textCount(in: line) == expected.utf8.count, "\(spelling)")
      }
    }
  }

  @Test func textIsComparedHoweverItIsSpelled() {
    for spelling in [#""first""#, #""\u0066irst""#, #""firs\u0074""#] {
      with(spelling) { value, line in
        #expect(value.isText("first", in: line))
        #expect(!value.isText("firs", in: line))
        #expect(!value.isText("firsts", in: line))
        #expect(!value.isText("First", in: line))
        #expect(!value.isText("", in: line))
      }
    }
    with(#""""#) { value, line in #expect(value.isText("", in: line)) }
    for other in ["1", "null", "true", "[]", #"["first"]"#] {
      with(other) { value, line in
        #expect(!value.isText("first", in: line))
        #expect(!value.isText("", in: line))
        #expect(value.textCount(in: line) == 0)
      }
    }
  }

  @Test(
    arguments: [
      ("0", 0), ("-0", 0), ("7", 7), ("-7", -7), ("9223372036854775807", Int64.max),
      ("-9223372036854775808", Int64.min),
      ("9223372036854775808", nil), ("-9223372036854775809", nil), ("99999999999999999999", nil),
      ("18446744073709551617", nil), ("1000000000000000000000000000000", nil), ("1.0", nil), ("1e2", nil),
      (#""1""#, nil), ("true", nil), ("[1]", nil),
    ] as [(String, Int64?)])
  func integersFitIntoSixtyFourBits(_ value: String, integer: Int64?) {
    with(value) { value, line in #expect(value.integer(in: line) == integer) }
  }

  @Test(
    arguments: [
      ("0", 0), ("-0", -0.0), ("1.5", 1.5), ("-12.5e-3", -0.0125), ("1E5", 100_000), ("1e+05", 100_000),
      ("0.1", 0.1), ("123456789012345678901234567890", 1.2345678901234568e29), ("1e999", .infinity),
      ("-1e999", -.infinity), ("1e-999", 0), (#""1""#, nil), ("null", nil),
    ] as [(String, Double?)])
  func numbersAreRead(_ value: String, double: Double?) {
    with(value) { value, line in #expect(value.double(in: line) == double) }
  }

  @Test(arguments: [
    ("[]", []), ("[ ]", []), (#"["a"]"#, [#""a""#]), (#"[ "a" , "b,]" ,"\"]"]"#, [#""a""#, #""b,]""#, #""\"]""#]),
    (#"[1,-2.5e3,true,null]"#, ["1", "-2.5e3", "true", "null"]),
    (#"[false,{"a":[1]},[[]],""]"#, ["false", #"{"a":[1]}"#, "[[]]", #""""#]),
    (#"[["]","[\\"],{"}":"{"}]"#, [#"["]","[\\"]"#, #"{"}":"{"}"#]), ("[\t1\r]", ["1"]),
  ])
  func elementsOfArrays(_ value: String, elements: [String]) {
    with(value) { value, line in
      let found = ArrayElements(of: value, in: line).map { String(decoding: $0.bytes(in: line), as: UTF8.self) }
      #expect(found == elements)
    }
  }

  @Test func elementsHaveTheirKinds() {
    with(#"["a","\n",1,1.5,1e1,true,false,null,[],{}]"#) { value, line in
      #expect(
        ArrayElements(of: value, in: line).map(\.kind)
          == [.text, .escapedText, .integer, .number, .number, .true, .false, .null, .array, .object])
    }
  }

  @Test func membersOfObjects() {
    with(#"{ "timeout" : "stop" ,"a\u0062":{"x":[1,{}]},"timeout":0}"#) { value, line in
      let members = ObjectMembers(of: value, in: line).map { (text($0.name, line), $0.value.bytes(in: line)) }
      #expect(members.map(\.0) == ["timeout", "ab", "timeout"])
      #expect(members.map { String(decoding: $0.1, as: UTF8.self) } == [#""stop""#, #"{"x":[1,{}]}"#, "0"])
    }
    with("{}") { value, line in #expect(ObjectMembers(of: value, in: line).map(\.value) == []) }
  }

  @Test func whatHasNoEntriesGivesNone() {
    for other in ["1", "null", #""[1]""#] {
      with(other) { value, line in
        #expect(ArrayElements(of: value, in: line).map(\.kind) == [])
        #expect(ObjectMembers(of: value, in: line).map(\.value) == [])
      }
    }
    with("[1]") { value, line in #expect(ObjectMembers(of: value, in: line).map(\.value) == []) }
    with(#"{"a":1}"#) { value, line in #expect(ArrayElements(of: value, in: line).map(\.kind) == []) }
    with("1") { _, line in #expect(ArrayElements(of: .absent, in: line).map(\.kind) == []) }
  }
}
