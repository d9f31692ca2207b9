/// Notes for `inspect`: the last changes and the last connections that were closed (contract, section 8).
extension Router {
  /// The state of a link has changed. `what` is `inserted`, `removed`, `replaced` or `lost`.
  mutating func noteChange(_ what: StaticString, of link: Slot<Link>?, _ members: String, at now: Instant) {
    let chain = link.map { chains[links[$0].chain].name.string }
    changes.add(Note(at: now, chain: chain, members: "\"what\":\"\(what)\",\(members)"))
  }

  /// The configuration file was read anew. Which chains have changed is for those who see all of them.
  mutating func noteReload(changed: [String], restart: [String], at now: Instant) {
    let others = changed.filter { !$0.hasPrefix("chains.") }
    let namesChains = others.count < changed.count
    let members = Router.reloadMembers(changed: changed, restart: restart)
    changes.add(Note(at: now, members: "\"what\":\"reloaded\",\(members)", isOfAllChains: namesChains))
    guard announcements.isHeard(.reloaded) else { return }
    announce(.reloaded, for: namesChains ? .seeingAll : .everybody, members)
    guard namesChains else { return }
    announce(.reloaded, for: .notSeeingAll, Router.reloadMembers(changed: others + ["chains"], restart: restart))
  }

  static func reloadMembers(changed: [String], restart: [String]) -> String {
    "\"changed\":\(quoted(changed)),\"restart\":\(quoted(restart))"
  }

  /// A connection ends. Requests that have their answers, or that nobody waits for, would push all others out.
  mutating func noteClosed(_ connection: Slot<Connection>, _ reason: String, at now: Instant) {
    if connections[connection].door == .request, reason == "lost" { return }
    closedConnections.add(Note(at: now, members: "\(whoIs(connection)),\"reason\":\"\(reason)\""))
  }

  /// A connection was closed by another one.
  mutating func noteClosedByPeer(_ connection: Slot<Connection>, by other: Slot<Connection>, at now: Instant) {
    noteChange("closed", of: nil, "\(whoIs(connection)),\"by\":\(connections[other].from.string)", at: now)
  }

  /// The number and the name of a connection, as members.
  mutating func whoIs(_ connection: Slot<Connection>) -> String {
    "\"connection\":\(connections[connection].number),\"name\":\(connections[connection].from.string)"
  }
}
