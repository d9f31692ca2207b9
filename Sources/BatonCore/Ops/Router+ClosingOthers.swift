/// `close`: one peer closes the connection of another, or its own (contract, section 8).
extension Router {
  mutating func closeOther(for connection: Slot<Connection>, at now: Instant) throws(Fault) {
    let number = request.integer(.connection) ?? 0
    guard let other = lookForConnection(number, for: connection) else {
      readAgain()
      return
    }
    endSurvey(of: connection)
    guard other != .nobody else {
      throw Fault(
        .noSuchConnection,
        "there is no connection \(number); {\"op\":\"inspect\",\"connections\":true} lists those that there are")
    }
    journalClose(of: other, by: connection)
    noteClosedByPeer(other, by: connection, at: now)
    let by = OwnedBytes(copying: connections[connection].from.bytes)
    let name = by.string
    // The reply comes first: a peer that closes its own connection gets it, too.
    if var writer = beginReply("ok", to: connection, atMost: 64) {
      writer.count(",\"connection\":", number)
      writer.literal("}\n")
      commitLine(writer, to: connection, at: now)
    }
    sever(
      other, .closedByPeer,
      says: "\(name.dropFirst().dropLast()) has closed this connection; ask there before you connect again",
      by: by.bytes,
      at: now)
    extendLifetime(by)
  }
}
