internal import BatonCore
internal import BatonKeeper
internal import BatonLasting

/// What the router asks of the keeper.
extension KeeperBridge {
  func carryOut(_ request: KeeperRequest, _ router: inout Router, at instant: Instant) {
    switch request {
    case .message(var message):
      if let key = message.content.key { message.isKeyBusy = router.watchesKey(key, of: message.chain) }
      keeper.takeIn(message)
    case .senderGone(let ticket): keeper.senderGone(ticket)
    case .senderHasPerhapsGone(let ticket): keeper.senderHasPerhapsGone(ticket)
    case .tryEnded(let id, let end): keeper.tryEnded(id, end)
    case .tryCutOff(let id): keeper.cutOff(id)
    case .linkServed(let place): keeper.linkServed(place)
    case .declared(let windows):
      keeper.declared(windows)
      takeBackTries()
    case .window(let window): keeper.changed(window)
    case .ordinaryCame(let ticket, let chain, let key):
      if keeper.ordinaryCame(ticket, chain: chain, key: key) {
        router.waitsForKey(ticket, at: instant)
      } else {
        router.letGo(ticket, isKept: false, at: instant)
      }
    case .ordinaryEnded(let ticket): keeper.ordinaryEnded(ticket)
    case .keyFree(let chain, let key): keeper.keyFree(chain: chain, key: key)
    case .status(let ticket, let stored, let identity):
      let id = StoredID(text: stored)
      router.tellStatus(
        ticket, stored: stored, id.flatMap { keeper.status(of: $0) },
        isOwn: id.map { keeper.isOf($0, identity: identity) } ?? false, at: instant)
    case .statusOfName(let ticket, let once, let identity):
      let id = keeper.find(once: once, of: identity)
      router.tellStatus(
        ticket, stored: id?.text ?? [], id.flatMap { keeper.status(of: $0) }, isOwn: true, at: instant)
    case .kept(let ticket, let chain, let first, let limit, let looking):
      let page = keeper.kept(in: chain, from: first, limit: limit, looking: looking)
      router.tellKept(ticket, page.messages, next: page.next, at: instant)
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
    guard let id = StoredID(text: stored), let status = keeper.status(of: id), status.state == .dead else {
      router.tellKeeperRefuses(ticket, .noSuchMessage, at: instant)
      return nil
    }
    return router.permitsChange(ticket, of: status.chain, at: instant) ? id : nil
  }

  private func read(
    _ ticket: UInt64, _ ids: [StoredID], hasMore: Bool, until: StoredID?, withContent: Bool, _ router: inout Router,
    at instant: Instant
  ) {
    guard !ids.isEmpty else {
      return router.tellDead(ticket, [], isWhole: withContent, hasMore: false, until: nil, at: instant, wall: wall)
    }
    letters.want(
      LetterReads.Page(
        ticket: ticket, rows: ids.map(\.count), bytes: keeper.bytes(of: ids), hasMore: hasMore,
        until: until, isWhole: withContent))
  }
}
