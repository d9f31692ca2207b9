import Testing

@testable import BatonCore

/// "did you mean …?"
@Suite struct NearestNameTests {
  @Test func countsTypingErrors() {
    let pairs = [
      ("", "", 0), ("accepts", "accepts", 0), ("acepts", "accepts", 1), ("acccepts", "accepts", 1),
      ("akcepts", "accepts", 1), ("acecpts", "accepts", 1), ("acepst", "accepts", 2), ("ab", "ba", 1), ("", "ab", 2),
      ("tpoci", "topic", 2), ("a", "b", 1), ("abc", "cba", 2),
    ]
    for (left, right, errors) in pairs {
      #expect(typingErrors(from: left, to: right) == errors, "\(left) \(right)")
      #expect(typingErrors(from: right, to: left) == errors, "\(right) \(left)")
    }
    #expect(typingErrors(from: "send", to: "broadcast") > 2)
    #expect(typingErrors(from: "abcd", to: "wxyz") > 2)
  }

  @Test func theNearestWithinTwoErrorsIsNamed() {
    let names = ["topic", "topics", "timeout_ms", "id", "op"]
    #expect(nearestName(to: "topcs", among: names) == "topics")
    #expect(nearestName(to: "tpoic", among: names) == "topic")
    #expect(nearestName(to: "timeoutms", among: names) == "timeout_ms")
    #expect(nearestName(to: "zebra", among: names) == nil)
    #expect(nearestName(to: "", among: names) == nil)
    #expect(nearestName(to: "xy", among: names) == nil, "nothing of the name would be left")
    #expect(nearestName(to: String(repeating: "t", count: 1_000_000), among: names) == nil)
  }
}
