/// How a peer behaves towards the server, apart from what its lines say.
struct Manner {
  /// What it does with offers.
  enum Diligence {
    /// It answers each of them correctly.
    case diligent
    /// It answers them, but not always correctly.
    case careless
    /// It leaves them open.
    case idle
  }

  /// How it leaves.
  enum Farewell: CaseIterable {
    /// It shuts down its writing side and waits for the server's end.
    case halfCloses
    /// It closes once everything is answered.
    case closes
    /// It closes with answers still to come.
    case hangsUp
    /// It closes in the middle of a line.
    case breaksOff
  }

  let diligence: Diligence
  let farewell: Farewell
  /// Lines that it sends before it leaves.
  let lines: Int
  /// The number of the run's ticks after which it leaves in any case.
  let ticks: Int
  /// How many lines may be unanswered at once.
  let window: Int
  /// True if it now and then stops reading for a while.
  let isDeafAtTimes: Bool
  /// The most bytes that it writes at once.
  let grain: Int

  init(using generator: inout some RandomNumberGenerator) {
    let kind = Int.random(in: 0..<10, using: &generator)
    diligence = kind < 5 ? .diligent : kind < 8 ? .careless : .idle
    farewell = Farewell.allCases.randomElement(using: &generator) ?? .closes
    let isHasty = Int.random(in: 0..<5, using: &generator) == 0
    lines = isHasty ? .random(in: 1...20, using: &generator) : .random(in: 100...2000, using: &generator)
    ticks = .random(in: 1...200, using: &generator)
    isDeafAtTimes = Int.random(in: 0..<6, using: &generator) == 0
    window = .random(in: 1...16, using: &generator)
    grain = [1, 7, 100, 1500, LineStream.writeSize].randomElement(using: &generator) ?? 1500
  }
}
