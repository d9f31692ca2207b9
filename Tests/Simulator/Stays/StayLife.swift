import WorldKit

/// A listener from its `subscribe` to the loss of its connection: what it asked for, and what it has been told.
struct StayLife {
  let patterns: [String]
  /// The number after which it wants events; nil if it asked for live events, or for values.
  let after: Int?
  /// Whether it asked with the epoch of the server.
  let isOfThisEpoch: Bool
  let wantsValues: Bool
  /// The number of the latest event that it was told, or told to be gone.
  private(set) var position = 0
  /// Whether the reply has come, and in which call.
  private var isOn = false
  private var begun = 0
  /// Whether it is not known what is missing, and that is still to be said.
  private var awaitsWord = false
  /// Events up to this number may be missing without a number.
  private var excused = 0
  /// Whether the next events may be missing, because that was said without a number.
  private var isUnknown = false
  /// What it was told to be missing, without what was.
  private var allowance = 0
  /// Whether it has missed live events: then it is not told which.
  private var hasMissedLive = false
  /// A number that stands for the events before the next one.
  private var gone = 0
  /// Values that it is to be given, and those that it may be given.
  private var owed: Set<String> = []
  private var given: Set<String> = []
  private var snapshot: [String: [[UInt8]?]] = [:]

  init(_ patterns: [String], after: Int? = nil, isOfThisEpoch: Bool = true, wantsValues: Bool = false) {
    (self.patterns, self.after, self.isOfThisEpoch) = (patterns, after, isOfThisEpoch)
    self.wantsValues = wantsValues
  }

  private var isWhole: Bool { patterns.contains(">") }

  func wants(_ topic: String) -> Bool {
    patterns.contains { pattern in
      let (words, tokens) = (topic.split(separator: "."), pattern.split(separator: "."))
      if tokens.last == ">" {
        return words.count >= tokens.count && zip(words, tokens.dropLast()).allSatisfy { $1 == "*" || $0 == $1 }
      }
      return words.count == tokens.count && zip(words, tokens).allSatisfy { $1 == "*" || $0 == $1 }
    }
  }

  mutating func hear(_ line: SaidLine, _ watch: inout StayWatch) {
    switch line.op {
    case "ok" where !isOn: begin(line, watch)
    case "event" where isOn && line.isTrue("retained"): hearValue(line, &watch)
    case "event" where isOn:
      if let topic = line.text("topic") { owed.remove(topic) }
      if let seq = line.number("seq") { hearEvent(seq, line, &watch) }
    case "missed" where isOn && line["gone"] == nil:
      hasMissedLive = true
      allowance += line.number("count") ?? 0
    case "missed" where isOn: hearGone(line, &watch)
    default: break
    }
  }

  // MARK: Events

  private mutating func begin(_ line: SaidLine, _ watch: StayWatch) {
    (isOn, begun) = (true, watch.call)
    let last = line.number("seq") ?? 0
    let isKnown = after.map { isOfThisEpoch && $0 <= last } ?? true
    position = isKnown ? after ?? last : 0
    if !isKnown { (excused, awaitsWord) = (last, true) }
    guard wantsValues else { return }
    for (topic, all) in watch.values where wants(topic) {
      // What changed in this call may have changed before the reply or behind it.
      let earlier = all.last { $0.call < watch.call }
      let now = all.filter { $0.call == watch.call }
      snapshot[topic] = ([earlier] + now).map { $0?.payload }
      if now.isEmpty, earlier?.payload != nil { owed.insert(topic) }
    }
  }

  private mutating func hearGone(_ line: SaidLine, _ watch: inout StayWatch) {
    guard let number = line.number("count") ?? line.number("at_most") else {
      watch.cover("gone without a number")
      if !awaitsWord { watch.fail(.goneCounted, "it is known what is missing: \(line.spelled)") }
      (isUnknown, awaitsWord) = (true, false)
      return
    }
    watch.cover(line["count"] == nil ? "gone at most" : "gone")
    allowance += number
    if line["count"] != nil { gone += number }
  }

  private mutating func hearEvent(_ seq: Int, _ line: SaidLine, _ watch: inout StayWatch) {
    let isRight = seq > position && seq <= watch.lastSeq && watch.published[seq - 1].topic == line.text("topic")
    guard isRight, wants(watch.published[seq - 1].topic) else {
      return watch.fail(.keptOnce, "behind \(position) comes \(line.spelled)")
    }
    if seq <= excused || after != nil, seq < watch.lastSeq { watch.cover("replayed") }
    pass(upTo: seq, &watch)
    (position, isUnknown) = (seq, false)
  }

  /// The events between the position and this number do not come any more.
  private mutating func pass(upTo seq: Int, _ watch: inout StayWatch) {
    let missing = (position + 1..<max(position + 1, seq)).filter { wants(watch.published[$0 - 1].topic) }
    let lost = isUnknown ? 0 : missing.count { $0 > excused || isWhole }
    if awaitsWord { watch.fail(.noSilentHole, "it was not said that \(after ?? 0) is not known") }
    if lost > allowance {
      watch.fail(.noSilentHole, "\(lost) are missing behind \(position) before \(seq), and \(allowance) were told")
    }
    allowance -= min(lost, allowance)
    defer { gone = 0 }
    guard isWhole, !hasMissedLive else { return }
    if !isUnknown, gone != missing.count {
      watch.fail(.goneCounted, "\(missing.count) are gone behind \(position) before \(seq), and not \(gone)")
    }
    checkFair(missing, &watch)
  }

  /// Who has said little has lost nothing for want of room.
  private func checkFair(_ missing: [Int], _ watch: inout StayWatch) {
    for seq in missing {
      let event = watch.published[seq - 1]
      guard StayPlan.lasting.contains(event.topic) else { continue }
      watch.cover("lost for want of room")
      if watch.isQuiet(event.identity) {
        watch.fail(.fairHistory, "\(event.identity) has said little, and lost \(seq)")
      }
    }
  }

  // MARK: Values

  private mutating func hearValue(_ line: SaidLine, _ watch: inout StayWatch) {
    guard let topic = line.text("topic") else { return }
    watch.cover("value")
    let payload = line.raw("payload").map(Array.init)
    if !given.insert(topic).inserted || snapshot[topic]?.contains(payload) != true {
      watch.fail(.valuesStay, "never the value then, or given before: \(line.spelled)")
    }
    owed.remove(topic)
  }

  func endsQuietly(_ watch: inout StayWatch) {
    guard isOn else { return }
    var life = self
    life.pass(upTo: watch.lastSeq + 1, &watch)
    for topic in owed where watch.values[topic]?.last?.call ?? 0 < begun {
      watch.fail(.valuesStay, "the value of \(topic) was not given")
    }
  }
}
