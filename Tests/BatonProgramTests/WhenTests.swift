import ProgramKit
import Testing

/// `baton when`: what it prints, and its exit codes. `BatonCoreTests/Conditions` tests what it answers.
@Suite struct WhenTests {
  private func run(_ arguments: String...) throws -> (lines: [String], errors: [String], code: Int32) {
    let program = try Program(["when"] + arguments)
    return (program.remainingLines(), program.remainingErrorLines(), program.wait())
  }

  private static let dear = #"{"payload":{"amount":[{"numeric":[">",1000]}]}}"#

  @Test func tellsWhatItFoundAndTheAnswer() throws {
    let fits = try run(Self.dear, #"{"payload":{"amount":2500}}"#)
    #expect(fits.lines == ["payload.amount: fits: 2500", "fits"])
    #expect(fits.code == 0)
    let no = try run(Self.dear, #"{"payload":{}}"#)
    #expect(no.lines == ["payload.amount: no: nothing is there", "no"])
    #expect(no.code == 1)
    let unknown = try run(Self.dear, #"{"payload":{"amount":1,"Amount":5000}}"#)
    #expect(
      unknown.lines == [
        "payload.amount: unknown: the name stands there twice, or in a spelling that some program takes for it",
        "unknown",
      ])
    #expect(unknown.code == 2)
  }

  @Test func goesIntoObjectsAndBranches() throws {
    let condition = #"{"$or":[{"payload":{"o":{"a":["x"]}}},{"topic":[{"prefix":"tool."}]}]}"#
    #expect(
      try run(condition, #"{"payload":{"o":"{}"},"topic":"tool.run"}"#).lines == [
        "$or[0].payload.o: unknown: a text that a program may read as JSON once more",
        #"$or[1].topic: fits: "tool.run""#,
        "fits",
      ])
    #expect(
      try run(condition, #"{"payload":{"o":[{"a":"y"}]},"topic":"t"}"#).lines == [
        #"$or[0].payload.o: no: [{"a":"y"}]"#, #"$or[1].topic: no: "t""#, "no",
      ])
    #expect(try run("{}", "{}").lines == ["fits"])
  }

  @Test func printsJSON() throws {
    let run = try run(Self.dear, #"{"payload":{"amount":"2500"}}"#, "--json")
    #expect(
      run.lines == [#"{"answer":"unknown","found":[{"member":"payload.amount","value":"2500","answer":"unknown"}]}"#])
    let wrong = try self.run(#"{"payload":[]}"#, "{}", "--json")
    #expect(wrong.lines == [#"{"errors":[{"message":"when: payload: is an empty list, which nothing fits"}]}"#])
    #expect(wrong.code == 64)
  }

  @Test func readsTheMessageFromStandardInput() throws {
    let program = try Program(
      shell: #"printf '{\n  "payload": {"amount": 2500}\n}\n' | '\#(Program.path)' when '\#(Self.dear)' -"#)
    #expect(program.remainingLines() == ["payload.amount: fits: 2500", "fits"])
  }

  @Test func saysWhatIsWrong() throws {
    for (condition, message, words) in [
      ("{", "{}", "the condition is no JSON: it ends before it is complete (at byte 2)"),
      (#"{"paylod":[1]}"#, "{}", #"when: paylod: is no part of a message; did you mean "payload"?"#),
      ("{}", "1", #"the message must be an object, such as {"payload":{"tool":"shell"}}"#),
      ("{}", #"{"from":"web"}"#, #""from" is no part of a message; there are payload, meta, topic, key, identity"#),
      ("{}", #"{"tpic":"web"}"#, #""tpic" is no part of a message; did you mean "topic"?"#),
      ("{}", #"{"topic":1}"#, "topic must be a text"), ("{}", #"{"key":"a","key":"b"}"#, "key stands there twice"),
    ] {
      let run = try run(condition, message)
      #expect(run.errors == ["baton: \(words)"])
      #expect(run.lines == [])
      #expect(run.code == 64)
    }
  }
}
