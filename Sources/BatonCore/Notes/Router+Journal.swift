/// What is noted for the server's log: who serves and leaves which link, failing links, breakers, slow subscribers, and
/// connections that the server ends. Nothing here is on the way of a message, except that a failure is counted.
extension Router {
  /// Links that one call looks at.
  private static let linksAtOnce = 64

  // MARK: Links

  /// A link has failed a message. The first failure is told at once, and those that follow once a minute.
  @inline(__always)
  mutating func journalFailure(of link: Slot<Link>, _ cause: Cause, at now: Instant) {
    links[link].untold.count &+= 1
    links[link].untold.cause = cause
    if links[link].untold.toldAt == nil { beginFailing(link, at: now) }
  }

  @inline(never)
  private mutating func beginFailing(_ link: Slot<Link>, at now: Instant) {
    guard journal.hasRoomForFailing else { return }
    tellFailures(of: link)
    links[link].untold.toldAt = now
    journal.toldFailing.append(ToldFailures(link: links.ref(link), at: now))
  }

  /// Something happened to a link, by a connection.
  mutating func journalLink(
    _ kind: JournalKind, _ link: Slot<Link>, by connection: Slot<Connection>?, _ last: JournalFact? = nil
  ) {
    let whose = connection.map { whoseDoing($0) } ?? Journal.Whose.anybody
    guard journal.counts(kind, of: whose) else { return }
    var facts = linkFacts(link)
    let peer = connection.map { journalPeer($0) }
    if let peer { facts += peer.facts }
    if let last { facts.append(last) }
    let by = whose == .anybody ? nil : peer?.subject
    journal.tell(kind, of: whose, placeName(of: link) + (by.map { " by \($0)" } ?? ""), facts)
  }

  /// A link has left the tables: what was not told of its failures is told now.
  mutating func journalForgotten(_ link: Slot<Link>) {
    if links[link].untold.count > 0 { tellFailures(of: link) }
  }

  /// Tells the failures that no entry has told.
  private mutating func tellFailures(of link: Slot<Link>, at now: Instant? = nil) {
    let (count, cause) = (links[link].untold.count, links[link].untold.cause.spelling)
    let since = links[link].untold.toldAt
    let kind: JournalKind = since == nil ? .beginsToFail : .failsOn
    links[link].untold.count = 0
    guard journal.counts(kind, messages: count, since: since) else { return }
    var facts = linkFacts(link) + [.number("messages", count), .text("cause", "\(cause)")]
    if let since, let now { facts.append(.number("within_ms", max(0, now.milliseconds(since: since)))) }
    if let said = links[link].trouble?.message.unquoted, !said.isEmpty { facts.append(.text("said", said)) }
    journal.tell(kind, "\(placeName(of: link)) (\(count) × \(cause))", facts)
  }

  // MARK: Connections

  /// A subscriber begins to miss events.
  mutating func journalMisses(_ connection: Slot<Connection>, _ obstacle: EventObstacle, at now: Instant) {
    connections[connection].missingSince = now
    guard journal.counts(.missesEvents) else { return }
    journal.tell(
      .missesEvents, plainName(of: connection),
      connectionFacts(connection) + [unsentFact(connection)]
        + (obstacle.setting.utf8CodeUnitCount > 0 ? [.text("setting", "\(obstacle.setting)")] : []))
  }

  /// A subscriber is told what it has missed, or its connection ends before.
  mutating func journalMissed(_ connection: Slot<Connection>, at now: Instant) {
    let missed = connections[connection].listening.missed
    guard missed > 0, journal.counts(.missedEvents) else { return }
    var facts = connectionFacts(connection) + [.number("missed", missed)]
    if let since = connections[connection].missingSince {
      facts.append(.number("within_ms", max(0, now.milliseconds(since: since))))
    }
    connections[connection].missingSince = nil
    journal.tell(.missedEvents, "\(plainName(of: connection)) (\(missed))", facts)
  }

  /// The server ends a connection. `setting` is what decides it, or empty. Ends in good order are no news.
  mutating func journalClosing(
    _ connection: Slot<Connection>, _ reason: CloseReason, _ setting: StaticString, at now: Instant
  ) {
    switch reason {
    // The server logs what is refused for want of room by itself.
    case .finished, .draining, .tooManyConnections, .notLeading: return
    default: break
    }
    let whose = reason == .authFailed ? address(connection) : whoseDoing(connection)
    guard journal.counts(.closes(reason), of: whose) else { return }
    let peer = journalPeer(connection)
    var facts = [.number("connection", connections[connection].number)] + peer.facts
    if reason == .tooSlow {
      facts.append(unsentFact(connection))
      if connections[connection].pauses.contains(.unsent) {
        let unread = now.milliseconds(since: connections[connection].lastTaken)
        facts.append(.number("unread_ms", max(0, unread)))
      }
    }
    if setting.utf8CodeUnitCount > 0 { facts.append(.text("setting", "\(setting)")) }
    journal.tell(.closes(reason), of: whose, peer.subject, facts)
  }

  // MARK: Peers

  /// A peer was refused something, `count` times since this was told last.
  mutating func journalDenied(_ right: String, count: Int, to connection: Slot<Connection>) {
    let whose = whoseDoing(connection)
    guard journal.counts(.denied, of: whose) else { return }
    let peer = journalPeer(connection)
    journal.tell(
      .denied, of: whose, "\(peer.subject) (\(right))",
      peer.facts + [.text("right", right), .number("count", count)])
  }

  /// The token of an identity came where everybody on its way may have read it.
  mutating func journalExposed(_ identity: Slot<Identity>, by connection: Slot<Connection>) {
    let name = identities[identity].name
    guard journal.counts(.exposesToken, of: .identity(name)) else { return }
    let peer = journalPeer(connection)
    journal.tell(.exposesToken, of: .identity(name), peer.subject, [.text("identity", name)] + peer.facts)
  }

  /// A peer asks the server to read its file anew.
  mutating func journalReload(by connection: Slot<Connection>) {
    let whose = whoseDoing(connection)
    guard journal.counts(.asksToReload, of: whose) else { return }
    let peer = journalPeer(connection)
    journal.tell(.asksToReload, of: whose, peer.subject, peer.facts)
  }

  /// A peer closes the connection of another, or its own.
  mutating func journalClose(of other: Slot<Connection>, by connection: Slot<Connection>) {
    let whose = whoseDoing(connection)
    guard journal.counts(.closesAnother, of: whose) else { return }
    let (peer, name) = (journalPeer(connection), plainName(of: other))
    journal.tell(
      .closesAnother, of: whose, "\(name) by \(peer.subject)",
      peer.facts + [.number("connection", connections[other].number), .text("closed", name)])
  }

  // MARK: Out

  /// Notes the failures that are due, and hands out the next entry.
  mutating func nextNoted(at now: Instant, isLast: Bool) -> JournalEntry? {
    tellFailing(at: now, isLast: isLast)
    journal.reopen(at: now, isLast: isLast)
    return journal.takeEntry(at: now)
  }

  /// Tells the failures of links whose minute is over.
  private mutating func tellFailing(at now: Instant, isLast: Bool) {
    var left = isLast ? Int.max : Router.linksAtOnce
    while left > 0, let told = journal.toldFailing.first, told.until <= now || isLast {
      left -= 1
      _ = journal.toldFailing.popFirst()
      guard links.contains(told.link) else { continue }
      let isFailing = links[told.link.slot].untold.count > 0
      if isFailing { tellFailures(of: told.link.slot, at: now) }
      links[told.link.slot].untold.toldAt = isFailing && !isLast ? now : nil
      if isFailing, !isLast { journal.toldFailing.append(ToldFailures(link: told.link, at: now)) }
    }
  }

  // MARK: Facts

  private mutating func linkFacts(_ link: Slot<Link>) -> [JournalFact] {
    [.text("chain", chains[links[link].chain].name.string), .text("handler", links[link].name.string)]
  }

  private mutating func connectionFacts(_ connection: Slot<Connection>) -> [JournalFact] {
    [.number("connection", connections[connection].number)] + journalPeer(connection).facts
  }

  private mutating func journalPeer(_ connection: Slot<Connection>) -> JournalPeer {
    let ref = connections.ref(connection)
    let id = ConnectionID(index: ref.slot.index, generation: ref.generation)
    return JournalPeer(name: plainName(of: connection), address: settings.process.address(id))
  }

  /// Those who have an identity are told apart by it.
  private mutating func whoseDoing(_ connection: Slot<Connection>) -> Journal.Whose {
    let identity = connections[connection].identity
    return identity == .nobody ? .anybody : .identity(identities[identity].name)
  }

  private mutating func address(_ connection: Slot<Connection>) -> Journal.Whose {
    connections[connection].credentials.map { .address($0.facts.address) } ?? .anybody
  }

  private mutating func unsentFact(_ connection: Slot<Connection>) -> JournalFact {
    .number("unsent", connections[connection].outbox.count)
  }

  mutating func placeName(of link: Slot<Link>) -> String {
    "\(chains[links[link].chain].name.string)/\(links[link].name.string)"
  }

  /// The connection's name as others see it, without quotes: names need no escapes (contract, section 3).
  mutating func plainName(of connection: Slot<Connection>) -> String {
    connections[connection].from.bytes.part(1, connections[connection].from.count - 1).string
  }
}
