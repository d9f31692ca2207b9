import BatonLasting
import BatonStore

/// What was told, across all lives of a store, and what a start must find therefore.
struct Ledger {
  private struct Known {
    var content: DurableContent
    var hasName = false
    var isAccepted = false
    var isRefused = false
    /// Its end, its death, or that a dead letter goes, was given to the store; and was told.
    var mayHaveEnded = false
    var hasEnded = false
    var mayBeDead = false
    var isDead = false
  }

  private var known: [StoredID: Known] = [:]
  private var sends: [UInt64: DurableMessage] = [:]
  private var ids: [UInt64: StoredID] = [:]
  private var keeps: [UInt64: PublicationChange] = [:]
  private var events: [UInt64: [UInt8]] = [:]
  private var mayEvents: [UInt64: [UInt8]] = [:]
  private var values: [[UInt8]: [UInt8]] = [:]
  private var mayValues: [[UInt8]: Set<[UInt8]>] = [:]
  var lastTicket: UInt64 = 0
  var lastSeq: UInt64 { mayEvents.keys.max() ?? 0 }
  private(set) var countAccepted = 0
  private(set) var countEnded = 0
  private(set) var countRefused = 0

  mutating func sent(_ send: DurableMessage) { if let ticket = send.ticket { sends[ticket] = send } }

  mutating func given(_ change: StoreChange) {
    switch change {
    case .insert(let message, let content, let once):
      known[message.id] = Known(content: content, hasName: once != nil)
      for (ticket, send) in sends where send.content.head == content.head { ids[ticket] = message.id }
    case .resend(let message, let content, let old, _):
      if known[message.id] == nil { known[message.id] = Known(content: content) }
      note(row: old) { $0.mayHaveEnded = true }
    case .end(let row, _, _), .discard(let row, _): note(row: row) { $0.mayHaveEnded = true }
    case .dead(let row, _, _): note(row: row) { $0.mayBeDead = true }
    case .state, .remove, .forget, .stays, .log: break
    }
  }

  /// Counts may come again after a start; the message that is there is the last one of that count.
  private mutating func note(row: UInt64, _ body: (inout Known) -> Void) {
    for (id, one) in known where id.count == row {
      var one = one
      body(&one)
      known[id] = one
    }
  }

  mutating func accepted(_ ticket: UInt64, _ id: StoredID) throws {
    guard let one = known[id], !one.isRefused else { throw Broken("accepted, and never given: \(id.count)") }
    known[id]?.isAccepted = true
    countAccepted += 1
  }

  mutating func begun(_ attempt: DurableTry) throws {
    guard let one = known[attempt.stored], one.content == attempt.content else {
      throw Broken("a try has another content than its message: \(attempt.stored.count)")
    }
    if one.hasEnded || one.isRefused { throw Broken("a try of what has ended: \(attempt.stored.count)") }
    known[attempt.stored]?.isAccepted = true
  }

  mutating func ended(_ id: StoredID, isDead: Bool) throws {
    if known[id]?.hasEnded == true { throw Broken("ended twice: \(id.count)") }
    if isDead { known[id]?.isDead = true } else { known[id]?.hasEnded = true }
    countEnded += 1
  }

  mutating func died(_ id: StoredID) { known[id]?.isDead = true }

  mutating func refused(_ ticket: UInt64, _ refusal: DurableRefusal) {
    countRefused += 1
    if let id = ids[ticket] { known[id]?.isRefused = true }
  }

  mutating func given(_ change: PublicationChange, _ number: UInt64) {
    keeps[number] = change
    if case .addEvent(let kept) = change { mayEvents[kept.seq] = kept.payload }
    if case .setValue(let kept, _) = change { mayValues[kept.topic, default: []].insert(kept.payload) }
  }

  mutating func kept(upTo number: UInt64) {
    for key in keeps.keys.sorted() where key <= number {
      if case .addEvent(let kept)? = keeps[key] { events[kept.seq] = kept.payload }
      if case .setValue(let kept, _)? = keeps[key] {
        values[kept.topic] = kept.payload
        mayValues[kept.topic] = [kept.payload]
      }
      keeps[key] = nil
    }
    for change in keeps.values {
      if case .setValue(let kept, _) = change { mayValues[kept.topic, default: []].insert(kept.payload) }
    }
  }

  /// Until another commit succeeds they may be there after all.
  mutating func notKept() { keeps = [:] }

  /// Holds what a start found against all that was told.
  mutating func check(_ found: Found, _ store: Store) throws {
    for (id, isDead) in found.messages {
      guard let one = known[id] else { throw Broken("nobody sent \(id.count)") }
      if one.hasEnded { throw Broken("\(id.count) has ended, and is there") }
      if one.isRefused { throw Broken("\(id.count) was refused, and is there") }
      if one.isDead, !isDead { throw Broken("\(id.count) is a dead letter, and waits") }
      if isDead, !one.mayBeDead { throw Broken("\(id.count) is dead, and did not die") }
      try checkContent(id, one, store)
    }
    for (id, one) in known where found.messages[id] == nil {
      if one.isAccepted, !one.mayHaveEnded { throw Broken("\(id.count) was accepted, and is not there") }
      if one.hasName, one.hasEnded, found.names[id] != true { throw Broken("the name of \(id.count) is not there") }
      // What was given and is not there was never kept, or has ended. The first comes back at no later start.
      let wasKept = one.isAccepted || one.hasEnded || found.names[id] != nil
      if wasKept { known[id]?.hasEnded = true } else { known[id] = nil }
    }
    for id in found.names.keys where known[id] == nil { throw Broken("nobody used the name of \(id.count)") }
    for (seq, payload) in events where found.events[seq] != payload { throw Broken("event \(seq) is not there") }
    for (seq, payload) in found.events where mayEvents[seq] != payload { throw Broken("event \(seq) was never there") }
    for (topic, payload) in values where found.values[topic] == nil {
      throw Broken("a value is gone: \(topic) \(payload)")
    }
    for (topic, payload) in found.values {
      if mayValues[topic]?.contains(payload) != true { throw Broken("a value was never there, or is an older one") }
    }
    (events, values) = (found.events, found.values)
    for (topic, payload) in found.values { mayValues[topic] = [payload] }
    keeps = [:]
  }

  private func checkContent(_ id: StoredID, _ one: Known, _ store: Store) throws {
    var least: UInt64 = 0
    guard case .loaded(_, .content(let content, _, _))? = store.carryOut([.load(id.count)], from: &least).first,
      content == one.content
    else { throw Broken("\(id.count) has another content") }
  }
}
