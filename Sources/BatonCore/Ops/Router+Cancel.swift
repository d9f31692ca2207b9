/// `cancel`: a peer ends a message that it sent (contract, section 4, `Cancelling`).
extension Router {
  mutating func cancelMessage(for connection: Slot<Connection>, at now: Instant) {
    guard let walk = lookForMessage(request.raw(.request), of: connection) else {
      readAgain()
      return
    }
    endSurvey(of: connection)
    // Its result comes first.
    if walk != .nobody {
      spent &+= Cost.step
      let ref = walks.ref(walk)
      let hasEnded = walks[walk].isHeld
      if !hasEnded { endEarly(walk, .cancelled, at: now) }
      if walks.contains(ref), walks[walk].isHeld {
        return replyBehindEnd(of: walk, isCancelled: !hasEnded, to: connection, at: now)
      }
    }
    guard var writer = beginReply("ok", to: connection, atMost: 64) else { return }
    writer.literal(walk == .nobody ? ",\"cancelled\":false}\n" : ",\"cancelled\":true}\n")
    commitLine(writer, to: connection, at: now)
  }

  /// Looks for the oldest message under way that the connection sent with this `id`, one more piece. The answer is nil if
  /// it was not found in this piece; `nobody` if there is none.
  private mutating func lookForMessage(_ id: UnsafeRawBufferPointer, of connection: Slot<Connection>) -> Slot<Walk>? {
    // Where the last piece ended; from the start again, if that message has ended meanwhile. No new ones come.
    let reached = connections[connection].survey?.reachedMessage ?? .none
    var walk = walks.contains(reached) ? reached.slot : connections[connection].sending.firstNamed
    for _ in 0..<(16 &* settings.pieces.size) {
      guard walk != .nobody else { return .nobody }
      spent &+= Cost.look
      if walks[walk].message.id.equals(id) { return walk }
      walk = walks[walk].nextNamed
    }
    guard walk != .nobody else { return .nobody }
    survey(for: connection).reachedMessage = walks.ref(walk)
    return nil
  }
}
