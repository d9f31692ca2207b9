import BatonCore

/// How messages end: each once, as its verdicts say.
extension Ledger {
  /// Accounts for the results of this call, and misses those that should be there.
  func takeResults() {
    noteVia()
    eachSpokenTo { connection in
      for line in accounts[connection].others where line.op == .result { takeResult(line, of: connection) }
      accounts[connection].others.removeAll { $0.op == .result || $0.op == .lapsed }
    }
    var hasEnded = false
    for walk in openWalks {
      if !walks[walk].isOver, walks[walk].end != nil { closeBooks(of: walk) }
      if walks[walk].isOver { hasEnded = true }
    }
    if hasEnded { openWalks.removeAll { walks[$0].isOver } }
  }

  private func takeResult(_ line: ServerLine, of connection: Int) {
    guard let walk = endedWalk(of: line, connection) else {
      return fail(.endsOnce, "#\(connection) has no message under way for \(line.description)")
    }
    let message = messages[walks[walk].message]
    if let number = line.integer(.walk) { learn(number: number, of: walk) }
    if let told = line.integer(.hops), told != walks[walk].hops, told < walks[walk].hops || !walks[walk].mayHaveMoreHops
    {
      fail(.endsOnce, "\(walks[walk].hops) offers were made: \(line.description)")
    }
    if !isSame(line.raw(.id), message.id) {
      fail(.oneReply, "m\(walks[walk].message) has another id: \(line.description)")
    }
    if accounts[connection].isEnded { coverage.insert(.resultAfterHalfClose) }
    check(line, ends: walk)
    if walks[walk].isPublished { checkDelivered(line, walk) }
    if message.wantsTrace {
      checkTrace(line.wholeValue, of: walk, namesAll: true, in: line)
    } else if line[.trace] != nil {
      fail(.seenRight, "nobody wants a trace: \(line.description)")
    }
    finish(walk, line.string(.status))
  }

  /// The open walk of this sender that the result is about.
  private func endedWalk(of line: ServerLine, _ connection: Int) -> Int? {
    var found = line.integer(.walk).flatMap { walkByNumber[$0] }
    if found == nil, let id = line[.id] {
      found = line.bytes.mark(in: id).flatMap { messages.indices.contains($0) ? messages[$0].walk : nil }
    }
    if found == nil, line[.id] == nil { found = accounts[connection].nameless.flatMap { messages[$0].walk } }
    guard let walk = found, !walks[walk].isOver else { return nil }
    let message = messages[walks[walk].message]
    return message.sender == connection && message.wantsReply ? walk : nil
  }

  /// Whether the connection may send another message without an id.
  func mayBeNameless(_ connection: Int) -> Bool {
    guard let latest = accounts[connection].nameless else { return true }
    return messages[latest].walk.map { walks[$0].isOver } ?? false
  }

  private func check(_ line: ServerLine, ends walk: Int) {
    let it = walks[walk]
    let isDue = now >= it.deadline || isDrainOver
    switch (line.string(.status), it.end) {
    case ("timeout", _) where isDue:
      coverage.insert(.deadline)
      checkWaitedFor(line, walk)
    case ("timeout", _): fail(.onTime, "ends before its deadline: \(line.description)")
    case ("handled", .handled(let offer, let payload)?):
      checkBy(line, offer)
      checkSame(line, .payload, payload)
    case ("rejected", .rejected(let offer, let message, let code)?):
      checkBy(line, offer)
      checkSame(line, .message, message)
      checkSame(line, .code, code)
    case ("unhandled", _) where messages[it.message].isVia, ("published", _) where !messages[it.message].isVia:
      fail(.endsOnce, "has no such end: \(line.description)")
    case ("unhandled", let end), ("published", let end):
      if case .handled? = end { return fail(.endsOnce, "was handled: \(line.description)") }
      if case .rejected? = end { return fail(.endsOnce, "was rejected: \(line.description)") }
      for place in it.place..<it.links.count where it.offer != nil || !mayHavePassed(place, walk) {
        return fail(.inOrder, "\(links[it.links[place]].name) was left out: \(line.description)")
      }
      checkSame(line, .payload, it.isRewritten ? it.payload : nil)
      walks[walk].isPublished = messages[it.message].isVia
      coverage.insert(it.links.isEmpty ? .nobodyThere : .unhandled)
    default: fail(.endsOnce, "must end \(it.end.map { "\($0)" } ?? "later"): \(line.description)")
    }
  }

  /// A result names the link, by whichever name it had while the offer was open.
  private func checkBy(_ line: ServerLine, _ offer: Offer) {
    guard let by = line.string(.by) else { return fail(.endsOnce, "by nobody: \(line.description)") }
    if by != links[offer.link].name, !links[offer.link].formerNames.contains(by) {
      fail(.endsOnce, "was ended by \(offer.name): \(line.description)")
    }
  }

  /// A result of a deadline names the link that was being waited for.
  private func checkWaitedFor(_ line: ServerLine, _ walk: Int) {
    guard let by = line.string(.by) else { return }
    if !walks[walk].links.contains(where: { links[$0].name == by || links[$0].formerNames.contains(by) }) {
      fail(.endsOnce, "\(by) was never asked: \(line.description)")
    }
  }

  /// The walk has ended as far as the books say. Its sender must have heard, where there is one that can.
  private func closeBooks(of walk: Int) {
    let message = messages[walks[walk].message]
    let sender = accounts[message.sender]
    if message.wantsReply, sender.isOpen, !sender.isLeaving {
      let end = walks[walk].end.map { "\($0)" } ?? ""
      fail(.endsOnce, "#\(message.sender) gets no result of m\(walks[walk].message), which ended \(end)")
    }
    if message.isVia, case .unhandled? = walks[walk].end {
      // Where its deadline has come, too, only the event tells which of the two was first; and where it may have been
      // sent on unseen, it may have been published in an earlier call.
      let isSure = now < walks[walk].deadline && !isDrainOver && walks[walk].listeners != nil
      walks[walk].isPublished = isSure || receivers[walk] != nil
    }
    finish(walk)
  }

  /// An offer that the walk leaves open must have been told to have lapsed, where its handler can hear it.
  private func finish(_ walk: Int, _ status: String? = nil) {
    tellEnd(of: walk, status)
    walks[walk].isOver = true
    if messages[walks[walk].message].isVia { endedVia.append(walk) }
    guard let (connection, id) = walks[walk].offer else { return }
    let account = accounts[connection]
    if account.offers[id - 1].state == .open, account.isOpen, !account.isLeaving {
      fail(.settledOnce, "#\(connection) is not told that offer \(id) has lapsed, though its message has ended")
    }
  }
}
