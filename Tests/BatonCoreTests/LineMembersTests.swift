import FuzzKit
import Testing

/// What the fuzzer reads in lines: so it knows which op was accepted.
@Suite struct LineMembersTests {
  private func members(_ line: String, atMost most: Int = .max) -> LineMembers? {
    LineMembers(Array(line.utf8), atMost: most)
  }

  private func told(_ value: [UInt8]?) -> String? { value.map { String(decoding: $0, as: UTF8.self) } }

  @Test(arguments: [
    #"{"op":"send","id":1,"payload":{"a":[1,"}",{"op":"x"}]},"reply":false}"#,
    #"{"id":"a\"b\\","op":"send"}"#,
    #"{"meta":null,"op":"s\u0065nd"}"#,
    "{ \"op\"\t: \"send\" , \"id\":\r2 }",
    #"{"\u006Fp":"send"}"#,
  ])
  func findsTheOp(_ line: String) { #expect(members(line)?.op == "send") }

  @Test func findsValuesAsTheyAreSpelled() {
    let line = members(#"{"op":"error","offer":7,"payload": [1, {"a" : "]"}] ,"code":"bad\u005fjson"}"#)
    #expect(told(line?.value(of: "offer")) == "7")
    #expect(told(line?.value(of: "code")) == #""bad\u005fjson""#)
    #expect(line?.value(of: "code").flatMap(LineMembers.text) == "bad_json")
    #expect(line?.value(of: "id") == nil)
  }

  @Test func putsTheLineTogetherAgain() {
    let line = #"{"op":"send","payload":{"a":[1,{}]},"id":-0}"#
    #expect(members(line).map { told($0.line) } == line)
    #expect(members("{}").map { told($0.line) } == "{}")
  }

  @Test func setsTheFirstMemberOfAName() {
    func set(_ line: String) -> String? {
      var changed = members(line)
      changed?.set("id", to: "7")
      return told(changed?.line)
    }
    #expect(set(#"{"op":"send"}"#) == #"{"op":"send","id":7}"#)
    #expect(set(#"{"\u0069d":[1],"op":"send","id":2}"#) == #"{"\u0069d":7,"op":"send","id":2}"#)
  }

  @Test func stopsWhereItIsTold() {
    #expect(members(#"{"op":"offer","id":3,"payload":"#, atMost: 2)?.entries.count == 2)
  }

  @Test(arguments: ["", "[]", "{", #"{"op""#, #"{"op" "send"}"#, #"{op:"send"}"#, #"{,}"#])
  func whatIsNoObjectHasNoMembers(_ line: String) { #expect(members(line) == nil) }

  @Test func damagedLinesDoNotTrap() {
    var mutator = LineMutator(seed: 5)
    for _ in 0..<20_000 { _ = LineMembers(mutator.next())?.op }
  }
}
