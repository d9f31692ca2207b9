import BatonCore

/// How a world ends: quietly or not, but always with all peers gone and an empty router.
extension World {
  /// Lets everything end: peers ask for nothing more, they read and answer as they planned, and time passes from one
  /// wake-up to the next.
  func calmDown() {
    isCalm = true
    for connection in living { network.wires[connection].stalledUntil = nil }
    var turns = 0
    while isSound {
      turns += 1
      if turns > 20_000 { return ledger.fail(.onTime, "messages are open and do not end") }
      if let wakeAt = network.wakeAt, wakeAt <= network.now { network.wake() }
      if pump() { continue }
      carryOutWishes()
      let open = network.driver.census["walks"] ?? 0
      if open == 0, !living.contains(where: isToGo) { break }
      guard let next = nextMoment() else {
        return ledger.fail(.onTime, "nothing is due, and \(open) messages are open")
      }
      pass(to: next)
    }
    if isSound { checkCalm() }
  }

  private func pass(to next: Instant) {
    network.driver.pass(microseconds: max(0, Int(next.microseconds - network.now.microseconds)))
    if network.wakeAt.map({ $0 <= network.now }) ?? true { network.wake() }
  }

  /// True while the server still has a reason to end the connection.
  private func isToGo(_ connection: Int) -> Bool {
    let ending = network.wires[connection].ending
    return ending == .close || ending == .closeWhenWritten
  }

  /// Moves all bytes that can move; false when there were none.
  private func pump() -> Bool {
    var hasMoved = false
    for connection in living where isSound {
      while canDeliver(connection), isSound {
        hasMoved = true
        network.deliver(network.wires[connection].nextLine ?? .max, from: connection)
      }
      while network.wires[connection].hasToRead, isSound {
        hasMoved = true
        read(Int.max, places: 64, connection)
      }
      while !network.driver.isSilenced(connection), answerOffer(connection) { hasMoved = true }
    }
    return pumpListeners() || hasMoved
  }

  /// When something happens next: a wake-up, or a verdict that a handler plans to give.
  private func nextMoment() -> Instant? {
    let thinking = living.lazy.filter { !self.network.driver.isSilenced($0) }
    let plans = thinking.flatMap { self.peers[$0].todo.map(\.due) }
    return [network.wakeAt, plans.min()].compactMap { $0 }.min()
  }

  /// When everything is quiet, the server must read from every connection and owe no line.
  private func checkCalm() {
    network.audit()
    ledger.checkQuiet()
    ledger.records?.judgeQuiet()
    if let violation = ledger.records?.violation { ledger.fail(violation.invariant, violation.detail) }
    ledger.judgeStays { $0.judgeQuiet() }
    if let difference = network.driver.meterDifference { ledger.fail(.counted, difference) }
    for connection in living {
      let wire = network.wires[connection]
      if !wire.isRead, wire.ending == .open {
        ledger.fail(.coherentDoor, "#\(connection) is not read from though all is quiet")
      }
    }
  }

  /// All peers leave, in some order, and places are not held any longer. Then the router must be empty.
  func part() {
    if luck.chance(50) { clearChains() }
    luck.shuffle(&living)
    for connection in living where isSound {
      if isCalm, luck.chance(30), !network.driver.isSilenced(connection) { halfClose(connection) }
      if isSound { close(connection) }
      if luck.chance(10) { network.driver.pass(microseconds: luck.below(5000)) }
    }
    closeObserver()
    closeStays()
    clearChains()
    for _ in 0..<100 { if isSound, let next = network.wakeAt { pass(to: next) } }
    guard isSound else { return }
    if let difference = network.driver.meterDifference { ledger.fail(.counted, difference) }
    if let left = network.driver.leftovers { ledger.fail(.nothingLeft, left) }
    if plan.drainsAtStep != nil, !network.driver.isDrained {
      ledger.fail(.nothingLeft, "the drain outlives the last peer")
    }
  }

  /// The server owes nothing to a quiet connection that half-closes. It must close it at once.
  private func halfClose(_ connection: Int) {
    guard network.wires[connection].ending == .open else { return }
    network.driver.halfClose(connection)
    network.deliver(0, from: connection)
    if network.wires[connection].ending == .open {
      ledger.fail(.coherentDoor, "#\(connection) is half-closed, owed nothing, and not closed")
    }
  }
}
