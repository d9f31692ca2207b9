/// Values that stay, and events that are kept (section 14). Its worlds have no slow readers who ask for them: what is given
/// comes at once.
extension Model {
  /// The value of a topic, or an event that was kept once.
  struct KeptEvent {
    let topic: String
    let payload: String?
    let meta: String?
    let from: String
    /// The identity for which it counts; empty for all without one.
    var owner = ""
    var seq: Int?
    /// Whether it is not kept any more.
    var isGone = false

    func line(isRetained: Bool, within: Int = 0) -> Line {
      var line = Line("event")
      line.add("topic", topic)
      line.add("payload", json: payload)
      line.add("meta", json: meta)
      line.add("from", from)
      line.add(within: within)
      if let seq { line.add("seq", seq) }
      line.add("retained", ifTrue: isRetained)
      return line
    }
  }

  /// Topics of which events are gone.
  package var topicsWithGone: [String] { keptEvents.filter(\.isGone).map(\.topic) }

  /// Whether an event of the topic is kept, and how many are.
  private func keep(of topic: String) -> Int? {
    let fitting = settings.keptTopics.filter { Subject.matches(topic, $0.pattern, sparing: true) }
    return (keeps(.firstEntryCounts) ? fitting.first : fitting.last)?.keep
  }

  // MARK: In

  /// The next number, if events of the topic are kept.
  mutating func number(_ topic: String) -> Int? {
    guard keep(of: topic) != nil else { return nil }
    lastSeq += 1
    return lastSeq
  }

  /// What is published is kept, or becomes the value of its topic.
  mutating func keep(_ event: KeptEvent, isRetained: Bool, isEchoed: Bool) {
    if event.seq != nil, let most = keep(of: event.topic), isEchoed || keeps(.unechoedIsKept) {
      seen.insert(.keptEvent)
      keptEvents.append(event)
      let there = keptEvents.indices.filter { keptEvents[$0].topic == event.topic && !keptEvents[$0].isGone }
      emptyTopics.removeAll { $0 == event.topic }
      if keeps(.keptAreFew) { for index in there.dropLast(most) { drop(index) } }
      dropWhatIsTooMuch()
    }
    guard isRetained else { return }
    let isAway = event.payload == nil || event.payload == "null"
    let old = values.firstIndex { $0.topic == event.topic }
    if isAway {
      if let old, keeps(.nothingTakesAway) {
        seen.insert(.valueTakenAway)
        values.remove(at: old)
      }
    } else if let old, !keeps(.latestValueStays) {
      values[old].seq = event.seq
    } else {
      if let old { values.remove(at: old) }
      values.append(event)
    }
  }

  /// A value needs room.
  mutating func checkRoom(for message: Broadcast, of connection: Int) throws(Refusal) {
    guard message.retain == true, message.payload != nil, message.payload != "null" else { return }
    let old = values.first { $0.topic == message.topic }
    if old == nil, values.count >= settings.maxRetainedTopics, keeps(.valuesAreLimited) {
      seen.insert(.valueRefused)
      throw Refusal("limit_reached")
    }
    // What another one has set is free for who sets it now.
    guard let who = peers[connection].who, old?.owner != who else { return }
    let free = settings.maxRetainedTopics - values.count + (old == nil ? 0 : 1)
    try checkShare(.valuesAreShared, has: values.count { $0.owner == who }, more: 1, free: free)
  }

  // MARK: Out

  func checkKept(_ wish: KeptWish, isChosen: Bool) throws(Refusal) {
    if (wish.after != nil) != (wish.epoch != nil) { throw Refusal("bad_member") }
    if wish.after != nil, wish.retained != nil { throw Refusal("bad_member") }
    if wish.after != nil || wish.retained == true, isChosen { throw Refusal("bad_member") }
  }

  /// Where events are kept, the reply to `subscribe` tells how far they have come.
  func addKept(to line: inout Line) {
    guard !settings.keptTopics.isEmpty else { return }
    line.add("seq", lastSeq)
    line.add("epoch", "0")
  }

  mutating func give(_ wish: KeptWish, _ patterns: [String], to connection: Int) {
    if wish.retained == true { giveValues(patterns, to: connection) }
    guard let after = wish.after else { return }
    let isKnown =
      (wish.epoch == "0" || !keeps(.epochCounts)) && (after <= lastSeq || !keeps(.laterIsUnknown))
      && !settings.keptTopics.isEmpty
    giveEvents(patterns, after: isKnown ? after : nil, to: connection)
  }

  private func isWanted(_ topic: String, _ patterns: [String]) -> Bool {
    patterns.contains { Subject.matches(topic, $0, sparing: true) }
  }

  private mutating func giveValues(_ patterns: [String], to connection: Int) {
    var wanted = values.filter { isWanted($0.topic, patterns) }
    if !keeps(.oldestValueFirst) { wanted.reverse() }
    for value in wanted {
      seen.insert(.gaveValue)
      say(value.line(isRetained: keeps(.valuesAreMarked)), to: connection, isEvent: true)
    }
  }

  /// `after` is nil if it is not known what is missing.
  private mutating func giveEvents(_ patterns: [String], after: Int?, to connection: Int) {
    let isWhole = patterns.contains(">")
    if after == nil {
      seen.insert(.goneUnknown)
      sayGone(to: connection)
    }
    let start = after.map { keeps(.afterIsExclusive) ? $0 : $0 - 1 } ?? 0
    let later = keptEvents.filter { ($0.seq ?? 0) > start }
    let wanted = later.filter { isWanted($0.topic, patterns) }
    let mine = keeps(.goneIsOfItsTopics) ? wanted : later
    if !isWhole, after != nil, mine.contains(where: \.isGone) || forgottenUpTo > start, keeps(.goneIsTold) {
      seen.insert(.goneInPart)
      sayGone(("at_most", nil), to: connection)
    }
    var (position, isTold) = (start, after == nil)
    for event in wanted where !event.isGone {
      let gap = (event.seq ?? 0) - position - 1
      if isWhole, gap > 0, !isTold, keeps(.goneIsTold) {
        seen.insert(.goneWhole)
        sayGone(("count", gap), to: connection)
      }
      (position, isTold) = (event.seq ?? 0, false)
      seen.insert(.gaveEvent)
      say(event.line(isRetained: false), to: connection, isEvent: true)
    }
    if isWhole, lastSeq > position, !isTold, keeps(.goneIsTold) {
      sayGone(("count", lastSeq - position), to: connection)
    }
  }

  /// Without a number it is anybody's guess.
  private mutating func sayGone(_ member: (name: String, number: Int?)? = nil, to connection: Int) {
    var line = Line("missed")
    if let member { line.add(member.name, json: member.number.map(String.init) ?? Line.anyNumber) }
    line.add("gone", ifTrue: true)
    say(line, to: connection, isEvent: true)
  }
}
