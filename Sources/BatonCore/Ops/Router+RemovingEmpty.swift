/// `remove` with `empty`: all places of a chain that nobody serves (contract, section 5).
extension Router {
  /// Takes out the empty places of a chain, but for those of the configuration file: some now, and the rest when the line is carried
  /// out again.
  mutating func removeEmptyPlaces(for connection: Slot<Connection>, at now: Instant) {
    let survey = survey(for: connection)
    let chainName = request.chainName()
    defer { extendLifetime(chainName) }
    var left = settings.pieces.size
    while let chain = findChain(chainName.bytes) {
      let link = firstLink(of: chain, behind: survey.passed)
      guard link != .nobody else { break }
      guard left > 0 else {
        readAgain()
        return
      }
      survey.passed = links[link].order
      left -= 1
      spent &+= Cost.step
      if leavingConnections > 0 { settleLink(link, at: now) }
      guard links[link].isEmptyPlace, !links[link].isDeclared else { continue }
      survey.removed += 1
      left -= links[link].waiting
      removePlace(link, by: connection, at: now)
    }
    endSurvey(of: connection)
    guard var writer = beginReply("ok", to: connection, atMost: 64 + LineWriter.bound(text: chainName.count)) else {
      return
    }
    writer.literal(",\"chain\":")
    writer.text(chainName.bytes)
    writer.literal(",\"removed\":")
    writer.integer(survey.removed)
    writer.literal("}\n")
    commitLine(writer, to: connection, at: now)
  }

  private mutating func removePlace(_ link: Slot<Link>, by connection: Slot<Connection>, at now: Instant) {
    let ref = links.ref(link)
    takeOut(link, .removed, at: now)
    announceRemoved(link, by: connection, at: now)
    if passOnWaiting(at: ref, at: now) { beginJob(.passOn(ref)) } else { finishTakingOut(ref) }
  }
}
