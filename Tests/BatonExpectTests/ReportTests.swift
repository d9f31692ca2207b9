import Foundation
import Testing

@testable import BatonExpect

/// Reports for programs.
@Suite struct ReportTests {
  private static let text = """
    config: { chains: { c: { links: [{ handler: a }] } } }
    expect:
      - { name: good, send: { topic: t, chain: c }, handlers: { a: { after_ms: 1500, handled: } }, result: { by: a } }
      - name: "bad <&> \\"quoted\\" \\e[31m \\u0001 ä"
        send: { topic: t, chain: c }
        handlers: { a: { reject: { message: "no <b>\\n\\e & 'more'" } } }
        result: { status: handled, message: "x\\ty" }

    """

  private static func report() throws -> ExpectationReport {
    ExpectationReport([("a<b>.yaml", try play(text)), ("other.yaml", [])])
  }

  /// What Python's reader of XML makes of the report, checked against what readers of JUnit's XML expect: which elements
  /// stand in which, with which attributes.
  @Test func pythonReadsTheXML() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "baton-\(UUID().uuidString).xml").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let xml = try Self.report().junit
    #expect(xml.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F || $0 == "\n" })
    try xml.write(toFile: path, atomically: false, encoding: .utf8)
    let script = package.appending(path: "Tests/BatonExpectTests/junit.py").path
    let program = Process()
    program.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    program.arguments = ["python3", script, path]
    let output = Pipe()
    program.standardOutput = output
    try program.run()
    let printed = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    program.waitUntilExit()
    #expect(program.terminationStatus == 0)
    #expect(
      printed == """
        testsuites 2 1 1.500
        testsuite a<b>.yaml 2 1 1.500
        testcase good 3 1.500
        testcase bad <&> "quoted" \\u{1B}[31m \\u{1} ä 4 0.000
        failure result.status: expected handled, found rejected, and 1 more
          a<b>.yaml:4:5
          result.status: expected handled, found rejected
          result.message: expected x\\u{9}y, found no <b>
          \\u{1B} & 'more'
          0 ms: c/a rejected it: no <b>
          \\u{1B} & 'more'
        testsuite other.yaml 0 0 0.000

        """)
  }

  @Test func theObjectHasAllThatDiffers() throws {
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(Self.report().json.utf8)) as? [String: Any])
    #expect(object["cases"] as? Int == 2 && object["failed"] as? Int == 1)
    let cases = try #require(object["expectations"] as? [[String: Any]])
    #expect(cases.map { $0["ok"] as? Bool } == [true, false])
    #expect(cases.map { $0["line"] as? Int } == [3, 4])
    #expect(cases[0]["took_ms"] as? Int == 1500 && cases[0]["differences"] == nil)
    let differences = try #require(cases[1]["differences"] as? [[String: String]])
    #expect(differences[0] == ["what": "result.status", "expected": "handled", "found": "rejected"])
    #expect((cases[1]["trace"] as? [[String: Any]])?.first?["link"] as? String == "c/a")
  }

  /// A thousand cases, twice: the same bytes. The program's test says that they end; how long they take depends on the
  /// machine.
  @Test func theSameFileGivesTheSameBytes() throws {
    let cases = (0..<1000).map { number in
      """
        - name: case \(number)
          send: { topic: t.w\(number % 7), chain: c, payload: { n: \(number) } }
          handlers: { a: [{ after_ms: \(number % 90), continue: }], b: \(["handled", "hangs", "dies"][number % 3]) }
          result: { status: handled }

      """
    }
    let text =
      "config: { chains: { c: { links: [{ handler: a, timeout_ms: 80 }, { handler: b, hold_ms: 100 }] } } }\nexpect:\n"
      + cases.joined()
    let first = ExpectationReport([("f", try play(text))])
    let second = ExpectationReport([("f", try play(text))])
    #expect(first.count == 1000 && first.failures > 600)
    #expect(first.json == second.json && first.junit == second.junit)
  }
}
