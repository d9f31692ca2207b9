import BatonCore

/// Goes through one call: what was due, what was heard, who leaves, and what was said.
extension Ledger {
  /// Accounts for everything that was heard and said in the call.
  func settle() {
    tick += 1
    takeLapses()
    takeOffers()
    if case .closed(let connection) = call, isLate {
      // What was due may have ended it before, or its offers; nobody sees what it was told.
      doubtHops(connection)
      leave(connection)
      takeOffers()
    }
    letGo(newlyLeaving.filter { isDue($0) })
    switch call {
    case .received(let connection):
      accounts[connection].lastHeard = now
      hear(from: connection)
    case .ended(let connection):
      coverHalfClose(of: connection)
      takeOffers()
      if accounts[connection].lineBegun != nil, accounts[connection].isHeard { takeCutLine(of: connection) }
      leave(connection)
    case .closed(let connection):
      coverClose(of: connection)
      accounts[connection].isOpen = false
      leave(connection)
    case .wake: passTime()
    case .opened, .wrote, .drain: break
    }
    takeOffers()
    hearKept()
    takeLateLapses()
    letGo(newlyLeaving.filter { !accounts[$0].isLeaving })
    takeResults()
    takeRest()
    checkVia()
    checkUnfinished()
    if case .drain = call { checkToldDraining() }
    checkLeftovers()
    checkOwnEvents()
    checkExpectation()
    for connection in spokenTo {
      accounts[connection].isSpokenTo = false
      accounts[connection].missedTold = nil
    }
    spokenTo.removeAll(keepingCapacity: true)
    newlyLeaving.removeAll(keepingCapacity: true)
    hasMoved = false
    resubscribed.removeAll(keepingCapacity: true)
  }

  /// Goes through the lines that the connection has sent. A server that stops reading in the middle keeps the rest;
  /// then only lines that must be answered are under way (`Wire.certain`), so that a missing answer tells.
  private func hear(from connection: Int, isKept: Bool = false) {
    isAlone = !isKept && accounts[connection].backlog.count == 1
    while let line = accounts[connection].backlog.first, accounts[connection].isHeard {
      let next = accounts[connection].direct.first
      if next?.string(.code) == "too_many_errors" {
        // It follows the last of the errors: what comes behind that is not heard.
        accounts[connection].isCondemned = true
        break
      }
      // Kept lines go with a connection that the server ends before it comes to them.
      if next == nil, line.mustBeAnswered || isKept, newlyLeaving.contains(connection) { break }
      if next == nil, line.mustBeAnswered, !accounts[connection].isRead {
        coverage.insert(.backlog)
        isKeeping = true
        return
      }
      if case .send = line.intent, settings.maxTotalBytes < 1 << 20, next == nil, !accounts[connection].isRead {
        // All messages take too much: this one waits until there is room.
        coverage.insert(.crowdedOut)
        isKeeping = true
        return
      }
      accounts[connection].backlog.drop(1)
      // In which order the server lets in those that it has kept waiting is not known.
      if !isKept { tick += 1 }
      isOrderKnown = !isKept
      if expectation?.walk != nil || expectation != nil && !line.isSend { expectation = nil }
      apply(line, from: connection)
      isOrderKnown = false
      takeOffers()
    }
    if !accounts[connection].isHeard { accounts[connection].backlog.removeAll() }
  }

  /// Goes on with lines that were kept, of connections that are read from again: every call ends with that.
  private func hearKept() {
    guard isKeeping else { return }
    isKeeping = false
    tick += 1
    for connection in accounts.indices where !accounts[connection].backlog.isEmpty {
      hear(from: connection, isKept: true)
    }
  }

  /// A line that a half-close cut off is refused.
  private func takeCutLine(of connection: Int) {
    let answer = accounts[connection].direct.popFirst()
    if answer?.string(.code) != "bad_json" {
      fail(.oneReply, "#\(connection) half-closed within a line and is not told")
    }
    accounts[connection].lineBegun = nil
  }

  private func checkToldDraining() {
    for connection in accounts.indices where accounts[connection].isOpen && !accounts[connection].wasToldDraining {
      if accounts[connection].isLeaving, accounts[connection].endReason != .draining { continue }
      fail(.oneReply, "#\(connection) is not told that the server is going")
    }
  }

  /// Everything that this call's listeners were told beside answers, offers and results.
  private func takeRest() {
    for connection in spokenTo where !accounts[connection].others.isEmpty {
      let lines = accounts[connection].others
      accounts[connection].others.removeAll(keepingCapacity: true)
      for line in lines {
        switch line.op {
        case .event: takeEvent(line, of: connection)
        case .missed: takeMissed(line, of: connection)
        case .replaced, .removed: takeNotice(line, of: connection)
        case .moved: takeMoved(line, of: connection)
        case .draining: takeDraining(of: connection)
        case .ping where accounts[connection].heartbeatMilliseconds == nil:
          fail(.onTime, "#\(connection) is pinged without a heartbeat")
        default: break
        }
      }
    }
  }

  /// Whatever was said and has found no cause is a fault.
  private func checkLeftovers() {
    for connection in spokenTo {
      if let line = accounts[connection].newOffers.first {
        let refusal = refusal(of: line, to: connection)
        fail(refusal?.invariant ?? .inOrder, "#\(connection) \(line.description): \(refusal?.detail ?? "too early")")
      }
      while let line = accounts[connection].direct.popFirst() {
        guard line.op == .error, isClosing(line) else {
          return fail(.oneReply, "#\(connection) is told without cause: \(line.description)")
        }
        if !accounts[connection].isLeaving {
          fail(.coherentDoor, "#\(connection) lives on after \(line.description)")
        }
      }
    }
    for connection in accounts.indices {
      guard accounts[connection].isOpen, !accounts[connection].isLeaving else {
        accounts[connection].expectedEvents.removeAll()
        accounts[connection].expectedNotices.removeAll()
        continue
      }
      while let event = accounts[connection].expectedEvents.popFirst() {
        accounts[connection].missed += 1
        if !event.mayMiss { fail(.eventsOnce, "#\(connection) does not get event m\(event.message)") }
      }
      if let notice = accounts[connection].expectedNotices.first {
        fail(.oneReply, "#\(connection) is not told \(notice.op) of \(notice.name)")
      }
    }
  }

  /// True where time ends the connection: that comes before what the call itself brings.
  private func isDue(_ connection: Int) -> Bool {
    switch accounts[connection].endReason {
    case .idle?, .tooSlow?: true
    case .lineTimeout?: isLineDue(connection)
    default: false
    }
  }

  /// Connections that the server ends leave, one after the other; first those whose offers are all explained.
  private func letGo(_ leaving: [Int]) {
    var leaving = leaving
    while !leaving.isEmpty {
      let next = leaving.firstIndex { accounts[$0].newOffers.isEmpty } ?? 0
      let connection = leaving.remove(at: next)
      accounts[connection].isLeaving = true
      leave(connection)
      takeOffers()
    }
  }

  /// What was due may have been offered to the connection before it was gone, and nobody saw it.
  private func doubtHops(_ connection: Int) {
    for walk in openWalks where walks[walk].links.contains(where: { links[$0].owner == connection }) {
      walks[walk].mayHaveMoreHops = true
    }
  }
}
