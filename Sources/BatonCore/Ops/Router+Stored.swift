/// `stored`, `dead`, `resend` and `discard`: what has become of durable messages (contract, section 15). The keeper knows
/// it; who may know it is looked at when it has answered.
extension Router {
  mutating func askStatus(for connection: Slot<Connection>, at now: Instant) throws(Fault) {
    try requireStore()
    guard try hasRoom(for: connection, at: now) else { return }
    let stored = Array(request.text(.stored))
    let identity = durableIdentity(of: connection)
    spent &+= KeeperDesk.answer
    let ticket = openTicket(.status, bytes: Message.overhead, from: connection, at: now)
    desk.ask(.status(ticket, stored: stored, identity: identity))
  }

  mutating func askDead(for connection: Slot<Connection>, at now: Instant) throws(Fault) {
    for member in [Member.chain, .after, .until, .limit] where request.has(member) && request.has(.stored) {
      throw Fault(.badMember, "\"\(member.spelling)\" is not allowed beside \"stored\", which names one message")
    }
    try requireStore()
    guard try hasRoom(for: connection, at: now) else { return }
    try refuseSecondPage(of: connection)
    let ticket = openTicket(.deadLetters, bytes: Message.overhead, from: connection, at: now)
    if request.has(.stored) {
      desk.ask(.deadLetter(ticket, stored: Array(request.text(.stored))))
    } else {
      desk.ask(
        .deadLetters(
          ticket, chain: Array(request.chainText), after: request.has(.after) ? Array(request.text(.after)) : nil,
          until: request.has(.until) ? Array(request.text(.until)) : nil, limit: request.integer(.limit) ?? 100))
    }
  }

  /// A page may take much memory until it is written: a connection waits for one at a time.
  private mutating func refuseSecondPage(of connection: Slot<Connection>) throws(Fault) {
    var ticket = connections[connection].asking.lastTicket
    // Others that wait are told from the last one on, which is where such a page would be soon.
    for _ in 0..<settings.pieces.size where ticket != .nobody {
      if desk.tickets[ticket].kind == .deadLetters {
        throw Fault(.busy, "this connection waits for dead letters already; wait for its reply")
      }
      ticket = desk.tickets[ticket].previous
    }
  }

  mutating func resend(for connection: Slot<Connection>, at now: Instant) throws(Fault) {
    try requireStore()
    try refuseWhileDraining()
    try checkCargo(request.raw(.payload).count, beside: 0)
    guard try hasRoom(for: connection, at: now) else { return }
    try checkWayToDisk(of: connection)
    let payload = request.has(.payload) ? Array(request.raw(.payload)) : nil
    let (stored, from) = (Array(request.text(.stored)), Array(connections[connection].from.bytes))
    spent &+= KeeperDesk.answer &+ Cost.reading(payload?.count ?? 0)
    let ticket = openTicket(.resend, bytes: Message.overhead + (payload?.count ?? 0), from: connection, at: now)
    pauseOnWayToDisk(connection, at: now)
    desk.ask(
      .resending(ticket, stored: stored, payload: payload, from: from, identity: durableIdentity(of: connection)))
  }

  mutating func discard(for connection: Slot<Connection>, at now: Instant) throws(Fault) {
    try requireStore()
    try refuseWhileDraining()
    guard try hasRoom(for: connection, at: now) else { return }
    let stored = Array(request.text(.stored))
    spent &+= KeeperDesk.answer
    let ticket = openTicket(.discard, bytes: Message.overhead, from: connection, at: now)
    desk.ask(.discarding(ticket, stored: stored, identity: durableIdentity(of: connection)))
  }
}
