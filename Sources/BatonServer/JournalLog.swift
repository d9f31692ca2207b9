internal import BatonCore
internal import Logging
internal import UV

/// Writes into the log what the router has noted: who serves and leaves which link, failing links, breakers, slow
/// readers, and why connections were ended. The router sees to it that each kind has one line a second at most.
final class JournalLog {
  private unowned let server: Server
  /// For what the router has counted and hands out when its second is over.
  private var timer: Timer?

  init(of server: Server) throws(UVError) {
    self.server = server
    timer = try Timer(on: server.loop) { [unowned self] in write() }
  }

  /// Writes what there is. `isLast`: nothing comes after it.
  func write(isLast: Bool = false) {
    while let entry = server.router.pointee.nextJournalEntry(at: server.now, isLast: isLast) { write(entry) }
    guard let timer, !isLast else { return }
    if let due = server.router.pointee.journalDueAt { timer.set(microseconds: due.microseconds) } else { timer.unset() }
  }

  func close() {
    timer?.close()
    timer = nil
  }

  private func write(_ entry: JournalEntry) {
    let (level, words) = JournalLog.words(of: entry.kind)
    var metadata: Logger.Metadata = [:]
    for fact in entry.facts {
      switch fact.value {
      case .text(let text): metadata[fact.name] = .string(text)
      case .number(let number): metadata[fact.name] = .stringConvertible(number)
      }
    }
    if entry.more > 0 { metadata["more"] = .stringConvertible(entry.more) }
    let rest = entry.more > 0 ? ", and \(entry.more) more in the last second" : ""
    server.logger.log(level: level, "\(words)\(rest)", metadata: metadata)
  }

  private static func words(of kind: JournalKind) -> (level: Logger.Level, words: String) {
    switch kind {
    case .serves: (.info, "a connection begins to serve a link")
    case .mounts: (.info, "a chain is mounted")
    case .leaves: (.info, "a link is left")
    case .holds: (.info, "a link is left, and its place is held")
    case .replaces: (.info, "a link is replaced")
    case .fails: (.warning, "a link fails messages")
    case .breakerOpens: (.warning, "a breaker opens: the link gets no offers until a message has tried it")
    case .breakerCloses: (.notice, "a breaker closes: the link answers again")
    case .missesEvents: (.warning, "a subscriber reads too slowly and begins to miss events")
    case .missedEvents: (.warning, "a subscriber has missed events")
    case .denied: (.notice, "a peer asked for something that it may not do")
    case .closes(.authFailed): (.warning, "the server closes a connection: it is not who it says")
    case .closes(.tooSlow): (.warning, "the server closes a connection that does not read or answer")
    case .closes: (.notice, "the server closes a connection")
    }
  }
}
