import FuzzKit
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
      #expect(count(left, right) == errors, "\(left) \(right)")
      #expect(count(right, left) == errors, "\(right) \(left)")
    }
    #expect(count("send", "broadcast") > 2)
    #expect(count("abcd", "wxyz") > 2)
  }

  private func count(_ left: String, _ right: String, atMost most: Int = 2) -> Int {
    Array(left.utf8).withUnsafeBytes { left in
      Array(right.utf8).withUnsafeBytes { right in typingErrors(from: left, to: right, atMost: most) }
    }
  }

  /// The same number, by the table that everybody knows.
  private func countPlainly(_ left: String, _ right: String) -> Int {
    let (left, right) = (Array(left.utf8), Array(right.utf8))
    var table = [[Int]](repeating: Array(0...right.count), count: left.count + 1)
    for row in 0...left.count { table[row][0] = row }
    for row in left.indices {
      for column in right.indices {
        var cost = table[row][column] + (left[row] == right[column] ? 0 : 1)
        cost = min(cost, table[row][column + 1] + 1, table[row + 1][column] + 1)
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          cost = min(cost, table[row - 1][column - 1] + 1)
        }
        table[row + 1][column + 1] = cost
      }
    }
    return table[left.count][right.count]
  }

  @Test(arguments: [UInt64(1), 2, 3])
  func countsWhatATableCounts(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<3000 {
      var words = ["", ""]
      for which in 0...1 {
        for _ in 0..<Int.random(in: 0...8, using: &generator) {
          words[which].append(["a", "b", "c"].randomElement(using: &generator) ?? "a")
        }
      }
      let plainly = countPlainly(words[0], words[1])
      for most in 0...2 {
        let counted = count(words[0], words[1], atMost: most)
        #expect(plainly <= most ? counted == plainly : counted > most, "\(words) \(most)")
      }
    }
  }

  @Test func theFirstOfEquallyNearNamesIsNamed() {
    #expect(nearestName(to: "ab", among: ["abcd", "abc", "abd"]) == "abc")
    #expect(nearestName(to: "same", among: ["sama", "same"]) == "same")
  }

  @Test func theNearestWithinTwoErrorsIsNamed() {
    let names = ["topic", "topics", "timeout_ms", "id", "op"]
    #expect(nearestName(to: "topcs", among: names) == "topics")
    #expect(nearestName(to: "tpoic", among: names) == "topic")
    #expect(nearestName(to: "timeoutms", among: names) == "timeout_ms")
    #expect(nearestName(to: "timeout", among: ["timeouts", "timeout_ms"]) == "timeout_ms")
    #expect(nearestName(to: "retry", among: ["reply", "retry_ms"]) == "retry_ms")
    #expect(nearestName(to: "zebra", among: names) == nil)
    #expect(nearestName(to: "", among: names) == nil)
    #expect(nearestName(to: "xy", among: names) == nil, "nothing of the name would be left")
    #expect(nearestName(to: String(repeating: "t", count: 1_000_000), among: names) == nil)
  }
}
