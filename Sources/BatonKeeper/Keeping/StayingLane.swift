/// What the store has in hand of what stays: changes that it was given, and has not answered. It knows nothing but their
/// numbers and bytes: who gave one that is lost gives it again.
struct StayingLane {
  private var given = Line<(number: UInt64, bytes: Int)>()
  /// Bytes of all that is in hand, and of what was given in this turn.
  private(set) var bytes = 0
  private(set) var bytesOfTurn = 0
  /// Whether their commit has failed: what is not on disk will not be.
  private var isLost = false

  var isEmpty: Bool { given.isEmpty }

  mutating func beginTurn() { bytesOfTurn = 0 }

  mutating func give(_ number: UInt64, bytes count: Int) {
    given.append((number, count))
    bytes += count
    bytesOfTurn += count
  }

  /// A commit has failed. Nothing is given before all that is in hand has been taken out.
  mutating func lose() { isLost = !given.isEmpty }

  /// Whether some of it is on disk or lost.
  func hasAnswers(upTo stored: UInt64) -> Bool { given[0].map { isLost || $0.number <= stored } ?? false }

  /// Takes the oldest changes out, at most so many: how many are on disk, and how many behind them are lost.
  mutating func settle(upTo stored: UInt64, atMost most: Int) -> (stored: Int, lost: Int) {
    var counts = (stored: 0, lost: 0)
    for _ in 0..<most {
      guard hasAnswers(upTo: stored), let first = given.removeFirst() else { break }
      bytes -= first.bytes
      if first.number <= stored { counts.stored += 1 } else { counts.lost += 1 }
    }
    if given.isEmpty { isLost = false }
    return counts
  }
}
