import BatonCore

/// What must hold between calls, looked at now and then because it takes a look at everything.
extension Ledger {
  /// After a wake-up at `now` nothing that was due may still be open.
  func auditAfterWake() {
    for walk in openWalks {
      if isPast(walks[walk].deadline) { fail(.onTime, "m\(walks[walk].message) is past its deadline") }
      guard let (connection, id) = walks[walk].offer else { continue }
      let offer = accounts[connection].offers[id - 1]
      if isPast(offer.due.advanced(milliseconds: 1)) {
        fail(.onTime, "offer \(id) of #\(connection) ran out at \(offer.due.microseconds) µs and has not lapsed")
      }
    }
    if let drainEnd, isPast(drainEnd), !openWalks.isEmpty { fail(.onTime, "messages outlive the drain") }
    for connection in accounts.indices {
      let account = accounts[connection]
      guard account.isOpen, !account.isLeaving, !account.wasPaused, let begun = account.lineBegun else { continue }
      if now >= begun.advanced(milliseconds: settings.lineTimeoutMilliseconds + 1) {
        fail(.onTime, "#\(connection) began a line at \(begun.microseconds) µs and is still waited for")
      }
    }
  }

  /// A message that waits at a link with room in its window should have been offered.
  func auditQueues() {
    // Who waits behind a message whose time is over may wait for its timer, and where that one is need not be known.
    var blocked: Set<Int> = []
    for walk in openWalks where isWaiting(walk) && (isStale(walk) || walks[walk].isUnsure) {
      blocked.formUnion(walks[walk].links[walks[walk].place...])
    }
    for walk in openWalks where isWaiting(walk) && !walks[walk].isUnsure {
      let it = walks[walk]
      let link = links[it.links[it.place]]
      let owner = accounts[link.owner]
      guard !blocked.contains(it.links[it.place]), now < it.deadline, owner.isOpen, !owner.isLeaving else {
        continue
      }
      if owner.unsent <= settings.offersUnsentBytes,
        openOffers(of: it.links[it.place], with: link.owner) < link.window
      {
        fail(.inOrder, "m\(it.message) waits at \(link.name), whose window of \(link.window) has room")
      }
    }
  }

  /// A half-closed connection stays as long as it is owed a result, and no longer. `isOpen` is the server's wish.
  func auditHalfClosed() {
    for connection in accounts.indices where accounts[connection].isOpen && accounts[connection].isEnded {
      let owed = openWalks.count { walk in
        let message = messages[walks[walk].message]
        return message.sender == connection && message.wantsReply && !walks[walk].isUnsure
      }
      let isMaybe = openWalks.contains { messages[walks[$0].message].sender == connection }
      if accounts[connection].isLeaving, owed > 0, accounts[connection].endReason == .finished {
        fail(.coherentDoor, "#\(connection) is finished and still owed \(owed) results")
      }
      if !accounts[connection].isLeaving, !isMaybe {
        fail(.coherentDoor, "#\(connection) is half-closed, owed nothing, and not closed")
      }
    }
  }

  /// Whether the server must be finished with draining; nil where the books cannot tell.
  var isDrained: Bool? {
    guard drainEnd != nil else { return false }
    if openWalks.isEmpty { return true }
    return openWalks.allSatisfy(mayHaveEnded) ? nil : false
  }

  /// When the books can be closed on messages that may all have ended without a word; nil while others are open.
  var silentEnd: Instant? {
    guard openWalks.allSatisfy(mayHaveEnded) else { return nil }
    return openWalks.map { walks[$0].deadline.advanced(milliseconds: 1) }.max()
  }

  // MARK: Coverage

  func coverHalfClose(of connection: Int) {
    if accounts[connection].offers.contains(where: { $0.state == .open }) { coverage.insert(.halfClosedWithOffers) }
    if openWalks.contains(where: { messages[walks[$0].message].sender == connection }) {
      coverage.insert(.halfClosedWithMessages)
    }
  }

  func coverClose(of connection: Int) {
    guard !accounts[connection].isLeaving else { return }
    if chains.joined().contains(where: { links[$0].owner == connection }) { coverage.insert(.closedWithLinks) }
    if accounts[connection].offers.contains(where: { $0.state == .open }) { coverage.insert(.closedWithOffers) }
    if openWalks.contains(where: { messages[walks[$0].message].sender == connection }) {
      coverage.insert(.closedWithMessages)
    }
  }
}
