/// The server's own broadcasts, on topics that begin with `$baton` (contract, section 7). They are noted here, at the
/// time of the event. `publishAnnouncements` publishes them after the line, the timer or the end of a connection has
/// been dealt with. So nothing is written to a subscriber in the middle of another change.
extension Router {
  /// A connection has begun to serve a link, or a chain was mounted.
  mutating func announceInserted(_ link: Slot<Link>, by connection: Slot<Connection>, at now: Instant) {
    if links[link].mounted == .nobody {
      journalLink(.serves, link, by: connection, .number("connections", links[link].connections))
    } else {
      journalLink(.mounts, link, by: connection)
    }
    noteChange("inserted", of: link, placeText(of: link) + version(of: link) + by(connection), at: now)
    guard announcements.isHeard(.linkInserted) else { return }
    let count = links[link].mounted == .nobody ? ",\"connections\":\(links[link].connections)" : ""
    announce(.linkInserted, about: link, placeText(of: link) + version(of: link) + by(connection) + count)
  }

  /// A connection no longer serves a link, or a link has ended. `cause` is given if a lost connection is the reason.
  mutating func announceRemoved(
    _ link: Slot<Link>, by connection: Slot<Connection>?, _ cause: Cause? = nil, at now: Instant
  ) {
    noteChange(
      cause == nil ? "removed" : "lost", of: link,
      placeText(of: link) + version(of: link) + (connection.map { by($0) } ?? ""),
      at: now)
    journalLink(.leaves, link, by: connection, .number("connections", links[link].connections))
    guard announcements.isHeard(.linkRemoved) else { return }
    let count = links[link].mounted == .nobody ? ",\"connections\":\(links[link].connections)" : ""
    announce(
      .linkRemoved, about: link,
      placeText(of: link) + version(of: link) + (connection.map { by($0) } ?? "") + count
        + (cause.map { ",\"cause\":\"\($0.spelling)\"" } ?? ""))
  }

  /// A link has a new owner, and perhaps a new name instead of `old`.
  mutating func announceReplaced(
    _ link: Slot<Link>, named old: String, by connection: Slot<Connection>, at now: Instant
  ) {
    journalLink(.replaces, link, by: connection)
    let new = links[link].name.string
    let members =
      "\"chain\":\"\(chains[links[link].chain].name.string)\",\"handler\":\"\(old)\""
      + (new == old ? "" : ",\"as\":\"\(new)\"") + version(of: link) + by(connection)
    noteChange("replaced", of: link, members, at: now)
    if announcements.isHeard(.linkReplaced) { announce(.linkReplaced, about: link, members) }
  }

  /// A link was moved by a peer.
  mutating func announceMoved(_ link: Slot<Link>, by connection: Slot<Connection>, at now: Instant) {
    journalLink(.moves, link, by: connection, .text("rank", "\(links[link].rank)"))
    let members = placeText(of: link) + version(of: link) + by(connection)
    noteChange("moved", of: link, members, at: now)
    if announcements.isHeard(.linkMoved) { announce(.linkMoved, about: link, members) }
  }

  /// A link has ended because the configuration file says so.
  mutating func announceUndeclared(_ link: Slot<Link>, at now: Instant) {
    journalLink(.leaves, link, by: nil, .text("by", "reload"))
    let members = placeText(of: link) + version(of: link) + ",\"by\":\"reload\""
    noteChange("removed", of: link, members, at: now)
    guard announcements.isHeard(.linkRemoved) else { return }
    announce(.linkRemoved, about: link, members + (links[link].mounted == .nobody ? ",\"connections\":0" : ""))
  }

  /// The last connection of a link is gone, and the link's place is kept. `isLost` says that it has ended, and was
  /// not removed.
  mutating func announceHeld(_ link: Slot<Link>, by connection: Slot<Connection>, isLost: Bool, at now: Instant) {
    noteChange(
      isLost ? "lost" : "removed", of: link, placeText(of: link) + version(of: link) + by(connection), at: now)
    let hold = links[link].settings.holdMilliseconds
    journalLink(.holds, link, by: connection, hold > 0 ? .number("hold_ms", hold) : nil)
    guard announcements.isHeard(.linkHeld) else { return }
    announce(.linkHeld, about: link, placeText(of: link) + version(of: link) + by(connection) + ",\"hold_ms\":\(hold)")
  }

  /// A peer asked for something to which it has no right.
  mutating func noteDenied(_ right: String, to connection: Slot<Connection>, at now: Instant) {
    let identity = connections[connection].identity
    guard identity != .nobody else { return }
    let (name, right) = (identities[identity].name, right.tokenSafe)
    guard let count = denials.count(right, of: name, at: now) else { return }
    journalDenied(right, count: count, to: connection)
    guard announcements.isHeard(.accessDenied) else { return }
    announce(
      .accessDenied, for: Router.audience(of: right),
      "\"identity\":\"\(name)\",\"right\":\(Router.quoted(right)),\"count\":\(count)")
  }

  /// Who may hear of a right: those who may see the chain that it names. One that cannot be read may name any.
  private static func audience(of right: String) -> Announcement.Audience {
    guard let right = try? Right(parsing: right) else { return .seeingAll }
    return right.chain.map { .seeing($0.spelling) } ?? .everybody
  }

  /// A text as a JSON string.
  static func quoted(_ text: String) -> String {
    let bytes = OwnedBytes(text)
    defer { extendLifetime(bytes) }
    return OwnedBytes(quoting: bytes.bytes).string
  }

  /// Texts as a JSON array of strings.
  static func quoted(_ texts: [String]) -> String { "[\(texts.map { quoted($0) }.joined(separator: ","))]" }

  /// The breaker of a connection has opened or closed.
  mutating func announceBreaker(of replica: Slot<Replica>, isOpen: Bool) {
    guard !replicas[replica].isDetached else { return }
    journalLink(
      isOpen ? .breakerOpens : .breakerCloses, replicas[replica].link.slot, by: replicas[replica].connection,
      isOpen ? .number("timeouts", settings.breakerOffers) : nil)
    guard announcements.isHeard(.linkBreaker) else { return }
    announce(
      .linkBreaker, about: replicas[replica].link.slot,
      replicas[replica].label.bytes.string + version(of: replicas[replica].link.slot)
        + by(replicas[replica].connection) + ",\"state\":\"\(isOpen ? "open" : "closed")\"")
  }

  /// A walk ends. Unhandled messages and messages that timed out are announced.
  mutating func announceEnd(of walk: Slot<Walk>, _ outcome: Outcome, by: UnsafeRawBufferPointer, at now: Instant) {
    switch outcome.status {
    case .unhandled:
      if announcements.isHeard(.messageUnhandled) {
        announceMessage(walk, .messageUnhandled, by: .empty, for: seeing(chainSentTo(by: walk)))
      }
    case .timeout:
      if announcements.isHeard(.messageTimeout) {
        announceMessage(walk, .messageTimeout, by: by, for: seeingAllLinks(of: walk))
      }
    default: break
    }
  }

  /// The trace of a walk that ends is announced.
  mutating func announceTrace(
    of walk: Slot<Walk>, _ outcome: Outcome, by: UnsafeRawBufferPointer, _ facts: TraceFacts,
    for audience: Announcement.Audience
  ) {
    let trace = walks[walk].trace
    let key = walks[walk].message.key
    var rest = OwnedBytes(count: traces[trace].bound)
    if let base = rest.mutable.baseAddress {
      var writer = LineWriter(at: base, room: rest.count)
      traces[trace].write(to: &writer)
      rest.shorten(to: writer.cursor - base)
    }
    announce(
      .trace, for: audience,
      about(walk) + (key.isEmpty ? "" : ",\"key\":\(key.string)") + Router.withinMember(Int(walks[walk].within))
        + ",\"status\":\"\(outcome.status.spelling)\""
        + Router.member("by", by) + ",\"hops\":\(walks[walk].hops)" + (walks[walk].wasRepeated ? ",\"again\":true" : "")
        + ",\"total_us\":\(facts.microseconds)" + spanMembers(of: walk) + rest.string,
      facts)
  }

  private mutating func announceMessage(
    _ walk: Slot<Walk>, _ topic: Announcement.Topic, by: UnsafeRawBufferPointer, for audience: Announcement.Audience
  ) {
    announce(topic, for: audience, about(walk) + Router.member("by", by) + ",\"hops\":\(walks[walk].hops)")
  }

  /// A message ended before its walk began, because there is no such chain.
  mutating func announceEndOfLine(_ status: Outcome.Status, from connection: Slot<Connection>) {
    if status == .unhandled, announcements.isHeard(.messageUnhandled) {
      let chain = request.has(.via) ? request.text(.via).string : request.chainName().string
      announce(.messageUnhandled, for: .seeing(chain), aboutLine(chain, from: connection) + ",\"hops\":0")
    }
  }

  /// The trace of such a message is announced.
  mutating func announceTraceOfLine(
    _ status: Outcome.Status, _ chain: String, from connection: Slot<Connection>, _ facts: TraceFacts
  ) {
    let key = request.has(.key) ? ",\"key\":" + OwnedBytes(quoting: request.text(.key)).string : ""
    announce(
      .trace, for: .seeing(chain),
      aboutLine(chain, from: connection) + key + Router.withinMember(request.integer(.within) ?? 0)
        + ",\"status\":\"\(status.spelling)\",\"hops\":0,\"total_us\":0,\"trace\":[]", facts)
  }

  private static func withinMember(_ within: Int) -> String { within > 0 ? ",\"within\":\(within)" : "" }

  private mutating func aboutLine(_ chain: String, from connection: Slot<Connection>) -> String {
    Router.aboutMessage(
      walkNumber, chain, topic: OwnedBytes(quoting: request.text(.topic)).string,
      from: connections[connection].from.string)
  }

  private mutating func about(_ walk: Slot<Walk>) -> String {
    Router.aboutMessage(
      walks[walk].number, chains[chainSentTo(by: walk)].name.string, topic: walks[walk].message.topicText.string,
      from: walks[walk].message.from.string)
  }

  /// The chain to which the message was sent.
  mutating func chainSentTo(by walk: Slot<Walk>) -> Slot<Chain> {
    walks[walk].outer.first?.chain ?? walks[walk].place.chain
  }

  /// The beginning of each broadcast about a message. `topic` and `from` are JSON strings.
  private static func aboutMessage(_ number: Int, _ chain: String, topic: String, from: String) -> String {
    "\"walk\":\(number),\"chain\":\"\(chain)\",\"topic\":\(topic),\"from\":\(from)"
  }

  /// A connection begins to miss events.
  mutating func announceMissed(by connection: Slot<Connection>) {
    guard announcements.isHeard(.subscriberMissed) else { return }
    announce(.subscriberMissed, for: .everybody, "\"by\":\(connections[connection].from.string)")
  }

  mutating func announce(
    _ topic: Announcement.Topic, for audience: Announcement.Audience, _ members: String, _ trace: TraceFacts? = nil
  ) {
    announcements.note(Announcement(topic: topic, payload: "{\(members)}", audience: audience, trace: trace))
  }

  private mutating func announce(_ topic: Announcement.Topic, about link: Slot<Link>, _ members: String) {
    announce(topic, for: seeing(links[link].chain), members)
  }

  private mutating func seeing(_ chain: Slot<Chain>) -> Announcement.Audience { .seeing(chains[chain].name.string) }

  /// Who may see all links that the message has come to. Behind a mount these are links of several chains.
  mutating func seeingAllLinks(of walk: Slot<Walk>) -> Announcement.Audience {
    walks[walk].hasGoneThroughMounts ? .seeingAll : seeing(chainSentTo(by: walk))
  }

  private mutating func version(of link: Slot<Link>) -> String {
    ",\"version\":\(chains[links[link].chain].version)"
  }

  /// A link has failed a message. `count` failures were not told yet, this one included.
  mutating func announceFailed(
    _ link: Slot<Link>, _ trouble: LinkTrouble, by connection: Slot<Connection>, count: Int
  ) {
    announce(
      .linkFailed, about: link,
      placeText(of: link) + version(of: link) + (connection == .nobody ? "" : by(connection))
        + ",\"cause\":\"\(trouble.cause.spelling)\"" + Router.member("message", trouble.message.bytes)
        + ",\"walk\":\(trouble.walk),\"count\":\(count)")
  }

  private mutating func by(_ connection: Slot<Connection>) -> String {
    Router.member("by", connections[connection].from.bytes)
  }

  private static func member(_ name: String, _ value: UnsafeRawBufferPointer) -> String {
    value.isEmpty ? "" : ",\"\(name)\":\(value.string)"
  }
}
