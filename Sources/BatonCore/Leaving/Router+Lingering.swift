/// Connections that have been ended, and are not closed before their peers could read the last line (contract, section 11).
/// They take no place of others, and are few: otherwise whoever is ended by the thousand would keep all others out.
extension Router {
  /// A tenth of the connections that there may be, from 32 to 1000.
  public static func mostLingering(beside connections: Int) -> Int { min(max(connections / 10, 32), 1000) }

  /// The connection has been ended. Of too many, the oldest of the owner that has the most is closed. A request of HTTP has a
  /// socket that ends by itself.
  mutating func beginLingering(_ connection: Slot<Connection>, at now: Instant) {
    guard connections[connection].door != .request else { return }
    connections[connection].place = lingering.append(connection, of: owner(of: connection))
    guard lingering.count > Router.mostLingering(beside: settings.maxConnections) else { return }
    let oldest = lingering.oldestOfMost()
    endLingering(oldest)
    connections[oldest].closeAt = now
    armConnection(oldest, at: now)
  }

  /// The connection is closed, or about to be.
  mutating func endLingering(_ connection: Slot<Connection>) {
    let place = connections[connection].place
    guard place != .nobody, connections[connection].phase == .severed else { return }
    connections[connection].place = .nobody
    lingering.remove(place)
  }

  /// Whose connection it is, among those that are ended.
  private mutating func owner(of connection: Slot<Connection>) -> UInt64 {
    let account = connections[connection].account
    guard account != .nobody else {
      return Crowd.owner(address: connections[connection].credentials?.facts.address ?? 0)
    }
    let owner = accounts[account].owner
    let isKnown = owner.identity != .nobody && !identities[owner.identity].isAnonymous
    return isKnown ? Crowd.owner(owner.identity) : Crowd.owner(address: owner.address)
  }
}
