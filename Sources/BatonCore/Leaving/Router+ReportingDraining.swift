/// What a server that drains still waits for, for the log.
public struct DrainReport: Equatable, Sendable {
  /// Milliseconds until the messages that are still under way end with `timeout`.
  public internal(set) var milliseconds = 0
  /// Messages under way.
  public internal(set) var messages = 0
  /// The links where the first of them are, with how many are there: `main/porter (2)`.
  public internal(set) var places: [String] = []
  /// Whether the store has not written all that it has to.
  public internal(set) var waitsForStore = false
  /// Connections that are not closed yet.
  public internal(set) var connections = 0
  /// Those of them that have not taken all of their lines.
  public internal(set) var readers = 0
  /// The bytes that they have not taken.
  public internal(set) var unsentBytes = 0
}

extension Router {
  /// The slots of messages that are looked at for the names of links, and the links that are named.
  private static let (slotsForNames, namedPlaces) = (1000, 8)

  mutating func reportDraining(at now: Instant) -> DrainReport {
    var report = DrainReport()
    report.milliseconds = drainDeadline.map { max(0, $0.milliseconds(since: now)) } ?? 0
    report.messages = messagesUnderWay
    report.connections = connections.count
    report.waitsForStore = desk.isThere && !desk.isQuiet
    report.unsentBytes = unsentBytes
    for connection in connections.slots where connections.isTaken(connection) {
      if connections[connection].outbox.count > 0 { report.readers += 1 }
    }
    var found: [(link: Slot<Link>, count: Int)] = []
    for walk in walks.slots.prefix(Router.slotsForNames) where walks.isTaken(walk) {
      let link = walks[walk].link
      guard link != .nobody else { continue }
      if let at = found.firstIndex(where: { $0.link == link }) {
        found[at].count += 1
      } else if found.count < Router.namedPlaces {
        found.append((link, 1))
      }
    }
    for (link, count) in found { report.places.append("\(placeName(of: link)) (\(count))") }
    return report
  }
}
