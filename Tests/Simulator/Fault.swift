import BatonCore

/// Faults that can be planted between the core and the network. Each breaks one invariant, and must be found under that
/// invariant's name. Faults in what lines say are planted in the model's comparison.
enum Fault: String, CaseIterable {
  case resultSwallowed = "result-swallowed"
  case resultTwice = "result-twice"
  case closeUntold = "close-untold"
  case wrongID = "wrong-id"
  case lineCut = "line-cut"
  case wakeStale = "wake-stale"
  // In the churn.
  case churnCloseUntold = "churn-close-untold"
  case churnResultSwallowed = "churn-result-swallowed"

  /// The invariant that the fault breaks.
  var breaks: Invariant {
    switch self {
    case .resultSwallowed, .resultTwice: .endsOnce
    case .closeUntold, .churnCloseUntold: .nothingLeft
    case .wrongID, .churnResultSwallowed: .oneReply
    case .lineCut: .coherentDoor
    case .wakeStale: .onTime
    }
  }

  /// Whether it is planted in the churn and not in worlds.
  var isOfChurn: Bool { rawValue.hasPrefix("churn") }
}

/// Plants one fault in a world, once, at one of the first chances.
struct Planter {
  let fault: Fault?
  /// How many chances pass before the fault is planted.
  private var patience: Int
  private(set) var hasPlanted = false

  init(fault: Fault?, patience: Int) { (self.fault, self.patience) = (fault, patience) }

  private mutating func isTime() -> Bool {
    if hasPlanted { return false }
    patience -= 1
    hasPlanted = patience < 0
    return hasPlanted
  }

  /// `close-untold`: the core is not told that a connection is gone.
  mutating func forgetsClose() -> Bool { fault == .closeUntold && isTime() }

  /// `wake-stale`: the next wake-up lies in the past.
  mutating func wakeAt(_ real: Instant?, _ now: Instant) -> Instant? {
    guard fault == .wakeStale, real != nil, hasPlanted || isTime() else { return real }
    return Instant(microseconds: now.microseconds - 1)
  }

  /// What becomes of a line that the core sends.
  mutating func alter(_ line: [UInt8]) -> [[UInt8]] {
    guard let fault, !hasPlanted, let read = try? LineReader.read(line) else { return [line] }
    switch fault {
    case .resultSwallowed where read.op == .result && isTime(): return []
    case .resultTwice where read.op == .result && isTime(): return [line, line]
    case .lineCut where isTime(): return [line.dropLast()]
    case .wrongID where read.op.isReply && read.op != .result && read.op != .error:
      guard let id = read[.id], let digit = line[id].lastIndex(where: { (48...57).contains($0) }), isTime() else {
        return [line]
      }
      var other = line
      other.insert(UInt8(ascii: "7"), at: digit)
      return [other]
    default: return [line]
    }
  }
}
