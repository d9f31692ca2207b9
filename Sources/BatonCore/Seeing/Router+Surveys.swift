/// Requests that look at all connections or all messages. They do so in pieces, at the cost of the peer that asks.
extension Router {
  /// Begins the survey of the line that is read now, or goes on with it.
  mutating func survey(for connection: Slot<Connection>) -> Survey {
    if let survey = connections[connection].survey { return survey }
    let survey = Survey()
    keepSurvey(survey, for: connection)
    return survey
  }

  /// Looks at one more piece of what `inspect` has to look at. Returns true if nothing is left; otherwise the line is
  /// carried out again.
  mutating func looksAtAll(for connection: Slot<Connection>) -> Bool {
    let survey = survey(for: connection)
    var left = settings.pieces.size
    if request.flag(.connections) == true { lookAtConnections(with: survey, upTo: &left) }
    if request.flag(.messages) == true { lookAtWalks(with: survey, for: connection, upTo: &left) }
    guard left == 0 else { return true }
    readAgain()
    return false
  }

  private mutating func lookAtConnections(with survey: Survey, upTo left: inout Int) {
    while left > 0, survey.nextConnection < connections.extent {
      let slot = Slot<Connection>(survey.nextConnection)
      survey.nextConnection += 1
      left -= 1
      spent &+= Cost.look
      guard isPeer(slot) else { continue }
      survey.connections.offer(
        FoundConnection(
          ref: connections.ref(slot), number: connections[slot].number, unsent: connections[slot].outbox.count))
    }
  }

  private mutating func lookAtWalks(
    with survey: Survey, for connection: Slot<Connection>, upTo left: inout Int
  ) {
    let isAlone = request.has(.chain)
    let chain = isAlone ? findChain(request.text(.chain)) ?? .nobody : .nobody
    while left > 0, survey.nextWalk < walks.extent {
      let slot = Slot<Walk>(survey.nextWalk)
      survey.nextWalk += 1
      left -= 1
      spent &+= Cost.look
      guard walks.isTaken(slot), walks[slot].whole == .nobody else { continue }
      let place = shownPlace(of: slot)
      guard !isAlone || walks[place].place.chain == chain, maySee(walks[place].place.chain, connection)
      else { continue }
      survey.walks.offer(FoundWalk(ref: walks.ref(slot), number: walks[slot].number))
    }
  }

  /// Whether a connection is in the slot that was not closed yet.
  mutating func isPeer(_ slot: Slot<Connection>) -> Bool {
    connections.isTaken(slot) && connections[slot].phase != .severed
  }

  /// Looks for the open connection with this number, one more piece. The answer is nil if it was not found in this piece;
  /// `nobody` if there is none.
  mutating func lookForConnection(_ number: Int, for connection: Slot<Connection>) -> Slot<Connection>? {
    let survey = survey(for: connection)
    for _ in 0..<settings.pieces.size {
      guard survey.nextConnection < connections.extent else { return .nobody }
      let slot = Slot<Connection>(survey.nextConnection)
      survey.nextConnection += 1
      spent &+= Cost.look
      if isPeer(slot), connections[slot].number == number { return slot }
    }
    return nil
  }
}
