package import BatonLasting

/// Where durable messages are (contract, section 15, `Durable messages`).
extension Router {
  /// Where a message is. `isOwn`: the asker has sent it.
  package mutating func tellStatus(
    _ number: UInt64, stored: [UInt8], _ status: DurableStatus?, isOwn: Bool, at now: Instant
  ) {
    guard let ticket = desk.find(number) else { return }
    guard let status, status.state != .accepting, mayKnow(ticket, status, isOwn) else {
      return tellFault(Fault(.noSuchMessage, Router.refusal(.noSuchMessage)), to: ticket, at: now)
    }
    guard hears(ticket, at: now) else { return }
    var writer = beginAnswer("stored", as: .told, to: ticket, atMost: 320)
    writer.stored(stored)
    writer.literal(",\"chain\":\"")
    status.chain.withUnsafeBytes { writer.raw($0) }
    writer.literal("\"")
    writer.status(status)
    endAnswer(writer, to: ticket, at: now)
    endTicket(ticket, at: now)
  }

  private mutating func mayKnow(_ ticket: Slot<Ticket>, _ status: DurableStatus, _ isOwn: Bool) -> Bool {
    let asker = desk.tickets[ticket].connection
    guard connections.contains(asker) else { return false }
    if isOwn, connections[asker.slot].identity != .nobody { return true }
    return status.chain.withUnsafeBytes { maySee(chainNamed: $0, asker.slot) }
  }

  /// Messages of a chain. Those that take too much for one line are on the next page: it begins with the place `next`.
  package mutating func tellKept(_ number: UInt64, _ messages: [KeptMessage], next: Int?, at now: Instant) {
    guard let ticket = desk.find(number), hears(ticket, at: now) else { return }
    let most = min(settings.maxLine, 512 << 10)
    let told = messages.prefix(max(1, (most - 256) / Router.boundOfKept))
    let next = told.count < messages.count ? messages[told.count].place : next
    var writer = beginAnswer("stored", as: .told, to: ticket, atMost: 96 + told.count * Router.boundOfKept)
    writer.literal(",\"messages\":[")
    for (number, message) in told.enumerated() {
      if number > 0 { writer.literal(",") }
      writer.kept(message)
    }
    writer.literal(next == nil ? "],\"more\":false" : "],\"more\":true")
    if let next {
      writer.count(",\"after\":\"", next)
      writer.literal("\"")
    }
    endAnswer(writer, to: ticket, at: now)
    endTicket(ticket, at: now)
  }

  /// The most bytes that one of them takes.
  private static let boundOfKept = 320 + LineWriter.mostOfIdentity
}

extension LineWriter {
  /// A name of an identity has at most as many bytes; of a store that says another thing, none is told.
  fileprivate static let mostOfIdentity = 64

  fileprivate mutating func kept(_ message: KeptMessage) {
    stored(message.id, as: "{\"stored\":\"")
    status(message.status)
    let identity = message.identity
    // The file of a store may say anything.
    if 1...LineWriter.mostOfIdentity ~= identity.count, identity.withUnsafeBytes({ Words.complaint(name: $0) == nil }) {
      literal(",\"identity\":\"")
      identity.withUnsafeBytes { raw($0) }
      literal("\"")
    }
    literal(",\"ago_ms\":")
    digits(UInt(message.age))
    literal("}")
  }
}

extension LineWriter {
  fileprivate mutating func status(_ status: DurableStatus) {
    literal(",\"state\":\"")
    literal(status.spelling)
    literal("\",\"tries\":")
    digits(UInt(status.tries))
    // A dead letter without an end of a try has the result of a try that took too long.
    if let cause = status.lastCause?.spelling ?? (status.state == .dead ? "timeout" : nil) {
      literal(",\"cause\":\"")
      literal(cause)
      literal("\"")
    }
    if status.isUncounted { literal(",\"uncounted\":true") }
    if status.isUndeclared { literal(",\"undeclared\":true") }
    if let next = status.nextTryMilliseconds {
      literal(",\"next_try_ms\":")
      digits(UInt(next))
    }
  }
}

extension DurableStatus {
  fileprivate var spelling: StaticString {
    switch state {
    case .accepting: "accepting"
    case .delayed: "delayed"
    case .waiting: "waiting"
    case .underWay: "under_way"
    case .ending: "ending"
    case .dead: "dead"
    }
  }
}
