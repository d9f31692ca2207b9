/// Offers: whom they go to, and what they say (contract, section 5).
extension Router {
  /// The replica that the next offer goes to: of those whose window has room, whose connection keeps up and whose
  /// breaker lets it, the one with the fewest open offers; ties go in turn. A notice needs no room.
  mutating func nextReplica(of link: UInt32, at now: Instant, isForNotice: Bool = false) -> UInt32? {
    let first = links[link].firstReplica
    guard first != .nobody else { return nil }
    let isOnly = replicas[first].nextAtLink == .nobody
    if isOnly { return isForNotice || isFree(first, of: link, at: now) ? first : nil }
    var best = UInt32.nobody
    var replica = links[link].served
    if replica == .nobody { replica = links[link].lastReplica }
    let end = replica
    repeat {
      replica = replicas[replica].nextAtLink == .nobody ? first : replicas[replica].nextAtLink
      if isForNotice || isFree(replica, of: link, at: now),
        best == .nobody || replicas[replica].open < replicas[best].open
      {
        best = replica
      }
    } while replica != end
    guard best != .nobody else { return nil }
    links[link].served = best
    return best
  }

  @inline(__always)
  mutating func isFree(_ replica: UInt32, of link: UInt32, at now: Instant) -> Bool {
    replicas[replica].open < links[link].settings.window
      && connections[replicas[replica].connection].outbox.count <= settings.offersUnsentBytes
      && replicas[replica].breaker.lets(at: now)
  }

  /// Whether every connection of a link is left alone by its breaker.
  @inline(__always)
  mutating func isLeftAlone(_ link: UInt32, at now: Instant) -> Bool {
    var replica = links[link].firstReplica
    if replica == .nobody { return false }
    while replica != .nobody {
      if replicas[replica].breaker.lets(at: now) { return false }
      replica = replicas[replica].nextAtLink
    }
    return true
  }

  /// Offers to a link's handlers what waits for it, as far as there is room.
  mutating func offerWaiting(at link: UInt32, at now: Instant) {
    while links[link].firstWaiting != .nobody {
      let walk = links[link].firstWaiting
      // One whose time is over is its timer's, which fires in this turn; a repeat was offered in time before.
      guard !isOver(walk, at: now), walks[walk].due > now || walks[walk].isAgain,
        let replica = nextReplica(of: link, at: now)
      else { return }
      stopWaiting(walk, at: link)
      offer(walk, to: replica, at: now)
    }
  }

  mutating func offer(_ walk: UInt32, to replica: UInt32, at now: Instant) {
    let connection = replicas[replica].connection
    let own = links[walks[walk].link].settings.timeoutMilliseconds
    let end = own.map { now.advanced(milliseconds: $0) } ?? walks[walk].shareEnd
    let due = min(max(end, now.advanced(milliseconds: 1)), self.end(of: walk))
    let timeout = max(1, due.milliseconds(since: now))
    let offer = open(
      Offer(
        id: connections[connection].offers.nextID, connection: connection, replica: replica,
        subject: .walk(walks.ref(walk)), timeoutMilliseconds: timeout, isFull: timeout == own, made: now))
    replicas[replica].breaker.offered()
    walks[walk].offer = offer
    walks[walk].hops += 1
    walks[walk].due = max(due, now.advanced(milliseconds: 1))
    arm(walk)
    writeOffer(offer, of: walk, isShadow: false, at: now)
  }

  /// Puts an offer into the tables.
  @inline(__always)
  mutating func open(_ offer: Offer) -> UInt32 {
    let index = offers.insert(offer)
    connections[offer.connection].offers.append(index, in: &offers)
    replicas[offer.replica].open += 1
    return index
  }

  mutating func writeOffer(_ offer: UInt32, of walk: UInt32, isShadow: Bool, at now: Instant) {
    let connection = offers[offer].connection
    let replica = offers[offer].replica
    let bound = 256 + replicas[replica].label.count + walks[walk].message.count + walks[walk].rewritten.count
    var writer = line(to: connection, atMost: bound)
    writer.literal("{\"op\":\"offer\",\"id\":")
    connections[connection].offers.spelledID.write(offers[offer].id, to: &writer)
    writer.padded(walks[walk].message.walkMember)
    writer.byte(UInt8(ascii: ","))
    writer.padded(replicas[replica].label.bytes)
    if walks[walk].rewritten.isEmpty {
      writer.raw(walks[walk].message.members)
    } else {
      writer.raw(walks[walk].message.topicMember)
      Router.writePayload(walks[walk].rewritten.bytes, to: &writer)
      writer.raw(walks[walk].message.metaAndKeyMembers)
    }
    writer.literal(",\"timeout_ms\":")
    replicas[replica].spelledTimeout.write(offers[offer].timeoutMilliseconds, to: &writer)
    writer.padded(walks[walk].message.fromMember)
    if walks[walk].mode.isBroadcast { writer.literal(",\"for\":\"broadcast\"") }
    if isShadow { writer.literal(",\"shadow\":true") }
    if walks[walk].isAgain, !isShadow { writer.literal(",\"again\":true") }
    writer.literal("}\n")
    commit(writer, to: connection, at: now)
  }

  /// Takes a walk's open offer back: it no longer counts, and the walk may leave. What becomes of it in its
  /// connection's row, and of a replica that holds none any more, is the caller's business.
  @inline(__always)
  mutating func settleOffer(of walk: UInt32) {
    let offer = walks[walk].offer
    walks[walk].offer = .nobody
    offers[offer].subject = .lapsed
    replicas[offers[offer].replica].open -= 1
  }

  /// Forgets a detached replica once it holds no offers.
  @inline(__always)
  mutating func releaseIfUnused(_ replica: UInt32) {
    if replicas[replica].isDetached, replicas[replica].open == 0 { replicas.remove(replica) }
  }

  /// Tells a handler that its offer has run out. The offer stays in its row until it is answered.
  mutating func tellLapsed(_ offer: UInt32, at now: Instant) {
    let connection = offers[offer].connection
    let replica = offers[offer].replica
    var writer = line(to: connection, atMost: 64 + replicas[replica].label.count)
    writer.literal("{\"op\":\"lapsed\",\"id\":")
    writer.integer(offers[offer].id)
    writer.literal(",")
    writer.raw(replicas[replica].label.bytes)
    writer.literal("}\n")
    commit(writer, to: connection, at: now)
    connections[connection].lapsed += 1
    if connections[connection].lapsed > settings.maxLapsedOffers { arm(connection, at: now) }
  }
}
