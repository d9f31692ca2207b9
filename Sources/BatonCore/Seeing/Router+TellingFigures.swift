/// Tells figures for `/metrics`, in pieces between which the router goes on (Docs/http.md, section 13). The caller
/// pays with its own time: nothing here is on the account of a peer.
///
/// Whatever changes between two pieces, no name is told twice: elements are told in the order of their slots, and who
/// got a name after the beginning of the report is left out.
extension Router {
  /// The most slots that one piece looks at, and the most connections of their links.
  private static let slotsAtOnce = 200
  private static let connectionsAtOnce = 1000

  /// The figures of the whole server.
  package mutating func serverFigures(at now: Instant) -> ServerFigures {
    ServerFigures(
      messages: messages.total, missed: missedEvents, connections: connections.count,
      subscriptions: subscriptions.count, links: countedLinks, openMessages: messagesUnderWay, unsentBytes: unsentBytes,
      memoryBytes: settings.process.residentBytes(),
      uptimeMicroseconds: Int(max(0, now.microseconds - started.microseconds)),
      certificateSeconds: settings.process.certificateSeconds())
  }

  /// Where a report of figures begins that is told from now on.
  package mutating func beginFigures() -> FigurePlace { FigurePlace(latest: meters.latest) }

  /// Whether links of a chain are told together.
  package var tellsLinksTogether: Bool { mutating get { linksMeteredTogether > 0 } }

  /// Tells what was counted under some more names. Returns true if none is left.
  package mutating func tellMeters(from place: inout FigurePlace, _ tell: (MeterFigures) -> Void) -> Bool {
    for _ in 0..<Router.slotsAtOnce {
      guard place.next < meters.extent else { return true }
      let slot = Slot<Meters>(place.next)
      place.next += 1
      guard meters.isTaken(slot), meters[slot].birth <= place.latest else { continue }
      if slot == MeterTable.rest, meters[slot].isEmpty { continue }
      tell(
        MeterFigures(
          chain: meters[slot].chain.bytes, handler: meters[slot].handler.bytes,
          outcomes: Tally.allCases.map { meters[slot].count(of: $0) },
          times: (0..<Meters.buckets).map { meters[slot].times(inBucket: $0) },
          microseconds: meters[slot].microseconds, doubtful: meters[slot].doubtful))
    }
    return place.next >= meters.extent
  }

  /// Tells what some more links are doing: those that are told by their own names, or those that are told together.
  /// Returns true if none is left.
  package mutating func tellLinks(
    from place: inout FigurePlace, alone: Bool, at now: Instant, _ tell: (LinkFigures) -> Void
  ) -> Bool {
    var looked = 0
    for _ in 0..<Router.slotsAtOnce where looked < Router.connectionsAtOnce {
      guard place.next < links.extent else { return true }
      let link = Slot<Link>(place.next)
      place.next += 1
      guard links.isTaken(link), links[link].fate == nil, links[link].meters != MeterTable.rest,
        links[link].isMeteredAlone == alone, links[link].meterNumber <= place.latest
      else { continue }
      looked += 2 * links[link].connections
      let began = firstWaitBegan(at: link)
      tell(
        LinkFigures(
          chain: chains[links[link].chain].name.bytes, handler: links[link].name.bytes, isAlone: alone,
          meters: links[link].meters.index, open: openOffers(at: link), waiting: links[link].waiting,
          connections: links[link].connections,
          oldestMicroseconds: began.map { Int(max(0, now.microseconds - $0.microseconds)) } ?? 0,
          state: state(of: link, now).spelling))
    }
    return place.next >= links.extent
  }
}
