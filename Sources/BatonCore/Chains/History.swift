/// What happened at a link, or at all links together, in ten seconds.
struct Sample {
  /// Its number, from the start of the server on: it begins after so many times ten seconds.
  let number: Int
  let offers: UInt32
  let tallies: Tallies<UInt32>
  /// The time in microseconds that 99 % of the answered offers did not exceed; -1 if none was answered.
  let high: Int

  /// How long a sample lasts.
  static let milliseconds = 10_000

  /// What was counted from `earlier` to `counts`.
  init(_ number: Int, from earlier: Link.Counts, to counts: Link.Counts, high: Int) {
    self.number = number
    offers = UInt32(clamping: counts.offers - earlier.offers)
    tallies = Tallies(from: earlier.tallies, to: counts.tallies)
    self.high = high
  }

  /// Whether nothing was counted in it.
  var isEmpty: Bool { offers == 0 && tallies.sum == 0 && high < 0 }
}

/// The last ten minutes of a link, or of all links together, in samples of ten seconds (contract, section 8, `History`).
///
/// Nothing is counted here: a sample is the difference of counts that there are anyway. They are looked at when the first
/// thing is counted in a later sample, and when somebody asks. Samples in which nothing was counted are left out. A
/// history takes 13 KB at most.
struct History: ~Copyable {
  /// The most samples that are kept, and those of the last minute.
  static let most = 60
  static let minute = 6

  /// Whose history it is; `nobody` for that of all links.
  let link: Slot<Link>
  /// Neighbours in the list of all links' histories.
  var previous = Slot<History>.nobody
  var next = Slot<History>.nobody
  /// The sample in which something was counted last.
  private(set) var latest: Int
  /// What had been counted before it began.
  private var counts: Link.Counts
  private let times: UnsafeMutablePointer<UInt32>
  /// The samples before it, the oldest first.
  private var samples: [Sample] = []
  /// The times of the last of these samples, each at `number % minute`, and their numbers.
  private let minutes: UnsafeMutablePointer<UInt32>
  private var numbers = [Int](repeating: -History.minute, count: minute)

  /// Begins in the sample `latest`, after what was counted so far.
  init(of link: Slot<Link>, in latest: Int, _ counts: Link.Counts, _ times: borrowing ServiceTimes) {
    self.link = link
    self.latest = latest
    self.counts = counts
    self.times = .allocate(capacity: ServiceTimes.buckets)
    minutes = .allocate(capacity: ServiceTimes.buckets * History.minute)
    times.copy(to: self.times)
  }

  deinit {
    times.deallocate()
    minutes.deallocate()
  }

  /// Something will be counted in the sample `number`. If it is a new one, the one before is kept. `times` does not
  /// change: the compiler does not see that a borrowed one is in another table.
  mutating func begin(_ number: Int, _ counts: Link.Counts, _ times: inout ServiceTimes) {
    guard number > latest else { return }
    let row = minutes + latest % History.minute * ServiceTimes.buckets
    row.update(repeating: 0, count: ServiceTimes.buckets)
    let sample = sample(until: counts, times, to: row)
    numbers[latest % History.minute] = latest
    if !sample.isEmpty { samples.append(sample) }
    while let first = samples.first, first.number < number - History.most { samples.removeFirst() }
    latest = number
    self.counts = counts
    times.copy(to: self.times)
  }

  /// The sample in which something was counted last. Adds its times to `row`.
  private func sample(
    until counts: Link.Counts, _ times: borrowing ServiceTimes, to row: UnsafeMutablePointer<UInt32>
  ) -> Sample {
    let answered = times.add(since: self.times, to: row)
    let high = ServiceTimes.quantile(0.99, of: row, count: answered)
    return Sample(latest, from: self.counts, to: counts, high: high ?? -1)
  }

  /// The most samples that `told` has.
  var bound: Int { samples.count + 1 }

  /// The samples of the last ten minutes that are over in the sample `now`, the oldest first.
  func told(in now: Int, _ counts: Link.Counts, _ times: borrowing ServiceTimes) -> [Sample] {
    var all = samples
    if latest < now {
      var row = [UInt32](repeating: 0, count: ServiceTimes.buckets)
      all.append(sample(until: counts, times, to: &row))
    }
    return all.filter { $0.number >= now - History.most && !$0.isEmpty }
  }

  /// The times that half and 99 % of the offers did not exceed that were answered in the sample `now` and in the last
  /// six before it, and how many these are; nil if none was.
  func lastMinute(in now: Int, _ times: borrowing ServiceTimes) -> (median: Int, high: Int, answered: Int)? {
    guard latest >= now - History.minute else { return nil }
    return withUnsafeTemporaryAllocation(of: UInt32.self, capacity: ServiceTimes.buckets) { memory in
      guard let row = memory.baseAddress else { return nil }
      row.initialize(repeating: 0, count: ServiceTimes.buckets)
      var answered = times.add(since: self.times, to: row)
      for slot in 0..<History.minute where numbers[slot] >= max(0, now - History.minute) {
        answered += ServiceTimes.add(minutes + slot * ServiceTimes.buckets, to: row)
      }
      guard let median = ServiceTimes.quantile(0.5, of: row, count: answered),
        let high = ServiceTimes.quantile(0.99, of: row, count: answered)
      else { return nil }
      return (median, high, answered)
    }
  }
}
