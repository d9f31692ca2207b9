import Testing

@testable import BatonCore

@Suite struct ScannerSmokeTests {
  func scan(_ text: String, _ body: (borrowing LineScanner, ScanFault?, UnsafeRawBufferPointer) -> Void) {
    let bytes = Array(text.utf8) + [10]
    bytes.withUnsafeBytes { all in
      var scanner = LineScanner(maximumDepth: 128)
      let line = UnsafeRawBufferPointer(rebasing: all[..<(all.count - 1)])
      let fault = scanner.scan(line)
      body(scanner, fault, line)
    }
  }

  @Test func aLine() {
    scan(#" {"op":"send","id":-12,"t\u006fpic":"door.\u00e9\ud83d\ude00","payload" : {"a":[1,{}]},"meta":null,"x":true} "#) { scanner, fault, line in
      #expect(fault == nil)
      #expect(scanner[.topic].textCount(in: line) == 11)
      #expect(scanner[.id].integer(in: line) == -12)
      #expect(scanner[.op].isText("send", in: line))
      #expect(String(decoding: scanner[.payload].bytes(in: line), as: UTF8.self) == #"{"a":[1,{}]}"#)
      #expect(scanner[.meta].kind == .null)
      let unknown = scanner.hasUnknown, repeated = scanner.repeated, present = scanner.present
      #expect(unknown)
      #expect(repeated == 0)
      #expect(present.nonzeroBitCount == 5)
      #expect(LineScanner.membersAsTheyStand(in: line).map { $0.value.kind } == [.text, .integer, .escapedText, .object, .null, .true])
    }
    scan(#"{"op":1,"o\u0070":2"#) { _, fault, _ in #expect(fault == ScanFault(kind: .badJSON(.unfinished), offset: 19)) }
  }
}
