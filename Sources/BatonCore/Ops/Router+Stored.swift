/// `stored`, `dead`, `resend` and `discard`: what has become of durable messages (contract, section 15). The keeper knows
/// it; who may know it is looked at when it has answered.
extension Router {
  /// One message, by its name on the server or by the sender's own name for it; or those of a chain.
  mutating func askStored(for connection: Slot<Connection>, at now: Instant) throws(Fault) {
    try checkWhatIsAsked()
    try requireStore()
    guard try hasRoom(for: connection, at: now) else { return }
    if request.has(.chain) { return try askKept(for: connection, at: now) }
    let identity = durableIdentity(of: connection)
    spent &+= KeeperDesk.answer
    let ticket = openTicket(.status, bytes: Ticket.ownBytes, from: connection, at: now)
    desk.ask(
      request.has(.once)
        ? .statusOfName(ticket, once: Array(request.text(.once)), identity: identity)
        : .status(ticket, stored: Array(request.text(.stored)), identity: identity))
  }

  private mutating func checkWhatIsAsked() throws(Fault) {
    let asked = [Member.stored, .once, .chain].filter { request.has($0) }
    guard let first = asked.first else {
      throw Fault(.missingMember, "stored needs one of the members \"stored\", \"once\" and \"chain\"")
    }
    let beside = asked.dropFirst().first ?? (first == .chain ? nil : [.after, .limit].first { request.has($0) })
    guard let beside else { return }
    throw Fault(
      .badMember, "\"\(beside.spelling)\" is not allowed beside \"\(first.spelling)\", which names one message")
  }

  /// A page of the messages of a chain. It is paid for before, as if it were full: the answers to all who ask in one turn come
  /// together.
  private mutating func askKept(for connection: Slot<Connection>, at now: Instant) throws(Fault) {
    try refuseSecondPage(of: connection, .kept, "stored messages")
    let limit = request.integer(.limit) ?? 100
    spent &+= KeeperDesk.answer &+ KeeperDesk.mostLooked &* Cost.word &+ limit &* Cost.list
    let ticket = openTicket(.kept, bytes: Ticket.ownBytes, from: connection, at: now)
    let place = request.has(.after) ? PageStart.walkOrder(request.text(.after)) : nil
    desk.ask(
      .kept(
        ticket, chain: Array(request.chainText), from: place ?? 0, limit: limit,
        looking: KeeperDesk.mostLooked))
  }

  mutating func askDead(for connection: Slot<Connection>, at now: Instant) throws(Fault) {
    for member in [Member.chain, .after, .until, .limit] where request.has(member) && request.has(.stored) {
      throw Fault(.badMember, "\"\(member.spelling)\" is not allowed beside \"stored\", which names one message")
    }
    try requireStore()
    guard try hasRoom(for: connection, at: now) else { return }
    try refuseSecondPage(of: connection, .deadLetters, "dead letters")
    let limit = request.has(.stored) ? 1 : request.integer(.limit) ?? 100
    spent &+= KeeperDesk.answer &+ limit &* Cost.list
    let ticket = openTicket(.deadLetters, bytes: Ticket.ownBytes, from: connection, at: now)
    if request.has(.stored) {
      desk.ask(.deadLetter(ticket, stored: Array(request.text(.stored))))
    } else {
      desk.ask(
        .deadLetters(
          ticket, chain: Array(request.chainText), after: request.has(.after) ? Array(request.text(.after)) : nil,
          until: request.has(.until) ? Array(request.text(.until)) : nil, limit: limit))
    }
  }

  /// A page may take much memory until it is written: a connection waits for one at a time.
  private mutating func refuseSecondPage(
    of connection: Slot<Connection>, _ kind: Ticket.Kind, _ what: String
  ) throws(Fault) {
    var ticket = connections[connection].asking.lastTicket
    // Others that wait are told from the last one on, which is where such a page would be soon.
    for _ in 0..<settings.pieces.size where ticket != .nobody {
      if desk.tickets[ticket].kind == kind {
        throw Fault(.busy, "this connection waits for \(what) already; wait for its reply")
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
    let ticket = openTicket(.resend, bytes: Ticket.ownBytes + (payload?.count ?? 0), from: connection, at: now)
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
    let ticket = openTicket(.discard, bytes: Ticket.ownBytes, from: connection, at: now)
    desk.ask(.discarding(ticket, stored: stored, identity: durableIdentity(of: connection)))
  }
}
