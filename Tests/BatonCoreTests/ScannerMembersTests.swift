import BatonCore
import FuzzKit
import Testing

/// Which members are found on a line's top level, and where.
@Suite struct ScannerMembersTests {
  private func outcome(_ line: String) -> ScanOutcome {
    var twins = ScannerTwins()
    let outcome = twins.outcome(of: Array(line.utf8))
    #expect(outcome.fault == nil)
    #expect(twins.disagreement(over: Array(line.utf8)) == nil)
    return outcome
  }

  private func text(of value: MemberValue, in line: String) -> String {
    String(decoding: Array(line.utf8)[value.range], as: UTF8.self)
  }

  private func escaped(_ text: String) -> String {
    text.utf8.map { "\\u00" + String($0, radix: 16) }.joined()
  }

  @Test(arguments: Member.allCases)
  func eachMemberIsKnownInEachSpelling(_ member: Member) {
    let name = "\(member.spelling)"
    for spelling in [name, escaped(name), escaped(String(name.prefix(1))) + name.dropFirst()] {
      // The value stands at the line's very end, in the middle, or with white space all around.
      for line in [#"{"\#(spelling)":1}"#, #"{"\#(spelling)":1,"x":"some more text"}"#, #" { "\#(spelling)" : 1 } "#] {
        let outcome = outcome(line)
        #expect(outcome.present == member.mask)
        #expect(outcome.repeated == 0)
        #expect(text(of: outcome[member], in: line) == "1")
      }
    }
  }

  @Test(arguments: Member.allCases)
  func aNameThatIsNearlyRightIsUnknown(_ member: Member) {
    let name = "\(member.spelling)"
    let known = Set(Member.allCases.map { "\($0.spelling)" })
    let near = ["x", " ", "\\u0000", "é"].map { name + $0 } + ["x" + name, String(name.dropLast()), name.uppercased()]
    for other in near where !known.contains(other) {
      let outcome = outcome(#"{"\#(other)":1}"#)
      #expect(outcome.present == 0, "\(other)")
      #expect(outcome.hasUnknown)
    }
  }

  /// The scanner expects members as in the line before. It must find the same members, whatever that line was.
  @Test func theLineBeforeChangesNothing() {
    let rests = [
      #"1}"#, #"1 }"#, #"1,}"#, #"1"#, #"{}}"#, #""x"}"#, #"1,"id":2}"#, #"1,"id":2,"id":3}"#, #"1 ,"id" :2}"#,
    ]
    var lines = ["{}", "{ }", "{,}", "", "[1]", #"{"op""#]
    for begin in [
      #"{"op":"#, #"{ "op": "#, #"{"op" :"#, #"{"\u006fp":"#, #"{"op";"#, #"{"id":"#, #"{"timeout_ms":"#, #"{"opp":"#,
    ] {
      for rest in rests { lines.append(begin + rest) }
    }
    let long = (0..<12).map { #""\#(["op", "id", "topic", "other"][$0 % 4])":"some text""# }.joined(separator: ",")
    lines += ["{\(long)}", "{\(long),\(long)}", "{\(long),}", "{\(long.dropLast())}"]
    lines += lines.flatMap { [#"{"op":\#($0)}"#, #"{"id":[\#($0),{"op":[\#($0)]}]}"#] }
    var twins = ScannerTwins()
    for line in lines.map({ Array($0.utf8) }) {
      var alone = ScannerTwins()
      let expected = alone.outcome(of: line)
      for before in lines {
        _ = twins.outcome(of: Array(before.utf8))
        let outcome = twins.outcome(of: line)
        #expect(outcome == expected, "\(String(decoding: line, as: UTF8.self)) behind \(before)")
      }
    }
  }

  @Test func eachMemberHasABitAndAName() {
    #expect(Member.allCases.count <= MemberSet.bitWidth)
    #expect(Set(Member.allCases.map { "\($0.spelling)" }).count == Member.allCases.count)
  }

  @Test func theFirstOfRepeatedMembersCounts() {
    let line = #"{"id":1,"op":"a","\u0069d":2,"topic":"t","id":3,"o\u0070":"b"}"#
    let outcome = outcome(line)
    #expect(outcome.present == Member.id.mask | Member.op.mask | Member.topic.mask)
    #expect(outcome.repeated == Member.id.mask | Member.op.mask)
    #expect(text(of: outcome[.id], in: line) == "1")
    #expect(text(of: outcome[.op], in: line) == #""a""#)
  }

  @Test func membersInsideOfValuesAreNotTheLines() {
    let outcome = outcome(#"{"payload":{"op":1,"op":2,"x":3},"meta":[{"id":1}]}"#)
    #expect(outcome.present == Member.payload.mask | Member.meta.mask)
    #expect(outcome.repeated == 0)
    #expect(!outcome.hasUnknown)
  }

  @Test(arguments: ScannerCases.values)
  func aValueIsItsUntouchedRange(_ value: String) {
    for line in [#"{"payload":\#(value)}"#, #"{"op":"send", "payload" : \#(value) ,"meta":\#(value)}"#] {
      let outcome = outcome(line)
      #expect(text(of: outcome[.payload], in: line) == value)
      if outcome.present & Member.meta.mask != 0 { #expect(text(of: outcome[.meta], in: line) == value) }
    }
  }

  @Test func kindsAreTold() {
    let head = #"{"op":"a","id":-0,"topic":"\n","payload":1.0,"meta":1e5,"#
    let outcome = outcome(head + #""reply":true,"key":false,"chain":null,"mode":[],"trace":{}}"#)
    let members: [Member] = [.op, .id, .topic, .payload, .meta, .reply, .key, .chain, .mode, .trace, .server]
    #expect(
      members.map { outcome[$0].kind } == [
        .text, .integer, .escapedText, .number, .number, .true, .false, .null, .array, .object, .absent,
      ])
  }

  @Test func nothingIsLeftOverFromTheLineBefore() {
    var twins = ScannerTwins()
    _ = twins.outcome(of: Array(#"{"op":1,"op":2,"id":3,"zzz":4}"#.utf8))
    let after = twins.outcome(of: Array(#"{"topic":1}"#.utf8))
    #expect(after.present == Member.topic.mask && after.repeated == 0 && !after.hasUnknown)
    #expect(after[.op] == .absent && after[.id] == .absent)
    _ = twins.outcome(of: Array(#"{"op":1,"op":2,"zzz":4"#.utf8))
    #expect(twins.outcome(of: Array("{}".utf8)).values.allSatisfy { $0 == .absent })
  }

  @Test func anyNumberOfMembersIsCounted() {
    let line = "{" + (0..<500).map { #""x\#($0)":0,"# }.joined() + #""op":1,"id":2,"op":3}"#
    let outcome = outcome(line)
    #expect(outcome.present == Member.op.mask | Member.id.mask)
    #expect(outcome.repeated == Member.op.mask)
    #expect(text(of: outcome[.id], in: line) == "2")
  }
}
