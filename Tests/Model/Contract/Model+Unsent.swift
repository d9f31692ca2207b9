/// Peers that read slowly, and lines that come slowly (contract, section 10, and section 7, "Missed").
extension Model {
  // MARK: What is sent and not read

  /// More bytes wait until the network takes them.
  mutating func queue(_ bytes: Int, to connection: Int) {
    peers[connection].unsent += bytes
    guard replies(to: connection) > settings.readingUnsentBytes else { return }
    if replies(to: connection) > settings.maxUnsentBytes { alarms.set(.connection(connection), at: now + 1) }
    guard !peers[connection].stops.contains(.unsent) else { return }
    peers[connection].lastTaken = now
    alarms.set(.connection(connection), at: now + settings.slowMilliseconds)
    stopReading(connection, .unsent)
  }

  /// What is unsent, without events and notices.
  private func replies(to connection: Int) -> Int { peers[connection].unsent - peers[connection].unsentEvents }

  /// The network has taken bytes: what waited for that goes on.
  mutating func relieve(_ connection: Int, of bytes: Int) {
    let before = peers[connection].unsent
    peers[connection].unsent -= bytes
    peers[connection].unsentEvents = min(peers[connection].unsentEvents, peers[connection].unsent)
    peers[connection].lastTaken = now
    let unsent = peers[connection].unsent
    guard hears(connection) else { return }
    if replies(to: connection) <= settings.readingUnsentBytes { goOnReading(connection, .unsent) }
    if unsent <= settings.eventsUnsentBytes / 2 { tellMissed(connection) }
    guard before > settings.offersUnsentBytes, keepsUp(connection) else { return }
    seen.insert(.offersWaitedForReader)
    for link in peers[connection].serving { offerWaiting(at: link) }
  }

  /// Whether offers may go to the connection.
  func keepsUp(_ connection: Int) -> Bool {
    peers[connection].unsent <= settings.offersUnsentBytes || !keeps(.offersWaitForReaders)
  }

  /// Whether an event or a notice may be sent to the connection. If not, it is lost, and counted.
  mutating func hasRoomForEvent(_ connection: Int) -> Bool {
    if peers[connection].unsent < settings.eventsUnsentBytes || !keeps(.eventsAreMissed) {
      tellMissed(connection)
      return true
    }
    seen.insert(.missed)
    if peers[connection].missed == 0 {
      var line = Line()
      line.add("by", peers[connection].from)
      tell("subscriber.missed", line, to: .everybody)
    }
    peers[connection].missed += 1
    peers[connection].lastMissed = now
    missedInAll += 1
    return false
  }

  /// If the peer has missed events, it is told how many.
  private mutating func tellMissed(_ connection: Int) {
    guard peers[connection].missed > 0 else { return }
    var line = Line("missed")
    line.add("count", keeps(.missedIsCounted) ? peers[connection].missed : 1)
    peers[connection].missed = 0
    say(line, to: connection)
  }

  /// If too much is unsent to the peer, it takes nothing, or it leaves too many offers unanswered, the server ends it.
  mutating func checkSpeed(of connection: Int) {
    let peer = peers[connection]
    let patienceEnds = (peer.stops.contains(.unsent) ? peer.lastTaken : now) + settings.slowMilliseconds
    if replies(to: connection) > settings.maxUnsentBytes, isNews(for: connection) {
      // The peer had no chance yet to take what was sent in this call.
      return alarms.set(.connection(connection), soonAfter: now)
    }
    let isSlow = now >= patienceEnds && keeps(.slowIsEnded)
    let leavesOffers = peer.row.count { $0.state == .lapsed } > settings.maxLapsedOffers && keeps(.lapsedAreLimited)
    if replies(to: connection) > settings.maxUnsentBytes || isSlow || leavesOffers {
      seen.insert(leavesOffers ? .leftOffers : .tooSlow)
      slowEndedAt = now
      return end(connection, "too_slow")
    }
    if peer.stops.contains(.unsent), now < patienceEnds { alarms.set(.connection(connection), at: patienceEnds) }
  }

  // MARK: What is begun and not ended

  /// Bytes of a line have come without its end.
  mutating func begin(_ bytes: Int, of connection: Int) {
    if peers[connection].begunBytes == 0 {
      peers[connection].begunAt = now
      alarms.set(.connection(connection), at: now + settings.lineTimeoutMilliseconds)
    }
    peers[connection].begunBytes += bytes
    giveUpLines(of: connection)
  }

  /// A line that is not ended in time ends the connection.
  mutating func checkLine(of connection: Int) {
    guard peers[connection].begunBytes > 0, hears(connection) else { return }
    let due = peers[connection].begunAt + settings.lineTimeoutMilliseconds
    if due > now { return alarms.set(.connection(connection), at: due) }
    guard keeps(.linesTimeOut) else { return }
    seen.insert(.lineTimeout)
    end(connection, "line_timeout")
  }

  /// Unfinished lines of all connections share one limit, and a connection has a share of it. Above them a connection
  /// goes: the one for which the bytes times the age of its lines are most.
  mutating func giveUpLines(of connection: Int) {
    while true {
      let all = peers.reduce(0) { $0 + $1.unfinishedBytes }
      let own = peers[connection].unfinishedBytes
      let isOver = own > 0 && own > share(ofFree: settings.maxUnfinishedBytes - all) && keeps(.unfinishedAreShared)
      guard all > settings.maxUnfinishedBytes || isOver else { return }
      let waiting = peers.indices.filter { peers[$0].unfinishedBytes > 0 }
      let weights = waiting.map { peers[$0].unfinishedBytes * (now - peers[$0].begunAt + 1) }
      let worst = weights.max().flatMap { weights.firstIndex(of: $0) }.map { waiting[$0] }
      guard let chosen = keeps(.worstLineGoes) ? worst : waiting.last else { return }
      seen.insert(.lineGivenUp)
      end(chosen, "line_timeout")
    }
  }
}
