import FuzzKit
import Testing

@testable import BatonCore

/// Requests that look at all connections in pieces (contract, section 8).
@Suite struct SurveysTests {
  private func stage(_ count: Int) -> Stage {
    let stage = Stage()
    for number in 1...count { stage.open("p\(number)") }
    return stage
  }

  /// The line may be so long that the pieces do not fit into one turn.
  @Test(arguments: [0, 100_000])
  func inspectTellsAThousandConnectionsTheOldestFirst(padding: Int) throws {
    let stage = stage(1200)
    stage.say("p1200", #"{"op":"inspect","connections":true"# + String(repeating: " ", count: padding) + "}")
    stage.say("p1200", #"{"op":"ping"}"#)
    let lines = stage.hear("p1200")
    #expect(lines.count == 2)
    let line = try #require(lines.first)
    let numbers = line.matches(of: /"connection":([0-9]+)/).compactMap { Int($0.1) }
    #expect(numbers == Array(1...1000))
    #expect(line.utf8.count <= 512 << 10)
  }

  @Test func closeFindsAConnectionBehindManyOthers() throws {
    let stage = stage(1200)
    stage.say("p1", #"{"op":"close","id":1,"connection":1150}"#)
    #expect(stage.hear("p1") == [#"{"op":"ok","id":1,"connection":1150}"#])
    #expect(try #require(stage.hear("p1150").first).contains(#""code":"closed_by_peer""#))
    stage.say("p1", #"{"op":"close","id":2,"connection":1201}"#)
    #expect(try #require(stage.hear("p1").first).contains(#""code":"no_such_connection""#))
  }

  @Test func firstOnesAreTheFirstInTheirOrder() {
    var generator = SeededGenerator(seed: 1)
    for most in [1, 2, 7, 100] {
      let numbers = (0..<60).map { _ in Int.random(in: 0..<40, using: &generator) }
      var first = FirstOnes<Int>(most: most)
      for number in numbers { first.offer(number) }
      #expect(first.sorted == Array(numbers.sorted().prefix(most)))
    }
  }

  @Test func lastOnesAreTheLatest() {
    var last = LastOnes<Int>(most: 3)
    for number in 1...7 {
      last.add(number)
      #expect(last.latestFirst == Array((max(1, number - 2)...number).reversed()))
    }
  }

  @Test func failuresAreThoseOfTheLastMessages() {
    var window = FailureWindow()
    var (ended, failures) = (0, 0)
    for number in 0..<3000 {
      if number < 1200, number % 2 == 0 {
        window.willFail(ended, failures)
        failures += 1
      }
      ended += 1
      let last = window.last(ended, failures)
      #expect(last.messages <= 1000)
      if number < 1200 { #expect(abs(2 * last.failures - last.messages) <= 1) }
    }
    #expect(window.last(ended, failures).failures == 0)
  }
}
