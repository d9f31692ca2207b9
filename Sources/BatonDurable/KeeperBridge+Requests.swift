internal import BatonCore
internal import BatonKeeper

/// What the router asks of the keeper.
extension KeeperBridge {
  func carryOut(_ request: KeeperRequest, _ router: inout Router, at instant: Instant) {
    switch request {
    case .message(let message):
      var send = DurableSend(message)
      if send.identity.isEmpty { send.sender = send.ticket.flatMap { router.hearer(ofTicket: $0) } ?? 0 }
      if let key = send.content.key { send.isKeyBusy = router.watchesKey(key, of: send.chain) }
      keeper.takeIn(send)
    case .senderGone(let ticket): keeper.senderGone(ticket)
    case .senderHasPerhapsGone(let ticket): keeper.senderHasPerhapsGone(ticket)
    case .tryEnded(let end): if let id = end.stored.id { keeper.tryEnded(id, TryEnd(end)) }
    case .tryCutOff(let stored): if let id = stored.id { keeper.cutOff(id) }
    case .linkServed(let place): keeper.linkServed(KeptLink(place))
    case .declared(let windows):
      keeper.declared(windows.map(KeptChain.init))
      takeBackTries()
    case .window(let window): keeper.changed(KeptChain(window))
    case .ordinaryCame(let ticket, let chain, let key):
      if keeper.ordinaryCame(ticket, chain: chain, key: key) {
        router.waitsForKey(ticket, at: instant)
      } else {
        router.letGo(ticket, isKept: false, at: instant)
      }
    case .ordinaryEnded(let ticket): keeper.ordinaryEnded(ticket)
    case .keyFree(let chain, let key): keeper.keyFree(chain: chain, key: key)
    case .status(let ticket, let stored, let identity):
      router.tellStatus(ticket, stored: stored, statusLine(stored, identity), at: instant)
    case .deadLetters(let ticket, let chain, let after, let until, let limit):
      let page = keeper.deadLetters(
        of: chain, after: after.flatMap { StoredID(text: $0) }, until: until.flatMap { StoredID(text: $0) },
        limit: limit)
      read(ticket, page.ids, hasMore: page.more, until: page.until, withContent: false, &router, at: instant)
    case .deadLetter(let ticket, let stored):
      guard let id = deadLetter(stored, ticket, &router, at: instant) else { return }
      read(ticket, [id], hasMore: false, until: nil, withContent: true, &router, at: instant)
    case .resending(let ticket, let stored, let payload, let from, let identity):
      guard let id = deadLetter(stored, ticket, &router, at: instant) else { return }
      keeper.resend(
        id, ticket: ticket, payload: payload, from: payload == nil ? nil : from, by: identity,
        sender: router.hearer(ofTicket: ticket) ?? 0, most: router.mostStoredBytes)
    case .discarding(let ticket, let stored, let identity):
      guard let id = deadLetter(stored, ticket, &router, at: instant) else { return }
      keeper.discard(id, ticket: ticket, by: identity, sender: router.hearer(ofTicket: ticket) ?? 0)
    case .limits: keeper.take(KeeperLimits(router.keeperSettings))
    case .canHear(let connection): recalls.canHear(connection)
    case .drain:
      keeper.drain()
      takeBackTries()
    }
  }

  /// A dead letter of that name that the asker may change. If there is none, it has been told.
  private func deadLetter(
    _ stored: [UInt8], _ ticket: UInt64, _ router: inout Router, at instant: Instant
  ) -> StoredID? {
    guard let id = StoredID(text: stored), let chain = keeper.chain(of: id), keeper.status(of: id)?.state == .dead
    else {
      router.tellKeeperRefuses(ticket, .noSuchMessage, at: instant)
      return nil
    }
    return router.permitsChange(ticket, of: chain, at: instant) ? id : nil
  }

  private func statusLine(_ stored: [UInt8], _ identity: [UInt8]) -> KeptStatusLine? {
    guard let id = StoredID(text: stored), let chain = keeper.chain(of: id), let status = keeper.status(of: id) else {
      return nil
    }
    let state: StaticString
    switch status.state {
    case .accepting: return nil
    case .delayed: state = "delayed"
    case .waiting: state = "waiting"
    case .underWay: state = "under_way"
    case .ending: state = "ending"
    case .dead: state = "dead"
    }
    // A dead letter without an end of a try has the result of a try that took too long.
    let cause = status.lastCause?.spelling ?? (status.state == .dead ? "timeout" : nil)
    return KeptStatusLine(
      chain: chain, state: state, tries: Int(status.tries), cause: cause,
      isUncounted: status.isUncounted, isUndeclared: status.isUndeclared,
      nextTryMilliseconds: status.nextTryMilliseconds.map { Int(clamping: $0) },
      isOwn: keeper.isOf(id, identity: identity))
  }

  private func read(
    _ ticket: UInt64, _ ids: [StoredID], hasMore: Bool, until: StoredID?, withContent: Bool, _ router: inout Router,
    at instant: Instant
  ) {
    guard !ids.isEmpty else { return router.tellDead(ticket, [], hasMore: false, until: nil, at: instant) }
    letters.want(
      LetterReads.Page(
        ticket: ticket, rows: ids.map(\.count), bytes: keeper.bytes(of: ids), hasMore: hasMore,
        until: until, isWhole: withContent))
  }
}
