import Testing

@testable import TranscriptPlayer

/// Which lines a pattern takes, and which lines it does not take.
@Suite struct LinePatternTests {
  private func matches(_ pattern: String, _ lines: String..., clockRuns: Bool = false) -> Bool {
    var names: [String: [UInt8]] = [:]
    return lines.allSatisfy { LinePattern(pattern).matches(Array($0.utf8), names: &names, clockRuns: clockRuns) }
  }

  @Test func comparesByteForByte() {
    #expect(matches(#"{"a":1,"b":"*~"}"#, #"{"a":1,"b":"*~"}"#))
    #expect(!matches(#"{"a":1,"b":2}"#, #"{"b":2,"a":1}"#))
    #expect(!matches(#"{"a":1}"#, #"{"a":1} "#))
    #expect(!matches(#"{"a":1} "#, #"{"a":1}"#))
    #expect(!matches(#"{"b":"*"}"#, #"{"b":"x"}"#))
  }

  @Test(arguments: ["1", "-2.5e3", "null", #""x,}\"]""#, #"{"c":[1,{"d":"}"}]}"#, "[]"])
  func aStarTakesOneValue(value: String) {
    #expect(matches(#"{"a":*,"b":2}"#, #"{"a":\#(value),"b":2}"#))
    #expect(matches(#"{"a":*}"#, #"{"a":\#(value)}"#))
    #expect(!matches(#"{"a":*}"#, #"{"a":\#(value),"b":2}"#))
  }

  @Test func aNamedStarIsTheSameEverywhere() {
    #expect(matches(#"{"walk":*w}"#, #"{"walk":41}"#, #"{"walk":41}"#))
    #expect(!matches(#"{"walk":*w}"#, #"{"walk":41}"#, #"{"walk":42}"#))
    #expect(matches(#"{"walk":*}"#, #"{"walk":41}"#, #"{"walk":42}"#))
    #expect(!matches(#"{"walk":*w,"other":*w}"#, #"{"walk":41,"other":4}"#))
  }

  @Test func anEllipsisTakesTextUpToTheEndOfItsString() {
    #expect(matches(#"{"m":"…acepts…","b":1}"#, #"{"m":"no \"acepts\", sir","b":1}"#))
    #expect(!matches(#"{"m":"…acepts…","b":1}"#, #"{"m":"no","x":"acepts","b":1}"#))
    #expect(!matches(#"{"m":"…acepts…"}"#, #"{"m":"accepts"}"#))
    #expect(matches(#"{"op":"help",…}"#, #"{"op":"help","ops":{"a":"}"}}"#))
    #expect(!matches(#"{"op":"help",…}"#, #"{"op":"pong"}"#))
  }

  @Test func aTimeIsExactWhereTheClockStands() {
    #expect(matches(#"{"t":~200}"#, #"{"t":200}"#))
    #expect(!matches(#"{"t":~200}"#, #"{"t":199}"#))
    #expect(matches(#"{"t":~200}"#, #"{"t":199}"#, clockRuns: true))
    #expect(!matches(#"{"t":~200}"#, #"{"t":201}"#, clockRuns: true))
    #expect(!matches(#"{"t":~200}"#, #"{"t":0}"#, clockRuns: true))
    #expect(!matches(#"{"t":~200}"#, #"{"t":"200"}"#, clockRuns: true))
  }

  @Test func aMeasuredTimeIsExactWhereTheClockStands() {
    #expect(matches(#"{"t":≥200}"#, #"{"t":200}"#))
    #expect(!matches(#"{"t":≥200}"#, #"{"t":201}"#))
    #expect(matches(#"{"t":≥200}"#, #"{"t":20000}"#, clockRuns: true))
    #expect(!matches(#"{"t":≥200}"#, #"{"t":199}"#, clockRuns: true))
    #expect(!matches(#"{"t":≥200}"#, #"{"t":"200"}"#, clockRuns: true))
    #expect(matches(#"{"t":≥0,"u":1}"#, #"{"t":0,"u":1}"#, clockRuns: true))
  }

  @Test func expandsWhatStandsInBrackets() {
    #expect(Expansion.bytes(of: "a<x*3>b") == Array("axxxb".utf8))
    #expect(Expansion.bytes(of: "<[*2>1<]*2>") == Array("[[1]]".utf8))
    #expect(Expansion.bytes(of: "<0xC3 0x28>!") == [0xC3, 0x28, 0x21])
    #expect(Expansion.bytes(of: "<token web>") == Array("baton_web\(String(repeating: "x", count: 40))000000".utf8))
    #expect(Expansion.bytes(of: "a<b>c<") == Array("a<b>c<".utf8))
    #expect(Expansion.bytes(of: #"["<"]"#) == Array(#"["<"]"#.utf8))
    #expect(matches(#"{"a":"<x*3>"}"#, #"{"a":"xxx"}"#))
  }
}
