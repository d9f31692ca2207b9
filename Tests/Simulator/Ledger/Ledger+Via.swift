import BatonCore

/// Broadcasts that walk a chain first: published exactly when the walk has ended unhandled, as the links rewrote them,
/// to exactly those who had subscribed by then.
extension Ledger {
  /// The walk has left the broadcast to its subscribers: they are who listens now.
  func noteListeners(of walk: Int) {
    let message = messages[walks[walk].message]
    guard message.isVia, !walks[walk].isUnsure else { return }
    walks[walk].listeners = accounts.indices.filter { listens($0, to: message) }
  }

  /// Notes who got what in this call. An event may be all that is heard of a walk's end.
  func noteVia() {
    eachSpokenTo { connection in
      for line in accounts[connection].others where line.op == .event {
        guard let mark = mark(ofEvent: line), messages.indices.contains(mark), messages[mark].isVia else { continue }
        guard let walk = messages[mark].walk, !walks[walk].isOver else {
          return fail(.eventsOnce, "m\(mark) is not under way: \(line.description)")
        }
        checkEvent(line, messages[mark], payload: walks[walk].payload)
        receivers[walk, default: []].append(connection)
        if walks[walk].end == nil { endSilently(walk, line) }
      }
    }
  }

  /// Nobody hears a result of the walk, and its event says that it has ended.
  private func endSilently(_ walk: Int, _ line: ServerLine) {
    let it = walks[walk]
    if isTold(walk) { return }
    for place in it.place..<it.links.count where it.offer != nil || !mayHavePassed(place, walk) {
      return fail(.eventsOnce, "\(links[it.links[place]].name) was left out: \(line.description)")
    }
    walks[walk].end = .unhandled
  }

  /// `delivered` is the number of those who got it. Whoever is gone by the end of the call is not seen getting it.
  func checkDelivered(_ line: ServerLine, _ walk: Int) {
    let seen = receivers[walk]?.count ?? 0
    var unseen = 0
    if case .closed = call { unseen = 1 }
    guard let delivered = line.integer(.delivered), (seen...(seen + unseen)).contains(delivered) else {
      return fail(.eventsOnce, "m\(walks[walk].message) came to \(seen): \(line.description)")
    }
  }

  /// Everybody who should have got what was published in this call has got it, once, and nobody else.
  func checkVia() {
    for walk in endedVia {
      let got = receivers[walk] ?? []
      receivers[walk] = nil
      coverage.insert(walks[walk].isPublished ? .published : .heldBack)
      if !walks[walk].isPublished, !got.isEmpty {
        fail(.eventsOnce, "m\(walks[walk].message) was not left unhandled, and \(got) got it")
      }
      if walks[walk].isPublished { checkReceivers(of: walk, got) }
    }
    doubtSilentVia()
    endedVia.removeAll(keepingCapacity: true)
    for (walk, got) in receivers {
      fail(.eventsOnce, "m\(walks[walk].message) has not come to its end, and \(got) got it")
    }
  }

  /// A broadcast of whose end nobody is told may be published unseen, where all who listen read too slowly.
  private func doubtSilentVia() {
    guard settings.eventsUnsentBytes < 1 << 20 else { return }
    let ended = endedVia.filter { !walks[$0].isPublished && !isTold($0) }
    let silent = ended + openWalks.filter { messages[walks[$0].message].isVia && mayHaveEnded($0) }
    guard !silent.isEmpty else { return }
    for listener in accounts.indices where accounts[listener].unsent >= settings.eventsUnsentBytes {
      accounts[listener].silentWalks.formUnion(silent)
    }
  }

  /// Whether the walk's sender is there to be told how it ends.
  private func isTold(_ walk: Int) -> Bool {
    let message = messages[walks[walk].message]
    return message.wantsReply && accounts[message.sender].isOpen && !accounts[message.sender].isLeaving
  }

  private func checkReceivers(of walk: Int, _ got: [Int]) {
    let message = messages[walks[walk].message]
    for listener in accounts.indices where accounts[listener].isOpen {
      let count = got.count { $0 == listener }
      if count > 1 { fail(.eventsOnce, "#\(listener) gets m\(walks[walk].message) \(count) times") }
      // Who comes, goes or says something in this call may have done so before or after.
      if isInCall(listener, walk) {
        if count == 0 { accounts[listener].mayHaveMissed += 1 }
        continue
      }
      let listens = walks[walk].listeners?.contains(listener) ?? self.listens(listener, to: message)
      if count == 1, !listens { fail(.eventsOnce, "#\(listener) must not get m\(walks[walk].message)") }
      guard count == 0, listens else { continue }
      accounts[listener].missed += 1
      if accounts[listener].unsent < settings.eventsUnsentBytes {
        fail(.eventsOnce, "#\(listener) does not get m\(walks[walk].message)")
      }
    }
  }

  /// Whether the books cannot tell what the connection had subscribed to when the broadcast was published.
  private func isInCall(_ connection: Int, _ walk: Int) -> Bool {
    if newlyLeaving.contains(connection) || accounts[connection].isLeaving { return true }
    if case .ended(connection) = call { return true }
    if walks[walk].listeners != nil { return false }
    if resubscribed.contains(connection) { return true }
    switch call {
    case .received(connection), .ended(connection), .closed(connection): return true
    default: return false
    }
  }
}
