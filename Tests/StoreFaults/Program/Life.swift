import BatonKeeper
import BatonLasting
import BatonStore
import WorldKit

/// Keeper and store together, and senders, handlers and operators around them: one step after the other, from a seed. What
/// was told to anybody is noted in `Ledger`.
final class Life {
  let path: String
  var luck: Generator
  var keeper: Keeper
  var store: Store
  var ledger: Ledger
  var now: UInt64 = 1
  var wall: Int64 = 1_700_000_000_000
  var least: UInt64 = 0
  var lastTicket: UInt64 = 0
  var open: [StoredID] = []
  var jobs: [StoreJob] = []
  var change: UInt64 = 0
  var seq: UInt64 = 0
  var damaged = 0
  /// Whether jobs and answers are printed.
  nonisolated(unsafe) static var isLogged = false
  private var isLogged: Bool { Self.isLogged }

  static let chain = Array("orders".utf8)

  /// A start: what the store has is told to a new keeper.
  init(path: String, seed: UInt64, ledger: Ledger = Ledger()) throws {
    self.path = path
    self.ledger = ledger
    luck = Generator(seed: seed)
    store = try Store(path: path)
    keeper = Keeper(
      limits: KeeperLimits(), start: StoredID.Start(random: luck.next(), luck.next()), secret: store.start.secret,
      seed: luck.next(), results: ResultSpelling(shorten: { $0 }, damaged: { _, _ in [100] }, none: { _ in [110] }))
    lastTicket = ledger.lastTicket
    keeper.begin(at: now, wall: wall)
    keeper.declared([DurableWindow(chain: Self.chain, window: 3)])
    var found = Found()
    try store.restore(wall: wall) { item in
      switch item {
      case .message(let message, let key, let isDead):
        keeper.restore(message, key: key, isDead: isDead)
        found.messages[message.id] = isDead
      case .once(let once):
        keeper.restore(once)
        found.names[once.id] = once.until != nil
      case .value(let kept, let number):
        found.values[kept.topic] = kept.payload
        change = max(change, number)
      case .event(let kept): found.events[kept.seq] = kept.payload
      case .damaged: damaged += 1
      }
    }
    seq = max(store.start.seq, found.events.keys.max() ?? 0, ledger.lastSeq)
    keeper.open()
    try self.ledger.check(found, store)
  }

  func step() throws {
    switch luck.below(10) {
    case ..<4: send()
    case ..<7: endTry()
    case ..<8: keep()
    case ..<9: askDead()
    default: now += 1500
    }
    try turn()
  }

  /// One turn of the loop: what the keeper wants is done, and what the store answers is told to it.
  func turn() throws {
    now += 1
    keeper.turn(at: now, wall: wall + Int64(now))
    while let output = keeper.next() { try carryOut(output) }
    let given = jobs
    jobs = []
    if isLogged { for job in given { print("\(now) \(job)".prefix(300)) } }
    for answer in store.carryOut(given, from: &least) {
      if isLogged { print("\(now) \(answer) \(store.lastError ?? "")".prefix(200)) }
      take(answer)
    }
  }

  private func carryOut(_ output: KeeperOutput) throws {
    switch output {
    case .write(let write):
      ledger.given(write.change)
      jobs.append(.write(write))
    case .load(let row): jobs.append(.load(row))
    case .begin(let attempt):
      try ledger.begun(attempt)
      open.append(attempt.stored)
    case .accepted(let ticket, let id, _): try ledger.accepted(ticket, id)
    case .result(_, let id, let isDead, _): try ledger.ended(id, isDead: isDead)
    case .refused(let ticket, let refusal): ledger.refused(ticket, refusal)
    case .done: break
    case .died(let id, _, let isDamaged):
      if isDamaged { damaged += 1 }
      ledger.died(id)
    case .recall, .letGo, .look, .stays: break
    }
  }

  private func take(_ answer: StoreAnswer) {
    switch answer {
    case .storedUpTo(let number):
      keeper.storedUpTo(number)
      ledger.kept(upTo: number)
    case .failed(let generation):
      keeper.failed(generation: generation)
      ledger.notKept()
    case .loaded(let row, let found): keeper.loaded(row, found)
    case .recalled, .notRecalled, .recallFailed, .dead, .hasFree, .base: break
    }
  }

  private func send() {
    lastTicket += 1
    ledger.lastTicket = lastTicket
    let head = Array("ticket \(lastTicket)".utf8)
    // Some take pages of their own.
    let payload = [UInt8](repeating: UInt8(truncatingIfNeeded: lastTicket), count: luck.pick([1, 100, 9000]))
    var send = DurableMessage(
      ticket: lastTicket, identity: [], chain: Self.chain,
      content: DurableContent(head: head, from: head, key: luck.chance(40) ? [1] : nil, payload: payload),
      rules: TryRules(
        tries: UInt32(luck.between(1...3)), retryMilliseconds: 10, timeoutMilliseconds: 100,
        expiresMilliseconds: 3_600_000))
    if luck.chance(50) { send.once = head }
    ledger.sent(send)
    keeper.takeIn(send)
  }

  private func endTry() {
    guard !open.isEmpty else { return }
    let id = open.remove(at: luck.below(open.count))
    let status: TryEnd.Status = luck.chance(60) ? .handled : luck.pick([.failed, .unhandled, .rejected])
    keeper.tryEnded(id, TryEnd(status, result: Array("result of \(id.count)".utf8)))
  }

  private func keep() {
    for _ in 0..<3 where keeper.takesStaying {
      seq += 1
      change += 1
      let topic = Array("topic \(luck.below(5))".utf8)
      let kept = Publication(
        topic: topic, payload: Array("payload \(change)".utf8), meta: [], from: [1], identity: [], seq: seq, at: 1)
      for one in [PublicationChange.addEvent(kept), .setValue(kept, change: change)] {
        let write = keeper.write(one, bytes: 100)
        ledger.given(one, write.number)
        jobs.append(.write(write))
      }
    }
  }

  private func askDead() {
    let dead = keeper.deadLetters(of: Self.chain, after: nil, limit: 1).ids
    guard let id = dead.first else { return }
    lastTicket += 1
    ledger.lastTicket = lastTicket
    if luck.chance(50) {
      keeper.discard(id, ticket: lastTicket)
    } else {
      keeper.resend(id, ticket: lastTicket, payload: nil, from: nil)
    }
  }

  /// Nothing fails any more: what was accepted comes to its end.
  func end() throws {
    for _ in 0..<2000 {
      try turn()
      while let id = open.popLast() { keeper.tryEnded(id, TryEnd(.handled, result: [1])) }
      now += 1100
      if keeper.isQuiet, keeper.counts().waiting == 0, jobs.isEmpty { return }
    }
    throw Broken("what was accepted does not end: \(keeper.counts())")
  }
}

/// What a start found.
struct Found {
  /// Whether it is dead.
  var messages: [StoredID: Bool] = [:]
  /// Whether its message has ended.
  var names: [StoredID: Bool] = [:]
  var values: [[UInt8]: [UInt8]] = [:]
  var events: [UInt64: [UInt8]] = [:]
}
