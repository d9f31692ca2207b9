/// The server's own broadcasts, on topics that begin with `$baton` (contract, section 7): they are noted here, where
/// something happens. `Router+Publishing` publishes them once the line, the timer or the end of a connection that brought
/// them about has been dealt with, so that nobody is written to in the middle of something.
extension Router {
  /// A connection has begun to serve a link.
  mutating func announceInserted(_ link: Slot<Link>, by connection: Slot<Connection>) {
    guard announcements.isHeard(.linkInserted) else { return }
    let count = links[link].mounted == .nobody ? ",\"connections\":\(links[link].connections)" : ""
    announce(.linkInserted, placeText(of: link) + version(of: link) + by(connection) + count)
  }

  /// A connection serves a link no longer, or a link has ended. `cause` is told where nobody meant it.
  mutating func announceRemoved(_ link: Slot<Link>, by connection: Slot<Connection>?, _ cause: Cause? = nil) {
    guard announcements.isHeard(.linkRemoved) else { return }
    let count = links[link].mounted == .nobody ? ",\"connections\":\(links[link].connections)" : ""
    announce(
      .linkRemoved,
      placeText(of: link) + version(of: link) + (connection.map { by($0) } ?? "") + count
        + (cause.map { ",\"cause\":\"\($0.spelling)\"" } ?? ""))
  }

  /// A link has another owner, and perhaps another name than `old`.
  mutating func announceReplaced(_ link: Slot<Link>, named old: String, by connection: Slot<Connection>) {
    guard announcements.isHeard(.linkReplaced) else { return }
    let new = links[link].name.string
    announce(
      .linkReplaced,
      "\"chain\":\"\(chains[links[link].chain].name.string)\",\"handler\":\"\(old)\""
        + (new == old ? "" : ",\"as\":\"\(new)\"") + version(of: link) + by(connection))
  }

  /// The last connection of a link is gone, and its place is kept.
  mutating func announceHeld(_ link: Slot<Link>, by connection: Slot<Connection>) {
    guard announcements.isHeard(.linkHeld) else { return }
    let hold = links[link].settings.holdMilliseconds
    announce(.linkHeld, placeText(of: link) + version(of: link) + by(connection) + ",\"hold_ms\":\(hold)")
  }

  /// A connection's breaker has opened or closed.
  mutating func announceBreaker(of replica: Slot<Replica>, isOpen: Bool) {
    guard !replicas[replica].isDetached, announcements.isHeard(.linkBreaker) else { return }
    announce(
      .linkBreaker,
      replicas[replica].label.bytes.string + version(of: replicas[replica].link.slot)
        + by(replicas[replica].connection) + ",\"state\":\"\(isOpen ? "open" : "closed")\"")
  }

  /// A walk ends: unhandled and late ones are told, and every one that is watched.
  mutating func announceEnd(of walk: Slot<Walk>, _ outcome: Outcome, by: UnsafeRawBufferPointer, at now: Instant) {
    switch outcome.status {
    case .unhandled:
      if announcements.isHeard(.messageUnhandled) { announceMessage(walk, .messageUnhandled, by: .empty) }
    case .timeout: if announcements.isHeard(.messageTimeout) { announceMessage(walk, .messageTimeout, by: by) }
    default: break
    }
    guard announcements.isHeard(.trace), walks[walk].trace != .nobody else { return }
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

  private mutating func announceMessage(_ walk: Slot<Walk>, _ topic: Announcement.Topic, by: UnsafeRawBufferPointer) {
    announce(topic, about(walk) + Router.member("by", by) + ",\"hops\":\(walks[walk].hops)")
  }

  /// A message has ended before it began to walk: its chain is not there.
  mutating func announceEndOfLine(_ status: Outcome.Status, from connection: Slot<Connection>) {
    let chain = request.has(.via) ? request.text(.via).string : request.chainName().string
    let about = Router.aboutMessage(
      walkNumber, chain, topic: OwnedBytes(quoting: request.text(.topic)).string,
      from: connections[connection].from.string)
    if status == .unhandled, announcements.isHeard(.messageUnhandled) {
      announce(.messageUnhandled, about + ",\"hops\":0")
    }
    if announcements.isHeard(.trace) {
      let key = request.has(.key) ? ",\"key\":" + OwnedBytes(quoting: request.text(.key)).string : ""
      announce(.trace, about + key + ",\"status\":\"\(status.spelling)\",\"hops\":0,\"total_us\":0,\"trace\":[]")
    }
  }

  private mutating func about(_ walk: Slot<Walk>) -> String {
    let chain = walks[walk].outer.first?.chain ?? walks[walk].place.chain
    return Router.aboutMessage(
      walks[walk].number, chains[chain].name.string, topic: walks[walk].message.topicText.string,
      from: walks[walk].message.from.string)
  }

  /// What every broadcast about a message begins with; `topic` and `from` are JSON strings.
  private static func aboutMessage(_ number: Int, _ chain: String, topic: String, from: String) -> String {
    "\"walk\":\(number),\"chain\":\"\(chain)\",\"topic\":\(topic),\"from\":\(from)"
  }

  /// A subscriber begins to miss events.
  mutating func announceMissed(by connection: Slot<Connection>) {
    guard announcements.isHeard(.subscriberMissed) else { return }
    announce(.subscriberMissed, "\"by\":\(connections[connection].from.string)")
  }

  private mutating func announce(_ topic: Announcement.Topic, _ members: String) {
    announcements.note(Announcement(topic: topic, payload: "{\(members)}"))
  }

  private mutating func version(of link: Slot<Link>) -> String {
    ",\"version\":\(chains[links[link].chain].version)"
  }

  private mutating func by(_ connection: Slot<Connection>) -> String {
    Router.member("by", connections[connection].from.bytes)
  }

  private static func member(_ name: String, _ value: UnsafeRawBufferPointer) -> String {
    value.isEmpty ? "" : ",\"\(name)\":\(value.string)"
  }
}
