/// What was counted under one name of one chain, for `/metrics` (Docs/http.md, section 13).
///
/// A link counts into the meters of its name. They stay when the link leaves, and go on when a link of that name comes
/// back, as long as not too many have left (`MeterTable`): the sum of all never falls. Links beyond `max_metric_links`
/// share the meters without a handler of their chain. This type knows names and numbers, and no links.
struct Meters: ~Copyable {
  /// The buckets of the histogram: the first ends at 100 µs, each other one at four times the end of the one before,
  /// and the last has no end.
  static let buckets = 12
  private static let firstBucket = Tally.allCases.count
  private static let sum = firstBucket + buckets
  private static let doubts = sum + 1
  /// The outcomes, the buckets, the sum of the times in microseconds, and the messages in doubt.
  private static let numbers = doubts + 1

  let chain: OwnedBytes
  /// Empty for what is counted together: of the later links of the chain, and of those that are not kept by name.
  let handler: OwnedBytes
  /// When they were made, as a number of `meterNumber`.
  let birth: Int
  /// The number of links that count here.
  var links = 0
  /// Behind a pointer, because links at which nothing happens need none.
  private var counts: UnsafeMutablePointer<UInt64>?

  init(chain: UnsafeRawBufferPointer, handler: UnsafeRawBufferPointer, birth: Int) {
    self.chain = OwnedBytes(copying: chain)
    self.handler = OwnedBytes(copying: handler)
    self.birth = birth
  }

  deinit { counts?.deallocate() }

  /// Whether nothing was counted.
  var isEmpty: Bool { counts == nil }

  /// The bucket of a time.
  @inline(__always)
  static func bucket(microseconds: Int64) -> Int {
    let hundreds = UInt64(bitPattern: max(1, microseconds) &- 1) / 100
    return min((65 &- hundreds.leadingZeroBitCount) >> 1, buckets - 1)
  }

  @inline(__always)
  mutating func count(_ outcome: Tally) { (counts ?? make())[outcome.rawValue] &+= 1 }

  /// Counts the time that an answered offer took.
  @inline(__always)
  mutating func record(microseconds: Int64) {
    let counts = counts ?? make()
    counts[Meters.firstBucket &+ Meters.bucket(microseconds: microseconds)] &+= 1
    counts[Meters.sum] &+= UInt64(bitPattern: max(0, microseconds))
  }

  /// Counts a message of which nobody knows whether the link's condition fits.
  mutating func countDoubt() { (counts ?? make())[Meters.doubts] &+= 1 }

  /// Everything that was counted.
  var all: [UInt64] { counts.map { Array(UnsafeBufferPointer(start: $0, count: Meters.numbers)) } ?? [] }

  /// Adds what other meters have counted: their `all`.
  mutating func add(_ all: [UInt64]) {
    guard !all.isEmpty else { return }
    let counts = counts ?? make()
    for (number, more) in all.enumerated() { counts[number] &+= more }
  }

  var doubtful: UInt64 { counts?[Meters.doubts] ?? 0 }
  func count(of outcome: Tally) -> UInt64 { counts?[outcome.rawValue] ?? 0 }
  /// How many times are in a bucket.
  func times(inBucket bucket: Int) -> UInt64 { counts?[Meters.firstBucket + bucket] ?? 0 }
  /// All times together, in microseconds.
  var microseconds: UInt64 { counts?[Meters.sum] ?? 0 }

  @inline(never)
  private mutating func make() -> UnsafeMutablePointer<UInt64> {
    let made = UnsafeMutablePointer<UInt64>.allocate(capacity: Meters.numbers)
    made.initialize(repeating: 0, count: Meters.numbers)
    counts = made
    return made
  }
}
