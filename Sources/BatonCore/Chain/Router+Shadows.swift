/// Shadow links: they get copies, the walk never waits for them, and their verdicts are compared with the outcome
/// (contract, sections 5 and 8).
extension Router {
  /// Offers a copy to a shadow, where it has room.
  mutating func offerCopy(of walk: UInt32, to link: UInt32, at now: Instant) {
    guard let replica = nextReplica(of: link, at: now) else {
      links[link].counts[links[link].firstReplica == .nobody ? .disconnect : .overload] += 1
      return
    }
    let deadline = walks[walk].deadline
    let connection = replicas[replica].connection
    let copy = copies.insert(
      ShadowCopy(
        link: links.ref(link), offer: .nobody, deadline: deadline, walk: walks.ref(walk),
        next: walks[walk].firstCopy))
    walks[walk].firstCopy = copy
    let offer = open(
      Offer(
        id: connections[connection].offers.nextID, connection: connection, replica: replica,
        subject: .copy(copies.ref(copy)), timeoutMilliseconds: max(1, end(of: walk).milliseconds(since: now)),
        made: now))
    copies[copy].offer = offer
    copies[copy].timer = timers.set(
      .copy(copies.ref(copy)), at: max(deadline, now.advanced(milliseconds: 1)))
    writeOffer(offer, of: walk, isShadow: true, at: now)
  }

  /// A shadow has answered.
  mutating func answer(_ copy: Ref<ShadowCopy>, _ op: Op, at now: Instant) {
    let link = copies[copy.index].link
    let verdict: ShadowCopy.Verdict
    switch op {
    case .handled: verdict = .handled
    case .reject: verdict = .reject
    case .failed: verdict = .failed
    default: verdict = reader.has(.payload) ? .rewrote : .continue
    }
    if links.contains(link) { count(op, at: link.index) }
    timers.end(copies[copy.index].timer)
    copies[copy.index].verdict = verdict
    compareIfKnown(copy)
  }

  /// A shadow will not answer any more: that counts as its cause, and is compared with nothing.
  mutating func giveUp(_ copy: Ref<ShadowCopy>, _ cause: Cause) {
    let link = copies[copy.index].link
    if links.contains(link) { links[link.index].counts[cause] += 1 }
    timers.end(copies[copy.index].timer)
    forgetCopy(copy)
  }

  /// The message's deadline has passed without the shadow's answer.
  mutating func timeHasCome(for copy: Ref<ShadowCopy>, at now: Instant) {
    let offer = copies[copy.index].offer
    let replica = offers[offer].replica
    tellLapsed(offer, at: now)
    offers[offer].subject = .lapsed
    replicas[replica].open -= 1
    releaseIfUnused(replica)
    giveUp(copy, .timeout)
  }

  /// Tells the copies of a walk that ends how it ended.
  mutating func tellCopies(of walk: UInt32, _ status: Outcome.Status) {
    var copy = walks[walk].firstCopy
    while copy != .nobody {
      let next = copies[copy].next
      copies[copy].walk = .none
      copies[copy].outcome = status
      compareIfKnown(copies.ref(copy))
      copy = next
    }
  }

  private mutating func compareIfKnown(_ copy: Ref<ShadowCopy>) {
    guard let verdict = copies[copy.index].verdict, let outcome = copies[copy.index].outcome else { return }
    let agrees =
      switch (verdict, outcome) {
      case (.handled, .handled), (.reject, .rejected), (.continue, .unhandled), (.continue, .published): true
      default: false
      }
    let link = copies[copy.index].link
    if links.contains(link) {
      if agrees { links[link.index].counts.agreed += 1 } else { links[link.index].counts.disagreed += 1 }
    }
    copies.remove(copy.index)
  }

  /// Forgets a copy that nothing is compared with; its walk, if it still walks, forgets it too.
  private mutating func forgetCopy(_ copy: Ref<ShadowCopy>) {
    let walk = copies[copy.index].walk
    if walks.contains(walk) {
      if walks[walk.index].firstCopy == copy.index {
        walks[walk.index].firstCopy = copies[copy.index].next
      } else {
        var before = walks[walk.index].firstCopy
        while copies[before].next != copy.index { before = copies[before].next }
        copies[before].next = copies[copy.index].next
      }
    }
    copies.remove(copy.index)
  }
}
