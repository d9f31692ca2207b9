/// How long a link's offers took until their verdicts: a log-linear histogram in microseconds, with eight steps per
/// power of two. It knows times only, no offers. Its memory is allocated at the first verdict.
struct ServiceTimes: ~Copyable {
  private static let steps = 8
  /// The number of buckets.
  static let buckets = 40 * steps
  /// Behind a pointer, because every verdict writes to it.
  private var counts: UnsafeMutablePointer<UInt32>?
  private(set) var count = 0

  deinit { counts?.deallocate() }

  /// The bucket of a time.
  @inline(__always)
  static func bucket(microseconds: Int64) -> Int {
    min(bucket(UInt64(max(0, microseconds))), buckets - 1)
  }

  @inline(__always)
  mutating func record(microseconds: Int64) { record(bucket: ServiceTimes.bucket(microseconds: microseconds)) }

  /// Counts a time of this bucket.
  @inline(__always)
  mutating func record(bucket: Int) {
    (counts ?? make())[bucket] &+= 1
    count += 1
  }

  @inline(never)
  private mutating func make() -> UnsafeMutablePointer<UInt32> {
    let made = UnsafeMutablePointer<UInt32>.allocate(capacity: ServiceTimes.buckets)
    made.initialize(repeating: 0, count: ServiceTimes.buckets)
    counts = made
    return made
  }

  /// The time in microseconds that `share` (0…1) of the verdicts did not exceed. It is at most 12.5 % too high. Nil
  /// before the first verdict.
  func quantile(_ share: Double) -> Int? {
    counts.flatMap { ServiceTimes.quantile(share, of: $0, count: count) }
  }

  /// Whether any verdict was given after more than so many microseconds, as far as buckets tell it: it is never false if
  /// there is one.
  func hasAny(above microseconds: Int) -> Bool {
    guard let counts else { return false }
    let first = ServiceTimes.bucket(microseconds: Int64(microseconds))
    return (first..<ServiceTimes.buckets).contains { counts[$0] > 0 }
  }

  /// The same of other counts in as many buckets, `count` together.
  static func quantile(_ share: Double, of counts: UnsafePointer<UInt32>, count: Int) -> Int? {
    guard count > 0 else { return nil }
    let wanted = max(1, Int((Double(count) * share).rounded(.up)))
    var seen = 0
    var start = 0
    // A power of two at a time: a page of `inspect` asks for four thousand quantiles.
    while start < buckets {
      let power = UnsafeRawPointer(counts + start).loadUnaligned(as: SIMD8<UInt32>.self)
      let more = Int(SIMD8<UInt64>(truncatingIfNeeded: power).wrappedSum())
      if seen + more >= wanted { break }
      seen += more
      start += steps
    }
    for bucket in start..<buckets {
      seen += Int(counts[bucket])
      if seen >= wanted { return upperBound(bucket) }
    }
    return nil
  }

  /// Writes the counts of all buckets.
  func copy(to other: UnsafeMutablePointer<UInt32>) {
    guard let counts else { return other.update(repeating: 0, count: ServiceTimes.buckets) }
    other.update(from: counts, count: ServiceTimes.buckets)
  }

  /// Adds what the buckets have more than earlier ones. Returns how much that is.
  func add(since earlier: UnsafePointer<UInt32>, to sum: UnsafeMutablePointer<UInt32>) -> Int {
    guard let counts else { return 0 }
    var all = 0
    for bucket in 0..<ServiceTimes.buckets {
      let more = counts[bucket] &- earlier[bucket]
      sum[bucket] &+= more
      all &+= Int(more)
    }
    return all
  }

  /// Adds other counts of all buckets. Returns how many they are.
  static func add(_ counts: UnsafePointer<UInt32>, to sum: UnsafeMutablePointer<UInt32>) -> Int {
    var all = 0
    for bucket in 0..<buckets {
      sum[bucket] &+= counts[bucket]
      all &+= Int(counts[bucket])
    }
    return all
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
