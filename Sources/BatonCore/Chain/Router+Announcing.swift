/// The server's own broadcasts, on topics that begin with `$baton` (contract, section 7).
///
/// What there is to tell is noted where it happens and published once the line, the timer or the end of a connection
/// that brought it about has been dealt with: so nobody is written to in the middle of something.
extension Router {
  /// Whether somebody listens. Nearly always nobody does: then nothing is built.
  mutating func hears(_ topic: Announcement.Topic) -> Bool {
    guard serverPatterns > 0 else { return false }
    let name = OwnedBytes(topic.rawValue)
    found.removeAll(keepingCapacity: found.capacity <= 1 << 16)
    subjects.match(name.bytes, under: subscriptionRoot, into: &found)
    extendLifetime(name)
    return !found.isEmpty
  }

  /// Publishes what was noted. A hole that this makes in somebody's events is noted in turn; one hole, one note.
  @inline(__always)
  mutating func publishAnnouncements(at now: Instant) {
    if !announcements.isEmpty { publishNoted(at: now) }
  }

  @inline(never)
  private mutating func publishNoted(at now: Instant) {
    while !announcements.isEmpty {
      var noted: [Announcement] = []
      swap(&noted, &announcements)
      for announcement in noted {
        let topic = OwnedBytes(announcement.topic.rawValue)
        let payload = OwnedBytes(announcement.payload)
        let from = OwnedBytes("\"$baton\"")
        let event = Event(topic: topic.bytes, payload: payload.bytes, meta: .empty, from: from.bytes)
        _ = publish(event, except: .nobody, at: now)
        extendLifetime(topic)
        extendLifetime(payload)
        extendLifetime(from)
      }
    }
  }

  /// Somebody's patterns for the server's own topics have changed.
  mutating func serverPatternsChanged(by difference: Int) {
    serverPatterns += difference
    isWatched = hears(.trace)
  }

  // MARK: Links

  /// A connection has begun to serve a link.
  mutating func announceInserted(_ link: UInt32, by connection: UInt32) {
    guard hears(.linkInserted) else { return }
    let count = links[link].mounted == .nobody ? ",\"connections\":\(serving(link).connections)" : ""
    announce(.linkInserted, place(of: link) + version(of: link) + by(connection) + count)
  }

  /// A connection serves a link no longer, or a link has ended. `cause` is told where nobody meant it.
  mutating func announceRemoved(_ link: UInt32, by connection: UInt32?, _ cause: Cause? = nil) {
    guard hears(.linkRemoved) else { return }
    let count = links[link].mounted == .nobody ? ",\"connections\":\(serving(link).connections)" : ""
    announce(
      .linkRemoved,
      place(of: link) + version(of: link) + (connection.map { by($0) } ?? "") + count
        + (cause.map { ",\"cause\":\"\($0.spelling)\"" } ?? ""))
  }

  /// A link has another owner, and perhaps another name than `old`.
  mutating func announceReplaced(_ link: UInt32, named old: String, by connection: UInt32) {
    guard hears(.linkReplaced) else { return }
    let new = links[link].name.string
    announce(
      .linkReplaced,
      "\"chain\":\"\(chains[links[link].chain].name.string)\",\"handler\":\"\(old)\""
        + (new == old ? "" : ",\"as\":\"\(new)\"") + version(of: link) + by(connection))
  }

  /// The last connection of a link is gone, and its place is kept.
  mutating func announceHeld(_ link: UInt32, by connection: UInt32) {
    guard hears(.linkHeld) else { return }
    let hold = links[link].settings.holdMilliseconds
    announce(.linkHeld, place(of: link) + version(of: link) + by(connection) + ",\"hold_ms\":\(hold)")
  }

  /// A connection's breaker has opened or closed.
  mutating func announceBreaker(of replica: UInt32, isOpen: Bool) {
    guard !replicas[replica].isDetached, hears(.linkBreaker) else { return }
    announce(
      .linkBreaker,
      replicas[replica].label.bytes.string + version(of: replicas[replica].link.index)
        + by(replicas[replica].connection) + ",\"state\":\"\(isOpen ? "open" : "closed")\"")
  }

  // MARK: Messages

  /// A walk ends: unhandled and late ones are told, and every one that is watched.
  mutating func announceEnd(of walk: UInt32, _ outcome: Outcome, by: UnsafeRawBufferPointer, at now: Instant) {
    switch outcome.status {
    case .unhandled: if hears(.messageUnhandled) { announceMessage(walk, .messageUnhandled, by: .empty) }
    case .timeout: if hears(.messageTimeout) { announceMessage(walk, .messageTimeout, by: by) }
    default: break
    }
    guard isWatched, walks[walk].trace != .nobody else { return }
    let trace = walks[walk].trace
    let key = walks[walk].message.key
    var rest = OwnedBytes(count: traces[trace].bound)
    if let base = rest.mutable.baseAddress {
      var writer = LineWriter(at: base)
      traces[trace].write(to: &writer)
      rest.shorten(to: writer.cursor - base)
    }
    announce(
      .trace,
      about(walk) + (key.isEmpty ? "" : ",\"key\":\(key.string)") + ",\"status\":\"\(outcome.status.spelling)\""
        + Router.member("by", by) + ",\"hops\":\(walks[walk].hops)" + (walks[walk].wasRepeated ? ",\"again\":true" : "")
        + ",\"total_us\":\(now.microseconds - traces[trace].began.microseconds)" + rest.string)
  }

  private mutating func announceMessage(_ walk: UInt32, _ topic: Announcement.Topic, by: UnsafeRawBufferPointer) {
    announce(topic, about(walk) + Router.member("by", by) + ",\"hops\":\(walks[walk].hops)")
  }

  /// A message has ended before it began to walk: its chain is not there.
  mutating func announceEndOfLine(_ status: Outcome.Status, from connection: UInt32) {
    let chain = reader.has(.via) ? reader.text(.via).string : chainNameOfLine().string
    let about = Router.about(
      walkNumber, chain, topic: OwnedBytes(quoting: reader.text(.topic)).string,
      from: connections[connection].from.string)
    if status == .unhandled, hears(.messageUnhandled) { announce(.messageUnhandled, about + ",\"hops\":0") }
    if isWatched {
      let key = reader.has(.key) ? ",\"key\":" + OwnedBytes(quoting: reader.text(.key)).string : ""
      announce(.trace, about + key + ",\"status\":\"\(status.spelling)\",\"hops\":0,\"total_us\":0,\"trace\":[]")
    }
  }

  private mutating func about(_ walk: UInt32) -> String {
    let chain = walks[walk].outer.first?.chain ?? walks[walk].place.chain
    return Router.about(
      walks[walk].number, chains[chain].name.string, topic: walks[walk].message.topicText.string,
      from: walks[walk].message.from.string)
  }

  /// What every broadcast about a message begins with; `topic` and `from` are JSON strings.
  private static func about(_ number: Int, _ chain: String, topic: String, from: String) -> String {
    "\"walk\":\(number),\"chain\":\"\(chain)\",\"topic\":\(topic),\"from\":\(from)"
  }

  // MARK: Subscribers

  /// A subscriber begins to miss events.
  mutating func announceMissed(by connection: UInt32) {
    guard serverPatterns > 0 else { return }
    announce(.subscriberMissed, "\"by\":\(connections[connection].from.string)")
  }

  // MARK: Members

  private mutating func announce(_ topic: Announcement.Topic, _ members: String) {
    announcements.append(Announcement(topic: topic, payload: "{\(members)}"))
  }

  private mutating func version(of link: UInt32) -> String {
    ",\"version\":\(chains[links[link].chain].version)"
  }

  private mutating func by(_ connection: UInt32) -> String { Router.member("by", connections[connection].from.bytes) }

  private static func member(_ name: String, _ value: UnsafeRawBufferPointer) -> String {
    value.isEmpty ? "" : ",\"\(name)\":\(value.string)"
  }
}
