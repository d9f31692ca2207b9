package import BatonConfig

/// What came of a case.
package struct CaseOutcome: Sendable {
  /// The name of the case.
  package let name: String
  /// Where it stands in its file.
  package let place: FilePlace
  /// The milliseconds of the moved clock until the reply.
  package let tookMilliseconds: Int
  /// What is different from what was expected.
  package let differences: [Difference]
  /// What happened on the message's way, in its order.
  package let trace: [TraceLine]

  /// Whether all is as expected.
  package var isAsExpected: Bool { differences.isEmpty }

  init(_ expectation: Expectation, _ seen: Seen) {
    name = expectation.name
    place = expectation.place
    tookMilliseconds = seen.took / 1000
    differences = Comparison(expectation, seen).differences
    trace = TraceLine.lines(of: seen, topic: expectation.message.topic)
  }
}

/// Something that is different from what was expected.
package struct Difference: Equatable, Sendable {
  /// What it is, in the words of the file: `result.by`.
  package let what: String
  /// What the file says.
  package let expected: String
  /// What came instead.
  package let found: String
}
