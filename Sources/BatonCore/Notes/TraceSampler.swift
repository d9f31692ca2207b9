/// Decides which messages are traced beyond this server, and makes the numbers of traces and spans. It knows no message, and
/// chance only as the seed that it was given.
struct TraceSampler: ~Copyable {
  /// Nil: none is.
  private(set) var rule: TraceRule?
  private var state: UInt64
  /// The second of the caller's clock in which the latest one was taken, and how many were taken in it.
  private var second = Int64.min
  private var taken = 0

  init(seed: UInt64) { state = seed }

  mutating func take(_ rule: TraceRule?) { self.rule = rule }

  /// The span of a message that is traced from here on, and the one that led to it; nil if the message is not traced.
  /// `parent` is what its sender says of it. One whose sender has begun a trace is not chosen by chance: who began that has
  /// decided.
  mutating func span(under parent: SpanContext?, at now: Instant) -> MessageSpan? {
    guard let rule, parent.map(\.isSampled) ?? isChosen(rule.sample) else { return nil }
    let second = now.microseconds / 1_000_000
    if second != self.second { (self.second, taken) = (second, 0) }
    guard taken < rule.perSecond else { return nil }
    taken += 1
    let trace = parent?.trace ?? UInt128(next()) << 64 | UInt128(next())
    return MessageSpan(own: SpanContext(trace: trace, span: next()), parent: parent?.span)
  }

  private mutating func isChosen(_ percent: Int) -> Bool { percent > 0 && next() % 100 < UInt64(percent) }

  /// The next number of SplitMix64, never 0.
  private mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return max(1, mixed(state))
  }
}

/// A message that is traced beyond this server.
struct MessageSpan: BitwiseCopyable {
  /// Its trace, and its own span there.
  let own: SpanContext
  /// The sender's span; nil if the trace begins here.
  let parent: UInt64?

  /// The span of the offer with this number on a connection. Nothing is kept of it: it is made anew when it is told again.
  func span(ofOffer id: Int, on connection: Int) -> UInt64 {
    max(1, mixed(own.span ^ mixed(UInt64(truncatingIfNeeded: connection) << 32 ^ UInt64(truncatingIfNeeded: id))))
  }
}

/// Each number has another one, far from it (the last step of SplitMix64).
private func mixed(_ number: UInt64) -> UInt64 {
  let first = (number ^ number >> 30) &* 0xBF58_476D_1CE4_E5B9
  let second = (first ^ first >> 27) &* 0x94D0_49BB_1331_11EB
  return second ^ second >> 31
}
