import BatonCore

/// How a world ends: quietly or not, but always with everybody gone and an empty router.
extension World {
  /// Carries everything to its end: nobody asks for more, everybody reads and answers what was planned, time passes
  /// from one wake-up to the next.
  func calmDown() {
    isCalm = true
    for connection in living { door.change(connection) { $0.stalledUntil = nil } }
    var turns = 0
    while isSound {
      turns += 1
      if turns > 20_000 { return ledger.fail(.onTime, "messages are open and do not end") }
      if let wakeAt = door.wakeAt, wakeAt <= door.now { door.wake() }
      if pump() { continue }
      carryOutWishes()
      if ledger.openWalks.isEmpty, !living.contains(where: isToGo) { break }
      guard let next = nextMoment() else {
        return ledger.fail(.onTime, "nothing is due, and \(ledger.openWalks.count) messages are open")
      }
      door.pass(microseconds: max(0, Int(next.microseconds - door.now.microseconds)))
      if door.wakeAt.map({ $0 <= door.now }) ?? true { door.wake() }
    }
    if isSound { checkCalm() }
  }

  /// True while the server still has to end the connection for some reason.
  private func isToGo(_ connection: Int) -> Bool {
    let ending = door.wires[connection].ending
    return ending == .close || ending == .closeWhenWritten
  }

  /// Moves all bytes that can move; false when there were none.
  private func pump() -> Bool {
    var hasMoved = false
    for connection in living where isSound {
      while canDeliver(connection), isSound {
        hasMoved = true
        let wire = door.wires[connection]
        if wire.undelivered == 0 { door.end(connection) } else { door.deliver(wire.nextLine, from: connection) }
      }
      while !door.wires[connection].unsent.isEmpty, isSound {
        hasMoved = true
        read(Int.max, places: 64, connection)
      }
      while !door.wires[connection].isSilenced, answerOffer(connection) { hasMoved = true }
    }
    return hasMoved
  }

  /// When something happens next: a wake-up, or a verdict that a handler has in mind.
  private func nextMoment() -> Instant? {
    let plans = living.lazy.filter { !self.door.wires[$0].isSilenced }.flatMap { self.peers[$0].todo.map(\.due) }
    guard let wakeAt = door.wakeAt else { return plans.min() ?? ledger.silentEnd }
    return min(wakeAt, plans.min() ?? wakeAt)
  }

  /// When all is quiet the server reads from everybody and owes nobody a byte.
  private func checkCalm() {
    audit()
    for connection in living {
      let wire = door.wires[connection]
      if ledger.accounts[connection].missed > 0, wire.ending == .open {
        ledger.fail(.eventsOnce, "#\(connection) has read all and is not told of events that it lost")
      }
      if !wire.isRead, wire.ending == .open {
        ledger.fail(.coherentDoor, "#\(connection) is not read from though all is quiet")
      }
    }
  }

  /// Everybody leaves, in some order; then the router must be empty.
  func part() {
    luck.shuffle(&living)
    for connection in living where isSound {
      if isCalm, luck.chance(30), !door.wires[connection].isSilenced { halfClose(connection) }
      if isSound { close(connection) }
      if luck.chance(10) { door.pass(microseconds: luck.below(5000)) }
    }
    guard isSound else { return }
    door.auditEmpty()
    if ledger.drainEnd != nil, !door.isDrained { ledger.fail(.nothingLeft, "the drain outlives the last peer") }
  }

  /// A quiet connection that half-closes is owed nothing: the server must be done with it at once.
  private func halfClose(_ connection: Int) {
    guard door.wires[connection].ending == .open else { return }
    door.end(connection)
    if door.wires[connection].ending == .open {
      ledger.fail(.coherentDoor, "#\(connection) is half-closed, owed nothing, and not closed")
    }
  }
}
