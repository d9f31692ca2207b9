import Testing

@testable import BatonCore

/// Which messages are traced beyond the server, and the numbers that they get.
@Suite struct TraceSamplerTests {
  private static func rule(_ sample: Int, _ perSecond: Int = 100_000) -> TraceRule {
    var rule = TraceRule()
    (rule.sample, rule.perSecond) = (sample, perSecond)
    return rule
  }

  private static func parent(_ flags: String) -> SpanContext? {
    let text = Array("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-\(flags)".utf8)
    return text.withUnsafeBytes { SpanContext($0) }
  }

  @Test(arguments: [0, 1, 20, 50, 100])
  func soManyOfAHundredBeginATrace(sample: Int) {
    var sampler = TraceSampler(seed: 7)
    sampler.take(Self.rule(sample))
    let count = (0..<10_000).count { sampler.span(under: nil, at: Instant(microseconds: Int64($0))) != nil }
    #expect(abs(count - sample * 100) < 200)
    if sample == 0 || sample == 100 { #expect(count == sample * 100) }
  }

  @Test func whoBeganATraceHasDecided() throws {
    var sampler = TraceSampler(seed: 7)
    sampler.take(Self.rule(100))
    let now = Instant(microseconds: 0)
    let unkept = sampler.span(under: Self.parent("00"), at: now)
    let kept = sampler.span(under: Self.parent("03"), at: now)
    let begun = sampler.span(under: nil, at: now)
    sampler.take(nil)
    let off = sampler.span(under: Self.parent("01"), at: now)
    #expect(unkept == nil && off == nil)
    let span = try #require(kept)
    #expect(span.own.trace == 0x4bf9_2f35_77b3_4da6_a3ce_929d_0e0e_4736)
    #expect(span.parent == 0x00f0_67aa_0ba9_02b7)
    let own = try #require(begun)
    #expect(own.parent == nil && own.own.trace != span.own.trace)
  }

  @Test func aSecondHasSoManyAndTheNextOneAsMany() {
    var sampler = TraceSampler(seed: 7)
    sampler.take(Self.rule(100, 3))
    let traced = (0..<40).count { sampler.span(under: nil, at: Instant(microseconds: Int64($0) * 100_000)) != nil }
    #expect(traced == 4 * 3)
  }

  @Test func noTwoOffersHaveOneSpan() throws {
    var sampler = TraceSampler(seed: 7)
    sampler.take(Self.rule(100))
    var seen: Set<UInt64> = []
    for message in 0..<10 {
      let begun = sampler.span(under: nil, at: Instant(microseconds: Int64(message)))
      let span = try #require(begun)
      seen.insert(span.own.span)
      for connection in 1...50 {
        for offer in 1...50 { seen.insert(span.span(ofOffer: offer, on: connection)) }
      }
    }
    #expect(seen.count == 10 * (1 + 50 * 50))
  }

  @Test func aSeedGivesTheSameNumbersAndAnotherOneOthers() throws {
    func first(_ seed: UInt64) -> MessageSpan? {
      var sampler = TraceSampler(seed: seed)
      sampler.take(Self.rule(100))
      return sampler.span(under: nil, at: Instant(microseconds: 0))
    }
    #expect(try #require(first(1)).own == #require(first(1)).own)
    #expect(try #require(first(1)).own != #require(first(2)).own)
  }
}
