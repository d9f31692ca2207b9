/// What the server tells of durable messages by itself: dead letters, and a store that fails (contract, section 15).
extension Router {
  /// A message is a dead letter from now on.
  package mutating func announceDead(
    stored: [UInt8], chain: [UInt8], tries: Int, cause: StaticString, at now: Instant
  ) {
    if recorder.isOn, chain.withUnsafeBytes({ recorder.names($0) }) {
      recorder.note(.dead(stored: stored, chain: chain, tries: tries, cause: cause), at: now)
    }
    let (stored, chain) = (String(decoding: stored, as: UTF8.self), String(decoding: chain, as: UTF8.self))
    if journal.counts(.dies) {
      journal.tell(
        .dies, "\(stored) (\(chain))",
        [.text("stored", stored), .text("chain", chain), .number("tries", tries), .text("last_try", "\(cause)")])
    }
    guard announcements.isHeard(.messageDead) else { return }
    announce(
      .messageDead, for: .seeing(chain),
      "\"stored\":\"\(stored)\",\"chain\":\"\(chain)\",\"tries\":\(tries),\"cause\":\"\(cause)\"")
  }

  /// The disk of the store begins to refuse what is written, or takes it again.
  package mutating func noteStore(isFailing: Bool, at now: Instant) {
    let kind: JournalKind = isFailing ? .storeFails : .storeWorks
    if journal.counts(kind) { journal.tell(kind, "the store", []) }
  }
}
