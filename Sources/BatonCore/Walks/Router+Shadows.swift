/// Shadow links: they get copies of messages. A walk never waits for them. Their verdicts are compared with the outcome
/// (contract, sections 5 and 8).
extension Router {
  /// Offers a copy to a shadow if it has room. If it has none, that counts as a failure of the shadow.
  mutating func offerCopy(of walk: Slot<Walk>, to link: Slot<Link>, at now: Instant) {
    guard let replica = nextReplica(of: link, at: now), let copy = beginCopy(of: walk, to: link, by: replica) else {
      let cause: Cause = links[link].firstReplica == .nobody ? .disconnect : .overload
      count(Tally(cause), at: link, now)
      return journalFailure(of: link, cause, at: now)
    }
    let deadline = walks[walk].deadline
    let connection = replicas[replica].connection
    let offer = openOffer(
      Offer(
        id: connections[connection].handling.offers.nextID, connection: connection, replica: replica, maker: replica,
        subject: .copy(copies.ref(copy)), timeoutMilliseconds: max(1, endTime(of: walk).milliseconds(since: now)),
        policy: .goOn, made: now))
    copies[copy].offer = offer
    copies[copy].timer = timers.set(
      .copy(copies.ref(copy)), at: max(deadline, now.advanced(milliseconds: 1)))
    writeOffer(offer, of: walk, isShadow: true, at: now)
  }

  /// A copy for a handler, at the cost of its account until verdict and outcome are known; nil if that has no room.
  private mutating func beginCopy(
    of walk: Slot<Walk>, to link: Slot<Link>, by replica: Slot<Replica>
  ) -> Slot<ShadowCopy>? {
    let account = connections[replicas[replica].connection].account
    guard mayHoldOffer(account) else { return nil }
    countHeldOffers(1, in: account)
    if account != .nobody { accounts.beginEntry(of: account) }
    let copy = copies.insert(
      ShadowCopy(
        link: links.ref(link), offer: .nobody, deadline: walks[walk].deadline, payer: account, walk: walks.ref(walk),
        next: walks[walk].firstCopy))
    walks[walk].firstCopy = copy
    return copy
  }

  /// A copy is not there any more: its account pays for it no longer.
  private mutating func endPayingForCopy(_ account: Slot<PeerAccount>) {
    countHeldOffers(-1, in: account)
    if account != .nobody { endPaying(of: account) }
  }

  /// A shadow has answered.
  mutating func answerCopy(_ copy: Ref<ShadowCopy>, _ op: Op, at now: Instant) {
    let link = copies[copy.slot].link
    let verdict: ShadowCopy.Verdict
    switch op {
    case .handled: verdict = .handled
    case .reject: verdict = .reject
    case .failed: verdict = .failed
    default: verdict = request.has(.payload) ? .rewrote : .continue
    }
    let isThere = links.contains(link)
    countCopy(Tally(op), at: link, now)
    if isThere, op == .failed { journalFailure(of: link.slot, .failed, at: now) }
    timers.end(copies[copy.slot].timer)
    copies[copy.slot].verdict = verdict
    if request.has(.message) { copies[copy.slot].said = saidText() }
    countIfKnown(copy.slot, at: now)
  }

  private mutating func countCopy(_ tally: Tally, at link: Ref<Link>, _ now: Instant) {
    if links.contains(link) { count(tally, at: link.slot, now) } else { countGone(tally, now) }
  }

  /// A shadow can no longer answer. That counts as a failure with its cause, and is not compared.
  mutating func giveUpCopy(_ copy: Ref<ShadowCopy>, _ cause: Cause, at now: Instant) {
    let link = copies[copy.slot].link
    let isThere = links.contains(link)
    countCopy(Tally(cause), at: link, now)
    if isThere { journalFailure(of: link.slot, cause, at: now) }
    timers.end(copies[copy.slot].timer)
    let (walk, payer) = (copies[copy.slot].walk, copies[copy.slot].payer)
    defer { endPayingForCopy(payer) }
    if walks.contains(walk) {
      copies.remove(copy.slot, first: &walks[walk.slot].firstCopy)
    } else {
      copies.remove(copy.slot)
    }
  }

  /// Gives the outcome of a walk that ends to its copies. `by` is who has decided, as a JSON string; it may be empty.
  mutating func tellCopies(
    of walk: Slot<Walk>, _ status: Outcome.Status, by: UnsafeRawBufferPointer, at now: Instant
  ) {
    var copy = walks[walk].firstCopy
    var ended: EndedWalk?
    while copy != .nobody {
      let next = copies[copy].next
      copies[copy].walk = .none
      (copies[copy].previous, copies[copy].next) = (.nobody, .nobody)
      copies[copy].outcome = status
      if copies.mayDisagree(copy, with: status) {
        ended = ended ?? describeEnd(of: walk, status, by: by)
        copies[copy].ended = ended
      }
      countIfKnown(copy, at: now)
      copy = next
    }
  }

  /// Compares verdict and outcome, once both are known, and forgets the copy.
  private mutating func countIfKnown(_ copy: Slot<ShadowCopy>, at now: Instant) {
    guard let comparison = copies.compareIfKnown(copy) else { return }
    endPayingForCopy(comparison.payer)
    guard !comparison.isCancelled, links.contains(comparison.link) else { return }
    countComparison(agrees: comparison.disagreement == nil, at: comparison.link.slot)
    if let disagreement = comparison.disagreement { rememberDisagreement(disagreement, at: comparison.link.slot, now) }
  }
}
