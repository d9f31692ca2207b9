package import BatonLasting

/// The door to the keeper of durable messages (contract, section 15): whoever has one calls these once in each turn, and
/// `tell…` for what the keeper answers.
extension Router {
  /// What the keeper has not been told yet, in order.
  package mutating func fetchKeeperRequests() -> [KeeperRequest] { desk.fetch() }

  /// Whether the keeper has not been told all yet.
  package var hasKeeperRequests: Bool { mutating get { desk.hasRequests } }

  /// What operators may see of the keeper. It is not held.
  package mutating func showKeeper(_ sight: any KeeperSight) { desk.show(sight) }

  /// The bytes that topic, payload and meta of a stored message may have together, with what stands around them.
  package var mostStoredBytes: Int { mutating get { settings.maxCargo + 1024 } }

  /// The settings in force.
  package var keeperSettings: Settings { mutating get { settings } }

  /// Whether one more try may begin in this turn; and whether it may in another one. Tries have the share of one sender.
  package var mayBeginTry: Bool { mutating get { desk.cost < Cost.turn && hasRoomForTry } }
  package var hasRoomForTry: Bool {
    mutating get {
      let free = settings.maxTotalBytes - openBytes
      return free > 0 && isBelowShare(bytesOfTries, ofFree: free)
    }
  }

  /// Begins a try of a stored message.
  package mutating func beginTry(_ attempt: DurableTry, at now: Instant) {
    spent = 0
    startTry(attempt, at: now)
    desk.pay(endOwnStep(at: now))
  }

  /// The keeper lets an ordinary message with a key go. `isKept`: it orders its key, and hears of its end.
  package mutating func letGo(_ number: UInt64, isKept: Bool, at now: Instant) {
    spent = 0
    takeDurableTurn(number, isKept: isKept, at: now)
    _ = endOwnStep(at: now)
  }

  /// The keeper has answered all that it can in this turn. `isQuiet`: nothing of it is left to be written or told, and no try
  /// is open. `hasKeys`: it has messages with a key, which ordinary ones of that key come behind.
  package mutating func keeperTurnEnds(isQuiet: Bool, hasKeys: Bool, at now: Instant) {
    desk.noteAnswered(isQuiet: isQuiet, hasKeys: hasKeys)
    endKeeperStep(at: now)
  }

  /// The peer of a connection that says one request sends nothing more: perhaps it has gone.
  package mutating func hasPerhapsGone(_ id: ConnectionID) {
    guard let connection = connectionSlot(of: id) else { return }
    let ticket = connections[connection].asking.firstTicket
    if ticket != .nobody { desk.ask(.senderHasPerhapsGone(desk.tickets.ref(ticket).number)) }
  }

  // MARK: Who is told

  /// The connection that waits for this ticket; nil if nobody does.
  package mutating func hearer(ofTicket number: UInt64) -> UInt64? {
    desk.find(number).map { desk.tickets[$0].connection.number }
  }

  /// Nobody waits for what would be told to this ticket.
  package mutating func dropTicket(_ number: UInt64, at now: Instant) {
    if let ticket = desk.find(number) { endTicket(ticket, at: now) }
  }

  // MARK: What the store gives

  /// The result of a try as operators may know it: an object of JSON.
  package static func wholeResult(_ result: [UInt8]) -> [UInt8] { Array(DurableResult.whole(result)) }

  /// Whether this can be the result of a try.
  package static func isSound(result: [UInt8]) -> Bool { DurableResult.isSound(result) }
}
