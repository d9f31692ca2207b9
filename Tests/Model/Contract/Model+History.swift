/// What happened in the last ten minutes, in samples of ten seconds (contract, section 8, "History").
struct History {
  /// By the number of the sample: how often each thing happened. `messages` are offers, `answered` are verdicts.
  var samples: [Int: [String: Int]] = [:]
  /// How many milliseconds each offer took that was answered in a sample.
  var times: [Int: [Int]] = [:]
  /// The sample that began last, and its number among the beginnings of all samples.
  var latest = 0
  var begun = 0

  /// Whether an offer was answered in the last minute: in the last six samples or in the one that has begun.
  func wasAnswered(in number: Int) -> Bool {
    samples.contains { $0.key >= number - 6 && $0.value["answered"] != nil }
  }
}

extension Model {
  private var sample: Int { now / 10_000 }

  /// Something happened at a link. If it is the first thing in a sample, that begins, perhaps with a history.
  mutating func note(_ word: String, at link: Int) {
    let sample = sample
    history.samples[sample, default: [:]][word, default: 0] += 1
    if links[link].counted != sample { beginSample(of: link) }
    links[link].counted = sample
    links[link].history?.samples[sample, default: [:]][word, default: 0] += 1
  }

  /// An offer was answered, which was made `milliseconds` ago.
  mutating func noteAnswer(at link: Int, after milliseconds: Int) {
    note("answered", at: link)
    let sample = sample
    links[link].history?.times[sample, default: []].append(milliseconds)
  }

  /// Whether more than one in a hundred answers of the last minute, of at least 20, took longer than half of the link's time.
  func isSlow(_ link: Int) -> Bool {
    let recent = (links[link].history?.times ?? [:]).filter { $0.key >= sample - 6 }.flatMap(\.value).sorted()
    guard recent.count >= (keeps(.slowIsOfTwenty) ? 20 : 10) else { return false }
    let high = recent[(recent.count * 99 + 99) / 100 - 1] * 1000
    // Times are known in steps: eight for each power of two. The end of the step counts.
    let step = high < 8 ? 1 : 1 << (Int.bitWidth - 1 - high.leadingZeroBitCount - 3)
    let limit = links[link].settings.timeoutMilliseconds ?? settings.timeoutMilliseconds
    return high / step * step + step - 1 > limit * (keeps(.slowIsOfHalf) ? 500 : 1000)
  }

  private mutating func beginSample(of link: Int) {
    let sample = sample
    if links[link].history == nil { giveHistory(to: link) }
    history.begun += 1
    links[link].history?.begun = history.begun
    links[link].history?.latest = sample
  }

  private mutating func giveHistory(to link: Int) {
    guard links[link].state == .there else { return }
    let owners = liveLinks.filter { links[$0].history != nil }
    if owners.count >= settings.maxHistories {
      let order = owners.sorted { links[$0].history?.begun ?? 0 < links[$1].history?.begun ?? 0 }
      guard let first = order.first, let latest = links[first].history?.latest, latest < sample - 1 else {
        seen.insert(.historyRefused)
        if keeps(.historiesAreKept) { return }
        return links[link].history = History()
      }
      seen.insert(.historyTaken)
      links[first].history = nil
    }
    links[link].history = History()
  }

  func wasAnsweredInLastMinute(_ link: Int) -> Bool {
    links[link].history?.wasAnswered(in: sample) ?? false
  }

  /// The samples that are over, the oldest first; nil if there are none.
  mutating func describe(_ history: History?) -> String? {
    let told = (history?.samples ?? [:]).filter {
      $0.key >= sample - 60 && ($0.key < sample || !keeps(.begunIsNotTold))
    }
    guard !told.isEmpty else { return nil }
    seen.insert(.toldHistory)
    if told.count > 1 { seen.insert(.toldSamples) }
    let all = told.sorted { $0.key < $1.key }.map { number, counts in
      var line = Line()
      line.add("ago_ms", json: "\(now - (number + 1) * 10_000)")
      line.add("messages", counts["messages"] ?? 0)
      for word in ["handled", "continue", "reject", "failed", "timeout", "disconnect", "overload", "breaker"] {
        if let count = counts[word] { line.add(word, count) }
      }
      if counts["answered"] != nil { line.add("p99_us", json: Line.anyNumber) }
      return line.whole
    }
    return "[\(all.joined(separator: ","))]"
  }
}
