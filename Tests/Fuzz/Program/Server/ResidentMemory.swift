import Foundation

/// How much memory a process has resident, over time.
struct ResidentMemory {
  private let process: Int32
  /// Kilobytes, one sample after the other.
  private(set) var samples: [Int] = []

  init(of process: Int32) { self.process = process }

  /// Takes a sample; none where the system does not tell.
  mutating func sample() {
    guard let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8),
      let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") }),
      let kilobytes = Int(line.filter(\.isNumber))
    else { return }
    samples.append(kilobytes)
  }

  /// The most in the first quarter, while everything is new to the process.
  var warm: Int { samples.prefix(max(1, samples.count / 4)).max() ?? 0 }
  /// The most after that.
  var highest: Int { samples.dropFirst(max(1, samples.count / 4)).max() ?? 0 }

  /// The most in the first tenth of the time, and in the last.
  var firstTenth: Int { samples.prefix(max(1, samples.count / 10)).max() ?? 0 }
  var lastTenth: Int { samples.suffix(max(1, samples.count / 10)).max() ?? 0 }

  /// True where the process has taken no more than a tenth and `slack` kilobytes on top since it was warm.
  func isFlat(slack: Int) -> Bool { highest <= warm + warm / 10 + slack }
}
