/// Keeps events for those who were away, and values for those who come later (contract, section 14).
extension Router {
  /// Gives the event a number, if events of its topic are kept. Returns 0 if they are not.
  @inline(__always)
  mutating func numberEvent(_ event: Event) -> Int {
    keptEvents.rules.isEmpty ? 0 : numberKeptEvent(event)
  }

  @inline(never)
  private mutating func numberKeptEvent(_ event: Event) -> Int {
    spent &+= Cost.look &* (1 &+ keptEvents.rules.count / 8)
    guard let topic = keptEvents.topic(event.topic) else { return 0 }
    return keptEvents.takeNumber(for: topic, hasRoom: !storing.lacksRoom)
  }

  /// Keeps the event that has got this number. It counts for the identity.
  mutating func keepEvent(_ event: Event, seq: Int, by identity: Slot<Identity>, at now: Instant) {
    guard seq > 0, let topic = keptEvents.topic(event.topic) else { return }
    spent &+= Cost.list &+ Cost.copying(event.payload.count &+ event.meta.count)
    let drops = keptEvents.drops
    let isMoreLeft = keptEvents.keep(
      event, of: topic, seq: seq, by: ownerName(identity), mostBytes: settings.maxHistoryBytes, at: now)
    spent &+= Cost.look &* (keptEvents.drops &- drops)
    if isMoreLeft { forgetLater() }
  }

  /// Throws if there is no room for the value that the request wants to be kept.
  mutating func checkRetained(of connection: Slot<Connection>) throws(Fault) {
    let topic = request.text(.topic)
    let old = retained.find(topic)
    guard hasRetainedPayload else { return }
    if storing.lacksRoom { throw Fault(.storeFull, Router.noRoom(.freeBytes)) }
    if old == nil, retained.count >= settings.maxRetainedTopics {
      throw Fault(
        .limitReached,
        "\(retained.count) topics have a value that stays, and no more are allowed (max_retained_topics); take one away "
          + "with \"retain\":true and no payload")
    }
    let text =
      topic.count + request.raw(.payload).count + request.raw(.meta).count + connections[connection].from.bytes.count
    let bytes = RetainedValue.bytes(text)
    let more = bytes - (old.map { retained[$0].bytes } ?? 0)
    if more > 0, retained.bytes + more > settings.maxRetainedBytes {
      throw Fault(
        .limitReached,
        "it would take \(more) bytes more: all retained values take \(retained.bytes), and \(settings.maxRetainedBytes) are "
          + "allowed (max_retained_bytes); take one away with \"retain\":true and no payload")
    }
    if storing.values.bytes > settings.maxRetainedBytes, storing.values.find(topic) == nil {
      throw Fault(
        .limitReached,
        "the values of \(storing.values.count) topics wait to be written to disk, and no more are allowed "
          + "(max_retained_bytes); try again later")
    }
    try checkShareOfRetained(of: connections[connection].identity, bytes: bytes, insteadOf: old)
  }

  /// An identity may have as many times what is free of topics and bytes as the contract says (section 10,
  /// `share_of_free`). What another one has set it needs anew, and that is free then.
  private mutating func checkShareOfRetained(
    of identity: Slot<Identity>, bytes: Int, insteadOf old: Slot<RetainedValue>?
  ) throws(Fault) {
    guard identity != .nobody else { return }
    let own = retained.part(of: identities[identity].name)
    var more = RetainedValues.Part(topics: 1, bytes: bytes)
    var free = RetainedValues.Part(
      topics: settings.maxRetainedTopics - retained.count, bytes: settings.maxRetainedBytes - retained.bytes)
    if let old, retained.ownerName(of: old) == identities[identity].name {
      more = RetainedValues.Part(topics: 0, bytes: bytes - retained[old].bytes)
    } else if let old {
      free = RetainedValues.Part(topics: free.topics + 1, bytes: free.bytes + retained[old].bytes)
    }
    try checkShareOfRetained("topics", "max_retained_topics", has: own.topics, more: more.topics, free: free.topics)
    try checkShareOfRetained("bytes", "max_retained_bytes", has: own.bytes, more: more.bytes, free: free.bytes)
  }

  private mutating func checkShareOfRetained(
    _ what: StaticString, _ setting: StaticString, has: Int, more: Int, free: Int
  ) throws(Fault) {
    guard more > 0, has + more > share(ofFree: free - more + 1) else { return }
    throw Fault(
      .limitReached,
      "the retained values of your identity take \(has) \(what) (\(setting)), and \(max(0, free)) more are free; it may "
        + "have at most \(settings.shareOfFree) times as many as are free (share_of_free); take one away")
  }

  private var hasRetainedPayload: Bool {
    mutating get { request.has(.payload) && !Router.isNull(request.raw(.payload)) }
  }

  /// Whether a JSON value is `null`: no other one has four bytes and begins like it.
  private static func isNull(_ value: UnsafeRawBufferPointer) -> Bool {
    value.count == 4 && value.first == UInt8(ascii: "n")
  }

  /// Keeps the payload of the event as the value of its topic, or takes the value away.
  mutating func retain(_ event: Event, seq: Int, by identity: Slot<Identity>, at now: Instant) {
    spent &+= Cost.list &+ Cost.copying(event.payload.count &+ event.meta.count)
    let old = retained.find(event.topic)
    if let old { retained.remove(old) }
    let isKept = event.payload.count > 0 && !Router.isNull(event.payload)
    if storing.isOn, isKept || old != nil { storing.values.note(event.topic) }
    if isKept { retained.retain(event, seq: seq, for: ownerName(identity), at: now) }
  }

  /// The name under which what an identity has published counts; empty for nobody's.
  private mutating func ownerName(_ identity: Slot<Identity>) -> String {
    identity == .nobody ? "" : identities[identity].name
  }
}
