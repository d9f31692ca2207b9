/// Makes, writes and settles offers (contract, section 5).
extension Router {
  /// Offers a walk that stands at a link to one of its replicas. The offer's time is the link's own, or what is left of
  /// the share. It never passes the end of the walk's whole time.
  mutating func offerWalk(_ walk: Slot<Walk>, to replica: Slot<Replica>, at now: Instant) {
    let connection = replicas[replica].connection
    let place = placeSeen(of: walks[walk].link, since: walks[walk].place.entered)
    let own = links[place].settings.timeoutMilliseconds
    let end = own.map { now.advanced(milliseconds: $0) } ?? walks[walk].shareEnd
    let due = min(max(end, now.advanced(milliseconds: 1)), endTime(of: walk))
    let timeout = max(1, due.milliseconds(since: now))
    let offer = openOffer(
      Offer(
        id: connections[connection].handling.offers.nextID, connection: connection, replica: replica, maker: replica,
        subject: .walk(walks.ref(walk)), timeoutMilliseconds: timeout, isFull: timeout == own,
        policy: links[place].settings.onFailure, made: now))
    countOffer(at: walks[walk].link, now)
    replicas[replica].breaker.offered()
    walks[walk].offer = offer
    walks[walk].hops += 1
    walks[walk].due = max(due, now.advanced(milliseconds: 1))
    armWalk(walk)
    writeOffer(offer, of: walk, isShadow: false, at: now)
  }

  /// Puts an offer into the table and into its connection's row.
  @inline(__always)
  mutating func openOffer(_ offer: Offer) -> Slot<Offer> {
    let index = offers.insert(offer)
    connections[offer.connection].handling.offers.append(index, in: &offers)
    replicas[offer.replica].open += 1
    return index
  }

  /// The offer with this id that a connection has not answered.
  @inline(__always)
  mutating func unansweredOffer(_ id: Int, of connection: Slot<Connection>) -> Slot<Offer>? {
    connections[connection].handling.offers.find(id, in: &offers)
  }

  mutating func writeOffer(_ offer: Slot<Offer>, of walk: Slot<Walk>, isShadow: Bool, at now: Instant) {
    payCopy(of: walk, isShadow: isShadow)
    let connection = offers[offer].connection
    let replica = offers[offer].replica
    let shared = walks[walk].rewritten.isEmpty ? walks[walk].message.sharedMembers : nil
    let copied = shared == nil ? walks[walk].message.count + walks[walk].rewritten.count : Router.mostAround
    var writer = beginLine(to: connection, atMost: 256 + replicas[replica].label.count + copied)
    writer.literal("{\"op\":\"offer\",\"id\":")
    connections[connection].handling.offers.spelledID.write(offers[offer].id, to: &writer)
    writer.padded(walks[walk].message.walkMember)
    writer.byte(UInt8(ascii: ","))
    writer.padded(replicas[replica].label.bytes)
    if let shared {
      commitLine(writer, to: connection, at: now)
      queued(connections[connection].outbox.share(shared), to: connection, at: now)
      writer = beginLine(to: connection, atMost: 256 + Router.mostAround)
    } else if walks[walk].rewritten.isEmpty {
      writer.raw(walks[walk].message.members)
    } else {
      writer.raw(walks[walk].message.topicMember)
      writer.payload(walks[walk].rewritten.bytes)
      writer.raw(walks[walk].message.metaAndKeyMembers)
    }
    writer.literal(",\"timeout_ms\":")
    replicas[replica].spelledTimeout.write(offers[offer].timeoutMilliseconds, to: &writer)
    writer.padded(walks[walk].message.fromMember)
    if isShadow || !walks[walk].marks.isEmpty {
      writer = writeMarks(of: walk, offer, isShadow: isShadow, writer)
    }
    writer.literal("}\n")
    commitLine(writer, to: connection, at: now)
  }

  /// Writes what few offers say beside their message; a place of a stage gets its offers here. The writer comes and goes by
  /// value: so it stays in a register in `writeOffer`.
  @inline(never)
  private mutating func writeMarks(
    of walk: Slot<Walk>, _ offer: Slot<Offer>, isShadow: Bool, _ begun: LineWriter
  ) -> LineWriter {
    var writer = begun
    writer.within(Int(walks[walk].within))
    if walks[walk].mode.isBroadcast { writer.literal(",\"for\":\"broadcast\"") }
    if isShadow { writer.literal(",\"shadow\":true") }
    if walks[walk].isDoubtful {
      writer.literal(",\"when\":\"unknown\"")
      if !walks[walk].isAgain || isShadow { countDoubt(at: replicas[offers[offer].replica].link.slot) }
    }
    if walks[walk].marks.contains(.together) {
      writer.literal(",\"together\":true")
      offers[offer].subject = .place(walks.ref(walk))
      walks[walks[walk].whole].hops += 1
    }
    if walks[walk].marks.contains(.traced) { writeTraceparent(of: walk, isShadow ? nil : offer, to: &writer) }
    if walks[walk].attempt != .nobody {
      writeAttempt(of: walk, isShadow: isShadow, to: &writer)
    } else if walks[walk].isAgain, !isShadow {
      writer.literal(",\"again\":true")
    }
    return writer
  }

  /// The most bytes that the name of a sender takes, and what is told of a try, beside what all offers have.
  private static var mostAround: Int { 1024 }

  /// Settles a walk's open offer: it no longer counts, and the walk may leave the link. The caller decides what happens
  /// to the offer in its connection's row, and then calls `releaseAsked`.
  @inline(__always)
  mutating func settleOffer(of walk: Slot<Walk>) {
    let offer = walks[walk].offer
    walks[walk].offer = .nobody
    offers[offer].subject = .lapsed
    uncountOffer(offer)
  }

  /// An offer no longer counts for its replica. The caller then calls `releaseAsked`.
  @inline(__always)
  mutating func uncountOffer(_ offer: Slot<Offer>) {
    let (replica, maker) = (offers[offer].replica, offers[offer].maker)
    replicas[replica].open -= 1
    if maker != replica { replicas[maker].lent -= 1 }
  }

  /// Forgets the replicas of a settled offer if nothing needs them any more.
  @inline(__always)
  mutating func releaseAsked(_ asked: Offer.Asked) {
    // Either may be gone: the walk may have come to another link of a connection that is ending, and ended it there.
    if replicas.isTaken(asked.replica) { releaseReplicaIfUnused(asked.replica) }
    if asked.maker != asked.replica, replicas.isTaken(asked.maker) { releaseReplicaIfUnused(asked.maker) }
  }

  /// Forgets an offer that the handler has answered.
  @inline(__always)
  mutating func forgetOffer(_ offer: Slot<Offer>, of connection: Slot<Connection>) {
    connections[connection].handling.offers.remove(offer, in: &offers)
    offers.remove(offer)
  }

  /// A connection serves a link again, with a new replica. Open offers of the link that it still holds from before
  /// count for the new replica. They keep the name and the failure policy with which they were made.
  mutating func adoptOffers(for new: Slot<Replica>) {
    var offer = connections[replicas[new].connection].handling.offers.first
    while offer != .nobody {
      spent &+= Cost.look
      let old = offers[offer].replica
      if !offers[offer].isLapsed, old != new, replicas[old].link.slot == replicas[new].link.slot,
        replicas[old].link.generation == replicas[new].link.generation
      {
        offers[offer].replica = new
        replicas[new].open += 1
        replicas[old].open -= 1
        if old == offers[offer].maker { replicas[old].lent += 1 }
        releaseReplicaIfUnused(old)
      }
      offer = offers[offer].next
    }
  }
}
