/// Whose kept events go if they take too much (section 14).
extension Model {
  /// An event is not kept any more.
  mutating func drop(_ index: Int) {
    keptEvents[index].isGone = true
    let topic = keptEvents[index].topic
    if !keptEvents.contains(where: { $0.topic == topic && !$0.isGone }) { emptyTopics.append(topic) }
  }

  /// The identity whose events take most loses its oldest one, until there is room. Above an eighth, topics without
  /// events are forgotten before that.
  mutating func dropWhatIsTooMuch() {
    while let bytes = bytesOfKept(), bytes.values.reduce(bytesOfEmpty, +) > settings.maxHistoryBytes {
      if bytesOfEmpty > settings.maxHistoryBytes / 8 {
        forgetTopic()
        continue
      }
      let there = keptEvents.indices.filter { !keptEvents[$0].isGone }
      guard let most = bytes.values.max(),
        let oldest = there.first(where: { bytes[keptEvents[$0].owner] == most }), let first = there.first
      else { return forgetTopic() }
      seen.insert(.lackedRoom)
      if first < oldest { seen.insert(.sparedOlder) }
      let ofTopic = there.first { keptEvents[$0].topic == keptEvents[oldest].topic }
      drop(!keeps(.mostLosesFirst) ? first : keeps(.ownOldestGoes) ? oldest : ofTopic ?? oldest)
    }
  }

  private mutating func forgetTopic() {
    seen.insert(.topicForgotten)
    let topic = emptyTopics.removeFirst()
    forgottenUpTo = max(forgottenUpTo, keptEvents.last { $0.topic == topic }?.seq ?? 0)
  }

  /// What the events of each identity take. A topic counts for the identity of its oldest event.
  private func bytesOfKept() -> [String: Int]? {
    guard settings.maxHistoryBytes < 1 << 20 else { return nil }
    var bytes: [String: Int] = [:]
    var topics: Set<String> = []
    for event in keptEvents where !event.isGone {
      let texts = [event.payload ?? "", event.meta ?? "", "\"\(event.from)\""]
      bytes[event.owner, default: 0] += texts.reduce(256) { $0 + $1.utf8.count }
      if topics.insert(event.topic).inserted { bytes[event.owner, default: 0] += self.bytes(of: event.topic) }
    }
    return bytes
  }

  private var bytesOfEmpty: Int { emptyTopics.reduce(0) { $0 + bytes(of: $1) } }

  private func bytes(of topic: String) -> Int { keeps(.topicsTakeRoom) ? 256 + topic.utf8.count : 0 }
}
