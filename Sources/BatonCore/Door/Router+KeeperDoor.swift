/// The door to the keeper of durable messages (contract, section 15): whoever has one calls these once in each turn, and
/// `tell…` for what the keeper answers.
extension Router {
  /// What the keeper has not been told yet, in order.
  package mutating func fetchKeeperRequests() -> [KeeperRequest] { desk.fetch() }

  /// Whether the keeper has not been told all yet.
  package var hasKeeperRequests: Bool { mutating get { desk.hasRequests } }

  /// What operators may see of the keeper. It is not held.
  package mutating func showKeeper(_ sight: any KeeperSight) { desk.sight = sight }

  /// The settings in force.
  package var keeperSettings: Settings { mutating get { settings } }

  /// The keeper has answered all that it can in this turn. `isQuiet`: nothing of it is left to be written, and no try is
  /// open.
  package mutating func keeperTurnEnds(isQuiet: Bool, at now: Instant) {
    desk.isQuiet = isQuiet
    endKeeperStep(at: now)
  }
}
