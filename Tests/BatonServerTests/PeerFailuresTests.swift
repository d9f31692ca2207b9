import BatonCore
import Testing

@testable import BatonServer

/// What the log says of peers that could not speak yet: `Tests/Doors/test_proxy_protocol.py` has real ones.
@Suite struct PeerFailuresTests {
  private typealias Failure = PeerFailures.Failure

  private static func at(_ milliseconds: Int) -> Instant { Instant(microseconds: Int64(milliseconds) * 1000) }

  /// What is told when `reason` comes from the address with this number.
  private func told(
    _ failures: inout PeerFailures, _ reason: String, _ address: UInt64, at milliseconds: Int
  ) -> PeerFailures.Line? {
    failures.count(Failure(reason: reason, peer: "10.0.0.\(address)"), of: address, at: Self.at(milliseconds))
    return failures.takeLine(at: Self.at(milliseconds), isLast: false)
  }

  private func due(_ failures: inout PeerFailures, at milliseconds: Int) -> PeerFailures.Line? {
    failures.takeLine(at: Self.at(milliseconds), isLast: false)
  }

  @Test func theFirstIsToldAtOnceAndOthersASecondLater() {
    var failures = PeerFailures()
    #expect(failures.dueAt == nil)
    #expect(told(&failures, "cut", 1, at: 5000) == .one(Failure(reason: "cut", peer: "10.0.0.1")))
    #expect(failures.dueAt == nil)
    #expect(told(&failures, "late", 1, at: 5100) == nil)
    #expect(failures.dueAt == Self.at(6000))
    #expect(due(&failures, at: 5999) == nil)
    // One is told with all that is known of it.
    #expect(due(&failures, at: 6000) == .one(Failure(reason: "late", peer: "10.0.0.1")))
    #expect(told(&failures, "cut", 2, at: 6500) == nil)
    #expect(told(&failures, "cut", 3, at: 6600) == nil)
    #expect(due(&failures, at: 7001) == .many(2, first: "10.0.0.2 (cut), 10.0.0.3 (cut)", within: 1001))
    #expect(due(&failures, at: 100_000) == nil)
  }

  /// A check that fails each second is no line each second.
  @Test func theSameIsNewsOnceAMinute() {
    var failures = PeerFailures()
    #expect(told(&failures, "cut", 1, at: 0) != nil)
    for second in 1..<60 { #expect(told(&failures, "cut", 1, at: second * 1000) == nil) }
    #expect(failures.dueAt == Self.at(60_000))
    // It is counted in the line of another one.
    #expect(told(&failures, "cut", 2, at: 59_500) == .many(60, first: "10.0.0.2 (cut), …", within: 59_500))
    #expect(told(&failures, "cut", 1, at: 60_000) == nil)
    #expect(due(&failures, at: 60_500) == .one(Failure(reason: "cut", peer: "10.0.0.1")))
    // Nobody else comes: the count is told a minute later.
    for _ in 0..<3 { #expect(told(&failures, "cut", 1, at: 61_000) == nil) }
    #expect(due(&failures, at: 120_499) == nil)
    #expect(due(&failures, at: 120_500) == .many(3, first: "10.0.0.1 (cut), …", within: 60_000))
  }

  @Test func aFloodIsOneLineASecondAndNothingGetsLost() {
    var failures = PeerFailures()
    var lines: [PeerFailures.Line] = []
    for number in 0..<20_000 {
      if let line = told(&failures, "cut", UInt64(number), at: number / 5) { lines.append(line) }
    }
    #expect(lines.count == 4)
    if let line = failures.takeLine(at: Self.at(4000), isLast: true) { lines.append(line) }
    let counts = lines.map { line in if case .many(let count, _, _) = line { count } else { 1 } }
    #expect(counts.reduce(0, +) == 20_000 && lines.count == 5, "\(counts)")
    #expect(failures.takeLine(at: Self.at(4000), isLast: true) == nil)
    // Addresses are told apart again.
    #expect(told(&failures, "cut", 1, at: 70_000) == .one(Failure(reason: "cut", peer: "10.0.0.1")))
    #expect(told(&failures, "cut", 1, at: 72_000) == nil)
  }

  /// What one does again and again does not take the place of what another one does.
  @Test func whoComesOnceAmongManyOfOneIsNamed() {
    var failures = PeerFailures()
    for number in 0..<100 { _ = told(&failures, "cut", 1, at: number) }
    #expect(told(&failures, "cut", 2, at: 500) == nil)
    for number in 0..<100 { _ = told(&failures, "cut", 1, at: 501 + number) }
    #expect(due(&failures, at: 1000) == .many(200, first: "10.0.0.2 (cut), …", within: 1000))
  }
}
