/// Notes for `inspect`: the last changes and the last connections that were closed (contract, section 8).
extension Router {
  /// The state of a link has changed. `what` is `inserted`, `removed`, `replaced` or `lost`.
  mutating func noteChange(_ what: StaticString, of link: Slot<Link>?, _ members: String, at now: Instant) {
    let chain = link.map { chains[links[$0].chain].name.string }
    changes.add(Note(at: now, chain: chain, members: "\"what\":\"\(what)\",\(members)"))
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
