/// Which traces a connection gets, and how many of them in a second (contract, section 7, `Some traces only`). It knows
/// no traces and writes nothing.
final class TraceChoice {
  /// What must hold for a trace.
  let asked: TraceWhere
  /// The most traces that are told in a second.
  let perSecond: Int
  /// The end of the second that the last trace began.
  private(set) var secondEnd = Instant(microseconds: .min)
  /// The traces that were told in it.
  private var told = 0
  /// The traces that were left out and not told of.
  private(set) var leftOut = 0

  init(asked: TraceWhere, perSecond: Int) {
    self.asked = asked
    self.perSecond = perSecond
  }

  /// Whether the second is over.
  func isOver(at now: Instant) -> Bool { now >= secondEnd }

  /// Begins a second.
  func begin(at now: Instant) {
    secondEnd = now.advanced(milliseconds: 1000)
    told = 0
  }

  /// Counts a trace for which `asked` holds. Returns false if it is left out.
  func count() -> Bool {
    if told < perSecond {
      told += 1
      return true
    }
    leftOut += 1
    return false
  }

  /// Returns how many were left out, and counts from 0 again.
  func takeLeftOut() -> Int {
    defer { leftOut = 0 }
    return leftOut
  }
}
