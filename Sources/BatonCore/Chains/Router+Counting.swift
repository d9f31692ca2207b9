/// Counts what happens at links, and keeps their last minutes (contract, section 8, `Inspect` and `History`).
///
/// A message may cost little here: it is counted at its link and for all links together, and one comparison finds out
/// whether a sample of ten seconds has begun.
extension Router {
  /// An offer was made, not to a shadow.
  @inline(__always)
  mutating func countOffer(at link: Slot<Link>, _ now: Instant) {
    beginCounting(at: link, now)
    links[link].counts.offers += 1
    allCounts.offers += 1
  }

  /// An offer was answered after so many microseconds.
  @inline(__always)
  mutating func countAnswer(at link: Slot<Link>, after microseconds: Int64, _ now: Instant) {
    beginCounting(at: link, now)
    let bucket = ServiceTimes.bucket(microseconds: microseconds)
    links[link].times.record(bucket: bucket)
    allTimes.record(bucket: bucket)
    meters[links[link].meters].record(microseconds: microseconds)
  }

  /// A message has ended so at a link, at this time, as `countAnswer` was told.
  @inline(__always)
  mutating func countVerdict(_ tally: Tally, at link: Slot<Link>) {
    links[link].counts.count(tally)
    allCounts.count(tally)
    meters[links[link].meters].count(tally)
  }

  /// A message has ended so at a link.
  @inline(never)
  mutating func count(_ tally: Tally, at link: Slot<Link>, _ now: Instant) {
    beginCounting(at: link, now)
    countVerdict(tally, at: link)
  }

  // The link of a copy may be gone before its shadow answers. What happens then counts for all links together.

  @inline(never)
  mutating func countGoneAnswer(after microseconds: Int64, _ now: Instant) {
    allHistory.begin(sampleNumber(at: now), allCounts, &allTimes)
    allTimes.record(microseconds: microseconds)
    meters[MeterTable.rest].record(microseconds: microseconds)
  }

  mutating func countGone(_ tally: Tally, _ now: Instant) {
    allHistory.begin(sampleNumber(at: now), allCounts, &allTimes)
    allCounts.count(tally)
    meters[MeterTable.rest].count(tally)
  }

  /// The verdict of a shadow was compared with the outcome.
  mutating func countComparison(agrees: Bool, at link: Slot<Link>) {
    if agrees { links[link].counts.agreed += 1 } else { links[link].counts.disagreed += 1 }
  }

  /// A message is for the link in doubt: nobody knows whether its condition fits.
  mutating func countDoubt(at link: Slot<Link>) {
    links[link].counts.doubtful += 1
    meters[links[link].meters].countDoubt()
  }

  /// The number of the sample at `now`.
  mutating func sampleNumber(at now: Instant) -> Int {
    now.milliseconds(since: started) / Sample.milliseconds
  }

  /// The end of a sample.
  mutating func endOfSample(_ number: Int) -> Instant {
    started.advanced(milliseconds: (number + 1) * Sample.milliseconds)
  }

  @inline(__always)
  private mutating func beginCounting(at link: Slot<Link>, _ now: Instant) {
    if now >= links[link].sampleEnd { beginSample(at: link, now) }
  }

  /// The first thing is counted at a link in a sample. Keeps the sample before, of the link and of all links together.
  @inline(never)
  private mutating func beginSample(at link: Slot<Link>, _ now: Instant) {
    spent &+= Cost.step
    let number = sampleNumber(at: now)
    links[link].sampleEnd = endOfSample(number)
    allHistory.begin(number, allCounts, &allTimes)
    if links[link].history == .nobody { return giveHistory(to: link, in: number) }
    let history = links[link].history
    histories[history].begin(number, links[link].counts, &links[link].times)
    unlistHistory(history)
    listHistory(history)
  }

  /// A link without a history gets one. If there are enough, it is that of the link in which nothing was counted for the
  /// longest time. A link in which something was counted in this sample or in the one before keeps its own.
  private mutating func giveHistory(to link: Slot<Link>, in number: Int) {
    guard links[link].fate == nil else { return }
    if histories.count >= settings.maxHistories {
      guard firstHistory != .nobody, histories[firstHistory].latest < number - 1 else { return }
      dropHistory(of: histories[firstHistory].link)
    }
    let history = histories.insert(History(of: link, in: number, links[link].counts, links[link].times))
    links[link].history = history
    listHistory(history)
  }

  /// A link loses its history, if it has one.
  mutating func dropHistory(of link: Slot<Link>) {
    let history = links[link].history
    guard history != .nobody else { return }
    links[link].history = .nobody
    unlistHistory(history)
    histories.remove(history)
  }

  private mutating func listHistory(_ history: Slot<History>) {
    histories[history].previous = lastHistory
    histories[history].next = .nobody
    if lastHistory != .nobody { histories[lastHistory].next = history } else { firstHistory = history }
    lastHistory = history
  }

  private mutating func unlistHistory(_ history: Slot<History>) {
    let (previous, next) = (histories[history].previous, histories[history].next)
    if previous != .nobody { histories[previous].next = next } else { firstHistory = next }
    if next != .nobody { histories[next].previous = previous } else { lastHistory = previous }
  }
}
