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
    let (level, words) = JournalLog.words(of: entry.kind, entry.more)
    var metadata: Logger.Metadata = [:]
    for fact in entry.facts {
      switch fact.value {
      case .text(let text): metadata[fact.name] = .string(text)
      case .number(let number): metadata[fact.name] = .stringConvertible(number)
      }
    }
    if entry.more > 0 { metadata["more"] = .stringConvertible(entry.more) }
    if case .closes(let reason) = entry.kind { metadata["reason"] = .string(reason.rawValue) }
    server.logger.log(level: level, "\(words)", metadata: metadata)
  }

  /// `more`: 0 for one event, otherwise how many came since the last line of this kind; at least two.
  private static func words(of kind: JournalKind, _ more: Int) -> (level: Logger.Level, words: String) {
    let one = more == 0
    return switch kind {
    case .serves:
      (.notice, one ? "a connection begins to serve a link" : "\(more) more times, a connection begins to serve a link")
    case .mounts: (.notice, one ? "a chain is mounted" : "\(more) more chains are mounted")
    case .leaves: (.notice, one ? "a link is left" : "\(more) more links are left")
    case .holds:
      (
        .notice,
        one ? "a link is left, and its place is kept" : "\(more) more links are left, and their places are kept"
      )
    case .moves: (.notice, one ? "a link is moved" : "\(more) more links are moved")
    case .replaces: (.notice, one ? "a link is replaced" : "\(more) more links are replaced")
    case .beginsToFail:
      (.warning, one ? "a link begins to fail messages" : "\(more) more links begin to fail messages")
    case .failsOn: (.warning, one ? "a link fails further messages" : "\(more) more links fail further messages")
    case .breakerOpens:
      (
        .warning,
        one
          ? "a breaker opens: the link gets no offers until a message has tried it"
          : "\(more) more breakers open: the links get no offers until a message has tried them"
      )
    case .breakerCloses:
      (
        .notice,
        one
          ? "a breaker closes: the link answers again" : "\(more) more breakers close: the links answer again"
      )
    case .missesEvents:
      (
        .warning,
        one
          ? "a subscriber begins to miss events" : "\(more) more subscribers begin to miss events"
      )
    case .missedEvents:
      (.warning, one ? "a subscriber has missed events" : "\(more) more subscribers have missed events")
    case .denied:
      (
        .notice,
        one
          ? "a peer asked for something that it may not do" : "\(more) more times, peers asked for what they may not do"
      )
    case .exposesToken:
      (
        .warning,
        one
          ? "a token came over plain TCP from another machine, and everybody on the way may have read it: change it"
          : "\(more) more times, a token came over plain TCP from another machine: change it"
      )
    case .asksToReload:
      (.notice, one ? "a peer asks for a reload" : "\(more) more times, peers ask for a reload")
    case .closesAnother:
      (.notice, one ? "a peer closes a connection" : "peers close \(more) more connections")
    case .dies:
      (.warning, one ? "a durable message is a dead letter" : "\(more) more durable messages are dead letters")
    case .storeFails: (.error, "the disk of the store does not take what is written")
    case .storeWorks: (.notice, "the store is written again")
    case .closes(.authFailed):
      (
        .warning,
        one
          ? "the server closes a connection: it is not who it says"
          : "the server closes \(more) more connections: they are not who they say"
      )
    case .closes(.tooSlow):
      (
        .warning,
        one
          ? "the server closes a connection that does not read or answer"
          : "the server closes \(more) more connections that do not read or answer"
      )
    case .closes:
      (.notice, one ? "the server closes a connection" : "the server closes \(more) more connections")
    }
  }
}
