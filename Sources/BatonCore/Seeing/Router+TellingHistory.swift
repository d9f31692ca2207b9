/// Tells the last minutes of links and of the server (contract, section 8, `History`).
extension Router {
  /// `,"p50_us_1m":…,"p99_us_1m":…`, if an offer was answered at the link in the last minute.
  mutating func writeLastMinute(of link: Slot<Link>, to writer: inout LineWriter, at now: Instant) {
    let history = links[link].history
    guard history != .nobody else { return }
    spent &+= Cost.entry
    guard let times = histories[history].lastMinute(in: sampleNumber(at: now), links[link].times) else { return }
    writer.count(",\"p50_us_1m\":", times.median)
    writer.count(",\"p99_us_1m\":", times.high)
  }

  /// The most bytes that `writeHistory` takes.
  mutating func boundOfHistory(of link: Slot<Link>) -> Int {
    let history = links[link].history
    return history == .nobody ? 0 : LineWriter.bound(samples: histories[history].bound)
  }

  /// `,"history":[…]`, if the link has samples.
  mutating func writeHistory(of link: Slot<Link>, to writer: inout LineWriter, at now: Instant) {
    let history = links[link].history
    guard history != .nobody else { return }
    let samples = histories[history].told(in: sampleNumber(at: now), links[link].counts, links[link].times)
    writeSamples(samples, to: &writer, at: now)
  }

  /// The same of all links together.
  mutating func writeHistory(to text: inout OwnedBytes, at now: Instant) {
    let samples = allHistory.told(in: sampleNumber(at: now), allCounts, allTimes)
    let bound = LineWriter.bound(samples: samples.count)
    var writer = LineWriter(at: text.reserve(bound + LineWriter.slack), room: bound)
    writeSamples(samples, to: &writer, at: now)
    text.extend(to: writer.cursor)
  }

  private mutating func writeSamples(_ samples: [Sample], to writer: inout LineWriter, at now: Instant) {
    spent &+= Cost.look &* samples.count
    for (position, sample) in samples.enumerated() {
      writer.literal(position == 0 ? ",\"history\":[{" : ",{")
      writer.sample(sample, ago: now.milliseconds(since: endOfSample(sample.number)))
      writer.literal("}")
    }
    if !samples.isEmpty { writer.literal("]") }
  }
}

extension LineWriter {
  /// The most bytes that so many samples take.
  fileprivate static func bound(samples: Int) -> Int { 32 + samples * 320 }

  fileprivate mutating func sample(_ sample: Sample, ago: Int) {
    literal("\"ago_ms\":")
    integer(ago)
    count(",\"messages\":", Int(sample.offers))
    tallies(sample.tallies, isShort: true)
    if sample.high >= 0 { count(",\"p99_us\":", sample.high) }
  }
}
