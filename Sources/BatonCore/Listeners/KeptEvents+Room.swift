/// Whose events go if all take too much: those of the identity that has most (contract, section 14).
extension KeptEvents {
  /// Drops a few events while all take too much: the oldest ones of the owner whose events take most. What remembers
  /// topics without events goes before them, above an eighth of all. Returns true if all still take too much.
  mutating func trim(to mostBytes: Int) -> Bool {
    for _ in 0..<KeptEvents.dropsAtOnce where bytes > mostBytes {
      if emptyBytes > mostBytes / 8, forgetEmpty() { continue }
      if let owner = owners.heaviest {
        drop(owners[owner].first)
      } else if !forgetEmpty() {
        return false
      }
    }
    return bytes > mostBytes
  }

  /// Whether an event of somebody may be kept: while all take far too much, none is. Who has most is refused before others
  /// are, so that nobody fills the last of it alone. A topic that the event brings along does not count.
  func hasRoom(in topic: Slot<KeptTopic>, for name: String, mostBytes: Int) -> Bool {
    let taken = topics[topic].first == .nobody ? bytes - topics[topic].bytes : bytes
    guard taken > mostBytes + mostBytes / 16 else { return true }
    return taken <= mostBytes + mostBytes / 8 && owners.heaviest != owners.find(name)
  }

  /// For whom an event counts; empty for all who have no identity.
  func ownerName(of event: Slot<KeptEvent>) -> String { owners[events[event].owner].name }

  /// The latest event stands behind all of its topic, and behind all of its owner. A topic counts for the owner of its
  /// first event.
  mutating func link(_ event: Slot<KeptEvent>) {
    let (topic, owner) = (events[event].topic, events[event].owner)
    var more = events[event].bytes
    bytes += more
    let before = topics[topic].last
    events[event].ofTopic.previous = before
    if before == .nobody {
      topics[topic].first = event
      emptyBytes -= topics[topic].bytes
      more += topics[topic].bytes
      if topics[topic].node != .nobody { dropOrder.setWeight(topics[topic].node, to: 0) }
    } else {
      events[before].ofTopic.next = event
    }
    topics[topic].last = event
    topics[topic].count += 1
    let own = owners[owner].last
    events[event].ofOwner.previous = own
    if own == .nobody { owners[owner].first = event } else { events[own].ofOwner.next = event }
    owners[owner].last = event
    weigh(owner, more)
  }

  /// An event leaves its neighbours. If it was the first one of its topic, the next one's owner has the topic now.
  mutating func unlink(_ event: Slot<KeptEvent>) {
    let (topic, owner) = (events[event].topic, events[event].owner)
    let (ofTopic, ofOwner) = (events[event].ofTopic, events[event].ofOwner)
    var more = -events[event].bytes
    bytes += more
    let isFirst = ofTopic.previous == .nobody
    if isFirst { topics[topic].first = ofTopic.next } else { events[ofTopic.previous].ofTopic.next = ofTopic.next }
    if ofTopic.next == .nobody {
      topics[topic].last = ofTopic.previous
    } else {
      events[ofTopic.next].ofTopic.previous = ofTopic.previous
    }
    topics[topic].count -= 1
    if ofOwner.previous == .nobody {
      owners[owner].first = ofOwner.next
    } else {
      events[ofOwner.previous].ofOwner.next = ofOwner.next
    }
    if ofOwner.next == .nobody {
      owners[owner].last = ofOwner.previous
    } else {
      events[ofOwner.next].ofOwner.previous = ofOwner.previous
    }
    if isFirst { more -= topics[topic].bytes }
    weigh(owner, more)
    guard isFirst else { return }
    if ofTopic.next == .nobody {
      emptyBytes += topics[topic].bytes
    } else {
      weigh(events[ofTopic.next].owner, topics[topic].bytes)
    }
  }

  /// The first difference between what is counted for owners, and what their events and topics take; nil if there is
  /// none. For tests: it goes over all events.
  var difference: String? {
    var (counted, topicsSeen): ([String: Int], Set<UInt32>) = ([:], [])
    var seq = 0
    while let event = first(after: seq) {
      seq = events[event].seq
      let topic = events[event].topic
      if topicsSeen.insert(topic.index).inserted, topics[topic].first != event { return "\(seq) is not the first" }
      let isFirst = topics[topic].first == event
      counted[ownerName(of: event), default: 0] += events[event].bytes + (isFirst ? topics[topic].bytes : 0)
    }
    for (name, bytes) in counted.sorted(by: { $0.key < $1.key }) {
      let told = owners.find(name).map { owners[$0].bytes }
      if told != bytes { return "\(told ?? 0) bytes are counted for \(name), whose events take \(bytes)" }
    }
    let all = counted.values.reduce(emptyBytes, +)
    if counted.count != owners.count || all != bytes { return "\(bytes) bytes are counted, of \(all)" }
    let most = counted.values.max()
    return owners.heaviest.map { owners[$0].bytes } == most ? nil : "another owner has \(most ?? 0) bytes"
  }

  /// What an owner has takes so many bytes more, or fewer.
  private mutating func weigh(_ owner: Slot<KeptOwner>, _ more: Int) {
    let first = owners[owner].first
    if first == .nobody { owners.remove(owner) } else { owners.weigh(owner, more, oldest: events[first].seq) }
  }
}
