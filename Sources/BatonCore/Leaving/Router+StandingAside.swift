internal import BatonLasting

/// A node of a cluster leaves the work to another one: as a spare, and when a peer wants it (contract, section 16).
extension Router {
  mutating func turnAwayNewcomers(to other: OtherLeader?) { otherLeader = other }

  /// Tells a newcomer who leads, and ends its connection.
  mutating func turnAway(_ connection: Slot<Connection>, to other: OtherLeader, at now: Instant) {
    guard connections[connection].phase != .severed else { return }
    let (address, words) = (other.leader?.address, other.words)
    spent &+= Cost.error
    mark(.error(.notLeading), for: connection)
    let bound = other.node.utf8.count + words.utf8.count + (address?.utf8.count ?? 0)
    var writer = beginLine(to: connection, atMost: 160 + LineWriter.bound(text: bound))
    writer.literal("{\"op\":\"error\",\"code\":\"not_leading\",\"node\":")
    writer.text(other.node)
    if let address {
      writer.literal(",\"leader\":")
      writer.text(address)
    }
    writer.literal(other.isReady ? ",\"ready\":true" : ",\"ready\":false")
    writer.literal(",\"message\":")
    writer.text(words)
    writer.literal("}\n")
    commitLine(writer, to: connection, at: now)
    sever(connection, .notLeading, isTold: true, says: "", at: now)
  }

  /// `hand_over`: another node shall lead. The server drains, and then lets the lease go.
  mutating func handOver(for connection: Slot<Connection>, at now: Instant) throws(Fault) {
    guard let sight = settings.process.nodes() else { throw Router.noCluster }
    let to = request.has(.to) ? request.text(.to).string : nil
    guard drainDeadline == nil else { throw Fault(.draining, "the server is handing over already, or shutting down") }
    if let to, !sight.nodes.contains(where: { $0.name == to }) {
      throw Fault(.noSpare, "the cluster has no node \(to); baton nodes tells which it has")
    }
    guard to.map({ sight.spares.contains($0) }) ?? !sight.spares.isEmpty else {
      let why = sight.nodes.first { to == nil ? !$0.leads : $0.name == to }
      throw Fault(
        .noSpare,
        why.map { "\($0.name) cannot lead now: \($0.leads ? "it leads already" : $0.whyNot ?? "it does not answer")" }
          ?? "no other node is there")
    }
    wantedHandOver = HandOver(to: to)
    replyOK(to: connection, at: now)
  }

  mutating func takeWishToHandOver() -> HandOver? {
    defer { wantedHandOver = nil }
    return wantedHandOver
  }

  static let noCluster = Fault(
    .noCluster, "this server is no node of a cluster (cluster in its file, or --cluster)")
}
