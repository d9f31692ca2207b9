/// How often each latency came, in nanoseconds: 1,024 steps for each power of two, so that a quantile is right to a thousandth.
struct LatencyCounts {
  private static let bits: UInt64 = 10
  /// Longer latencies count as this: an hour.
  private static let longest: UInt64 = 3_600_000_000_000
  private var counts = [Int](repeating: 0, count: LatencyCounts.place(of: LatencyCounts.longest) + 1)
  private(set) var count = 0

  mutating func record(_ nanoseconds: Int64, times: Int) {
    counts[Self.place(of: min(UInt64(max(0, nanoseconds)), Self.longest))] += times
    count += times
  }

  /// The latency in nanoseconds that `share` (0…1) of all did not exceed; 0 if none came.
  func quantile(_ share: Double) -> Int {
    let wanted = max(1, Int((Double(count) * share).rounded(.up)))
    var seen = 0
    for (place, count) in counts.enumerated() {
      seen += count
      if seen >= wanted { return Self.last(at: place) }
    }
    return 0
  }

  private static func place(of value: UInt64) -> Int {
    let shift = max(bits, 63 - UInt64(max(value, 1).leadingZeroBitCount)) - bits
    return Int(shift << bits + value >> shift)
  }

  /// The longest latency that counts there.
  private static func last(at place: Int) -> Int {
    let shift = max(place >> Int(bits), 1) - 1
    return (place - shift << Int(bits) + 1) << shift - 1
  }
}
