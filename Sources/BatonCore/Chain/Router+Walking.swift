/// The way of a message along the links of its chain (contract, section 5).
///
/// A walk goes on until it stands at a link or has come to the end. What settles a place at a link (a verdict, time, a
/// lost connection, a removal) makes it leave and walk on.
extension Router {
  /// Goes on from the link at which the walk stands, or enters at the first.
  mutating func walkOn(_ walk: UInt32, at now: Instant) {
    while let next = nextLink(of: walk) {
      leave(walk)
      if reach(next, by: walk, at: now) { return }
      walks[walk].place.passed = links[next].order
    }
    leave(walk)
    end(walk, .unhandled, by: .empty, at: now)
  }

  /// The next link for the message, as the chain stood when the walk entered it: those inserted since are not visited,
  /// those removed since are skipped.
  private mutating func nextLink(of walk: UInt32) -> UInt32? {
    let list = currentList(for: walk)
    guard let list else { return nil }
    while true {
      walks[walk].place.position += 1
      let position = walks[walk].place.position
      guard position < lists[list].links.count else { return nil }
      let link = lists[list].links[position]
      if isVisited(link, by: walk) { return link }
    }
  }

  /// Whether the link was there when the walk entered, and was not taken out since.
  private mutating func isVisited(_ link: UInt32, by walk: UInt32) -> Bool {
    let entered = walks[walk].place.entered
    guard links[link].birth <= entered, let fate = links[link].fate else { return links[link].birth <= entered }
    return fate == .lost && links[link].end > entered
  }

  /// The walk's list of links; where the chain has changed, the list as it is now, and the walk's position in it.
  private mutating func currentList(for walk: UInt32) -> UInt32? {
    if lists.contains(walks[walk].place.list) { return walks[walk].place.list.index }
    guard let list = list(of: walks[walk].message.topic, in: walks[walk].place.chain) else { return nil }
    walks[walk].place.list = list
    let current = walks[walk].link
    var position = -1
    if let order = current != Walk.nobody ? links[current].order : walks[walk].place.passed {
      var (low, high) = (0, lists[list.index].links.count)
      while low < high {
        let middle = (low + high) / 2
        if links[lists[list.index].links[middle]].order <= order { low = middle + 1 } else { high = middle }
      }
      position = low - 1
    }
    walks[walk].place.position = position
    return list.index
  }

  /// Links that are still ahead, the one at the walk's position included: those that share the message's time.
  private mutating func linksAhead(of walk: UInt32) -> Int {
    let place = walks[walk].place
    let count = lists[place.list.index].links.count
    if chains[place.chain].version == place.entered, chains[place.chain].lost.isEmpty { return count - place.position }
    var ahead = 0
    for position in place.position..<count {
      let link = lists[place.list.index].links[position]
      if links[link].fate == nil, links[link].birth <= place.entered { ahead += 1 }
    }
    return max(1, ahead)
  }

  /// Comes to a link. False when it fails the message at once, and the walk has to go on.
  private mutating func reach(_ link: UInt32, by walk: UInt32, at now: Instant) -> Bool {
    if links[link].fate != nil {
      links[link].counts.disconnect += 1
      return false
    }
    let remaining = walks[walk].deadline.microseconds - now.microseconds
    let shareEnd = Instant(microseconds: now.microseconds + max(1000, remaining / Int64(linksAhead(of: walk))))
    if links[link].firstWaiting == Walk.nobody, let replica = freeReplica(of: link) {
      stand(walk, at: link, until: shareEnd, now)
      offer(walk, to: replica, at: now)
      return true
    }
    let bytes = walks[walk].bytes
    if links[link].waiting >= settings.maxQueueMessages || links[link].waitingBytes + bytes > settings.maxQueueBytes {
      links[link].counts.overload += 1
      return false
    }
    stand(walk, at: link, until: shareEnd, now)
    walks[walk].isWaiting = true
    links[link].waiting += 1
    links[link].waitingBytes += bytes
    if links[link].firstWaiting == Walk.nobody { links[link].firstWaiting = walk }
    walks[walk].due = shareEnd
    arm(walk)
    return true
  }

  private mutating func stand(_ walk: UInt32, at link: UInt32, until shareEnd: Instant, _ now: Instant) {
    let last = links[link].lastWalk
    walks[walk].link = link
    walks[walk].reached = now
    walks[walk].shareEnd = shareEnd
    walks[walk].previousAtLink = last
    walks[walk].nextAtLink = Walk.nobody
    if last != Walk.nobody { walks[last].nextAtLink = walk } else { links[link].firstWalk = walk }
    links[link].lastWalk = walk
    links[link].standing += 1
  }

  /// Takes a walk away from the link at which it stands, if any. Its offer must have been settled.
  mutating func leave(_ walk: UInt32) {
    let link = walks[walk].link
    guard link != Walk.nobody else { return }
    assert(walks[walk].offer == Walk.nobody)
    if walks[walk].isWaiting { stopWaiting(walk, at: link) }
    let (previous, next) = (walks[walk].previousAtLink, walks[walk].nextAtLink)
    if previous != Walk.nobody { walks[previous].nextAtLink = next } else { links[link].firstWalk = next }
    if next != Walk.nobody { walks[next].previousAtLink = previous } else { links[link].lastWalk = previous }
    links[link].standing -= 1
    walks[walk].link = Walk.nobody
    if links[link].fate != nil { retireIfUnused(link) }
  }

  private mutating func stopWaiting(_ walk: UInt32, at link: UInt32) {
    walks[walk].isWaiting = false
    links[link].waiting -= 1
    links[link].waitingBytes -= walks[walk].bytes
    if links[link].firstWaiting == walk { links[link].firstWaiting = walks[walk].nextAtLink }
  }

  // MARK: Offers

  /// The replica that the next offer goes to: one whose window has room and whose connection keeps up.
  private mutating func freeReplica(of link: UInt32) -> UInt32? {
    let replica = links[link].replica
    guard replica != Walk.nobody, replicas[replica].open < links[link].settings.window,
      connections[replicas[replica].connection].outbox.count <= settings.offersUnsentBytes
    else { return nil }
    return replica
  }

  /// Offers to a link's handler what waits for it, as far as there is room.
  mutating func offerWaiting(at link: UInt32, at now: Instant) {
    while links[link].firstWaiting != Walk.nobody, let replica = freeReplica(of: link) {
      let walk = links[link].firstWaiting
      stopWaiting(walk, at: link)
      offer(walk, to: replica, at: now)
    }
  }

  private mutating func offer(_ walk: UInt32, to replica: UInt32, at now: Instant) {
    let connection = replicas[replica].connection
    let own = links[walks[walk].link].settings.timeoutMilliseconds
    let end = own.map { now.advanced(milliseconds: $0) } ?? walks[walk].shareEnd
    let due = min(end, walks[walk].deadline)
    let timeout = max(1, due.milliseconds(since: now))
    let id = connections[connection].offers.nextID
    let offer = offers.insert(
      Offer(
        id: id, connection: connection, replica: replica, walk: walks.ref(walk), timeoutMilliseconds: timeout, made: now
      )
    )
    connections[connection].offers.append(offer, in: &offers)
    replicas[replica].open += 1
    walks[walk].offer = offer
    walks[walk].hops += 1
    walks[walk].due = due
    arm(walk)
    writeOffer(id, of: walk, timeout: timeout, replica, to: connection, at: now)
  }

  private mutating func writeOffer(
    _ id: Int, of walk: UInt32, timeout: Int, _ replica: UInt32, to connection: UInt32, at now: Instant
  ) {
    let label = replicas[replica].label.count
    let bound = 256 + label + walks[walk].message.count + walks[walk].rewritten.count
    var writer = line(to: connection, atMost: bound)
    writer.literal("{\"op\":\"offer\",\"id\":")
    writer.integer(id)
    writer.literal(",\"walk\":")
    writer.integer(walks[walk].number)
    writer.literal(",")
    writer.raw(replicas[replica].label.bytes)
    writer.literal(",\"topic\":")
    writer.raw(walks[walk].message.topicText)
    Router.writePayload(walks[walk].payload, to: &writer)
    Router.writeMeta(walks[walk].message.meta, to: &writer)
    writer.literal(",\"timeout_ms\":")
    writer.integer(timeout)
    writer.literal(",\"from\":")
    writer.raw(walks[walk].message.from)
    writer.literal("}\n")
    commit(writer, to: connection, at: now)
  }

  static func writeMeta(_ meta: UnsafeRawBufferPointer, to writer: inout LineWriter) {
    if meta.isEmpty { return }
    writer.literal(",\"meta\":")
    writer.raw(meta)
  }

  /// Takes a walk's open offer back: it no longer counts, and the walk may leave. What becomes of it in its
  /// connection's row, and of a replica that holds none any more, is the caller's business.
  mutating func settleOffer(of walk: UInt32) {
    let offer = walks[walk].offer
    walks[walk].offer = Walk.nobody
    offers[offer].walk = .none
    replicas[offers[offer].replica].open -= 1
  }

  /// Forgets a detached replica once it holds no offers.
  mutating func releaseIfUnused(_ replica: UInt32) {
    if replicas[replica].isDetached, replicas[replica].open == 0 { replicas.remove(replica) }
  }

  // MARK: Time

  /// Sees to it that the walk's timer fires at `due` or, at the latest, at the deadline.
  mutating func arm(_ walk: UInt32) {
    let at = min(walks[walk].due, walks[walk].deadline)
    if at >= walks[walk].timerAt { return }
    timers.end(walks[walk].timer)
    walks[walk].timer = timers.set(.walk(walks.ref(walk)), at: at)
    walks[walk].timerAt = at
  }

  /// The walk's timer has fired: its deadline has passed, its time at this link, or neither yet.
  mutating func timeHasCome(for walk: UInt32, at now: Instant) {
    walks[walk].timer = .none
    walks[walk].timerAt = Instant(microseconds: .max)
    if walks[walk].deadline <= now { return deadlineHasPassed(for: walk, at: now) }
    if walks[walk].due > now { return arm(walk) }
    let link = links.ref(walks[walk].link)
    countTimeOut(of: walk, at: now)
    walkOn(walk, at: now)
    if links.contains(link) { offerWaiting(at: link.index, at: now) }
  }

  /// Ends a walk whose deadline has passed, wherever it stands.
  mutating func deadlineHasPassed(for walk: UInt32, at now: Instant) {
    let link = links.ref(walks[walk].link)
    // A copy: link and replica may go with the last walk that stands there.
    let by = OwnedBytes("\"\(links[link.index].name.string)\"")
    countTimeOut(of: walk, at: now)
    leave(walk)
    end(walk, .timeout, by: by.bytes, at: now)
    extendLifetime(by)
    if links.contains(link) { offerWaiting(at: link.index, at: now) }
  }

  /// An offer lapses, and its handler is told; one that waits was not offered in time.
  private mutating func countTimeOut(of walk: UInt32, at now: Instant) {
    let link = walks[walk].link
    let offer = walks[walk].offer
    guard offer != Walk.nobody else {
      links[link].counts.overload += 1
      return
    }
    links[link].counts.timeout += 1
    tellLapsed(offer, at: now)
    settleOffer(of: walk)
    releaseIfUnused(offers[offer].replica)
  }

  /// Tells a handler that its offer has run out. The offer stays in its row until it is answered.
  private mutating func tellLapsed(_ offer: UInt32, at now: Instant) {
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
