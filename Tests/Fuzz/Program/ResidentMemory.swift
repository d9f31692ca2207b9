import ProgramKit

/// How much resident memory a program has, over time.
struct ResidentMemory {
  /// Kilobytes, one sample after the other.
  private(set) var samples: [Int] = []

  /// Takes a sample, if the system tells.
  mutating func sample(_ program: Program) {
    if let kilobytes = program.residentKilobytes { samples.append(kilobytes) }
  }

  /// The most in the first quarter, while everything is new to the process.
  var warm: Int { samples.prefix(max(1, samples.count / 4)).max() ?? 0 }
  /// The most after that.
  var highest: Int { samples.dropFirst(max(1, samples.count / 4)).max() ?? 0 }

  /// The most in the first tenth of the time; and in the last tenth.
  var firstTenth: Int { samples.prefix(max(1, samples.count / 10)).max() ?? 0 }
  var lastTenth: Int { samples.suffix(max(1, samples.count / 10)).max() ?? 0 }

  /// True if the process has taken at most a tenth and `slack` kilobytes more since it was warm.
  func isFlat(slack: Int) -> Bool { highest <= warm + warm / 10 + slack }
}
