/// How long a link's offers took until their verdicts: a log-linear histogram in microseconds, with eight steps per
/// power of two. It knows times only, no offers. Its memory is allocated at the first verdict.
struct ServiceTimes: ~Copyable {
  private static let steps = 8
  private static let most = 40 * steps
  /// Behind a pointer, because every verdict writes to it.
  private var buckets: UnsafeMutablePointer<UInt32>?
  private(set) var count = 0

  deinit { buckets?.deallocate() }

  @inline(__always)
  mutating func record(microseconds: Int64) {
    let bucket = min(ServiceTimes.bucket(UInt64(max(0, microseconds))), ServiceTimes.most - 1)
    (buckets ?? make())[bucket] &+= 1
    count += 1
  }

  @inline(never)
  private mutating func make() -> UnsafeMutablePointer<UInt32> {
    let made = UnsafeMutablePointer<UInt32>.allocate(capacity: ServiceTimes.most)
    made.initialize(repeating: 0, count: ServiceTimes.most)
    buckets = made
    return made
  }

  /// The time in microseconds that `share` (0…1) of the verdicts did not exceed. It is at most 12.5 % too high. Nil
  /// before the first verdict.
  func quantile(_ share: Double) -> Int? {
    guard count > 0, let buckets else { return nil }
    let wanted = max(1, Int((Double(count) * share).rounded(.up)))
    var seen = 0
    for bucket in 0..<ServiceTimes.most {
      seen += Int(buckets[bucket])
      if seen >= wanted { return ServiceTimes.upperBound(bucket) }
    }
    return nil
  }

  @inline(__always)
  private static func bucket(_ value: UInt64) -> Int {
    guard value >= UInt64(steps) else { return Int(value) }
    let power = 63 - value.leadingZeroBitCount
    return (power - 2) * steps + Int((value >> UInt64(power - 3)) & 7)
  }

  private static func upperBound(_ bucket: Int) -> Int {
    guard bucket >= steps else { return bucket }
    let power = bucket / steps + 2
    return (((bucket % steps) + steps + 1) << (power - 3)) - 1
  }
}
