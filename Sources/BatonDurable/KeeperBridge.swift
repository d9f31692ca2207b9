package import BatonCore
internal import BatonKeeper
package import BatonLasting

/// Carries between the router, the keeper of durable messages and a store: once in each turn of the loop, and in order.
///
/// It decides nothing, and knows no disk, no clock and no chance: `turn` is told the times, and what the store has answered
/// is told by `take`. `jobs` is what the store is to do.
package final class KeeperBridge {
  var keeper: Keeper
  /// For the store: those of one turn are committed together.
  package internal(set) var jobs: [StoreJob] = []
  private var answers: [StoreAnswer] = []
  /// Tries that have begun for the keeper, and wait for room in a turn of the router. The first `begun` of them have it, and
  /// have left.
  private var tries: [DurableTry?] = []
  private var begun = 0
  /// Memory for outputs of the keeper.
  private var spare: [KeeperOutput] = []
  /// Requests that the keeper has accepted as known ones, and whose results the store looks up.
  var recalls = Recalls()
  /// Dead letters that peers have asked for.
  var letters = LetterReads()
  private var now: UInt64 = 0
  private(set) var wall: Int64 = 0
  private(set) var instant = Instant(microseconds: 0)
  private var wasFailing = false

  /// A keeper without messages. `start`, `secret` and `seed` are as the keeper has them.
  package init(_ settings: Settings, start: StoredID.Start, secret: Secret, seed: UInt64) {
    keeper = Keeper(
      limits: KeeperLimits(settings), start: start, secret: secret, seed: seed,
      results: ResultSpelling(
        shorten: Router.shortResult, damaged: { Router.damagedResult(stored: $0.text, number: $1) },
        none: { Router.noResult(stored: $0.text) }))
  }

  // MARK: The start

  /// The chains that the router has declared come before the rows of the store. `again` is as the keeper has it.
  package func begin(
    _ router: inout Router, at instant: Instant, wall: Int64, again: UInt64 = 0, epoch: String? = nil
  ) {
    pass(to: instant, wall)
    keeper.begin(at: now, wall: wall, again: again)
    router.beginRestore(epoch: epoch)
    keeper.declared(router.durableWindows())
    router.showKeeper(self)
  }

  /// A message or a dead letter that the store had; `key` is that of its content.
  package func restore(_ row: StoredMessage, key: [UInt8]?, isDead: Bool) {
    keeper.restore(row, key: key, isDead: isDead)
  }

  /// A name of `once` that the store had, after its message.
  package func restore(_ once: StoredOnce) { keeper.restore(once) }

  /// All has been restored.
  package func open() { keeper.open() }

  // MARK: Turns

  /// What the store has answered. It counts from the next turn on.
  package func take(_ more: [StoreAnswer]) { answers += more }

  /// The jobs since the last call.
  package func takeJobs() -> [StoreJob] {
    defer { jobs = [] }
    return jobs
  }

  /// Whether `turn` has something to do that neither the router nor the store has said.
  package func isDue(_ router: inout Router, at instant: Instant) -> Bool {
    !answers.isEmpty || !tries.isEmpty || recalls.areDue || letters.areDue || hasPublications(&router)
      || wakeAt.map { $0 <= instant } ?? false
  }

  /// Whether the store does not take what is written.
  package var isFailing: Bool { keeper.isFailing }

  /// Whether all of the keeper is on disk, and no try is open.
  package var isQuiet: Bool { keeper.isQuiet && tries.isEmpty }

  /// When `turn` has to be called at the latest; nil if nothing is due.
  package var wakeAt: Instant? { keeper.wakeAt.map { Instant(microseconds: Int64(clamping: $0) * 1000) } }

  /// One turn: what the router and the store have said goes to the keeper, and what the keeper says to them. Returns
  /// whether work is left.
  package func turn(_ router: inout Router, at instant: Instant, wall: Int64) -> Bool {
    beginTurn(&router, at: instant, wall: wall)
    return endTurn(router.fetchKeeperRequests(), &router)
  }

  /// The first half of a turn: what the store has said.
  package func beginTurn(_ router: inout Router, at instant: Instant, wall: Int64) {
    pass(to: instant, wall)
    takeAnswers(&router, at: instant)
  }

  /// The second half: what the router has asked since the turn before, and what the keeper says. Returns whether work is
  /// left.
  package func endTurn(_ requests: [KeeperRequest], _ router: inout Router) -> Bool {
    for request in requests { carryOut(request, &router, at: instant) }
    keeper.turn(at: now, wall: wall)
    router.storeLacksRoom = keeper.lacksRoomOnDisk
    router.isStoreFailing = keeper.isFailing
    carryOutOutputs(&router, at: instant)
    beginTries(&router, at: instant)
    recall(&router, at: instant)
    readLetters(&router, at: instant)
    givePublications(&router)
    tellStore(&router, at: instant)
    router.keeperTurnEnds(isQuiet: isQuiet && recalls.isEmpty, hasKeys: keeper.hasKeys, at: instant)
    return !answers.isEmpty || recalls.areDue || letters.areDue
      || hasPublications(&router) || router.hasKeeperRequests
      || !tries.isEmpty && router.hasRoomForTry || keeper.wakeAt.map { $0 <= now } ?? false
  }

  /// Times are whole milliseconds for the keeper.
  private func pass(to instant: Instant, _ wall: Int64) {
    now = max(now, UInt64(max(0, instant.microseconds)) / 1000)
    self.wall = wall
    self.instant = instant
    keeper.pass(to: now, wall: wall)
  }

  private func beginTries(_ router: inout Router, at instant: Instant) {
    while begun < tries.count, router.mayBeginTry, let attempt = tries[begun].take() {
      begun += 1
      // They came before the file named the chain: otherwise the keeper knew of them when it took the message in.
      if let key = attempt.content.key, router.watchesKey(key, of: attempt.chain) {
        keeper.waitForKey(attempt.stored)
      } else {
        router.beginTry(attempt, at: instant)
      }
    }
    guard begun == tries.count || begun >= 256 else { return }
    tries.removeFirst(begun)
    begun = 0
  }

  /// Tries that still wait for room do not begin: the server drains, or the file may have taken their chains away.
  func takeBackTries() {
    for attempt in tries[begun...] { if let attempt { keeper.takeBack(attempt.stored) } }
    (tries, begun) = ([], 0)
  }

  private func tellStore(_ router: inout Router, at instant: Instant) {
    guard keeper.isFailing != wasFailing else { return }
    wasFailing.toggle()
    router.noteStore(isFailing: wasFailing, at: instant)
  }

  // MARK: From the keeper

  private func carryOutOutputs(_ router: inout Router, at instant: Instant) {
    var (outputs, doing) = (spare, Doing())
    (spare, doing.jobs, doing.tries) = ([], jobs, tries)
    (jobs, tries) = ([], [])
    while true {
      keeper.takeOutputs(into: &outputs)
      if outputs.isEmpty { break }
      for output in outputs {
        if let held = doing.known {
          doing.known = nil
          if !output.recalls(held.ticket) { tell(held, &router, at: instant) }
        }
        carryOut(output, &router, &doing, at: instant)
      }
      outputs.removeAll(keepingCapacity: true)
    }
    if let known = doing.known { tell(known, &router, at: instant) }
    (spare, jobs, tries) = (outputs, doing.jobs, doing.tries)
  }

  /// What comes of a turn's outputs. It is apart from the bridge meanwhile: each look at what a class has costs a check.
  private struct Doing {
    /// If a known message has ended already, both lines come when the store has looked its result up.
    var known: Known?
    var jobs: [StoreJob] = []
    var tries: [DurableTry?] = []
  }

  /// A known message, whose line waits.
  private struct Known {
    var ticket: UInt64
    var id: StoredID
  }

  private func tell(_ known: Known, _ router: inout Router, at instant: Instant) {
    router.tellAccepted(known.ticket, stored: known.id, isKnown: true, at: instant)
  }

  private func carryOut(
    _ output: KeeperOutput, _ router: inout Router, _ doing: inout Doing, at instant: Instant
  ) {
    switch output {
    case .write(let write): doing.jobs.append(.write(write))
    case .load(let row): doing.jobs.append(.load(row))
    case .begin(let attempt): doing.tries.append(attempt)
    case .accepted(let ticket, let id, true): doing.known = Known(ticket: ticket, id: id)
    case .accepted(let ticket, let id, false):
      router.tellAccepted(ticket, stored: id, isKnown: false, at: instant)
    case .result(let ticket, let id, _, let bytes):
      router.tellResult(ticket, stored: id, result: bytes, at: instant)
    case .recall(let ticket, let id, let once, let bytes):
      guard let connection = router.hearer(ofTicket: ticket) else { return }
      recalls.want(Recalls.Wanted(ticket: ticket, id: id, once: once, bytes: bytes), for: connection)
    case .refused(let ticket, let refusal): router.tellKeeperRefuses(ticket, refusal, at: instant)
    case .stays(let stored, let lost): router.settlePublications(stored: stored, lost: lost, at: instant)
    case .look: doing.jobs.append(.look)
    case .done(let ticket, let id): router.tellDone(ticket, stored: id, at: instant)
    case .letGo(let ticket): router.letGo(ticket, isKept: true, at: instant)
    case .died(let id, let chain, let isDamaged):
      let status = keeper.status(of: id)
      router.announceDead(
        stored: id.text, chain: chain, tries: Int(status?.tries ?? 0),
        cause: isDamaged ? "damaged" : status?.lastCause?.spelling ?? "timeout", at: instant)
    }
  }

  // MARK: From the store

  /// What is loaded is looked at byte by byte: in one turn so many bytes, and one message of any size. The rest has its
  /// turn later.
  private static let mostLoaded = 256 << 10

  private func takeAnswers(_ router: inout Router, at instant: Instant) {
    var taken: [StoreAnswer] = []
    swap(&taken, &answers)
    var loadedBytes = 0
    for (place, answer) in taken.enumerated() {
      if loadedBytes >= Self.mostLoaded {
        answers = Array(taken[place...]) + answers
        return
      }
      switch answer {
      case .storedUpTo(let number): keeper.storedUpTo(number)
      case .failed(let generation): keeper.failed(generation: generation)
      case .loaded(let row, let found):
        if case .content(let content, let result, _) = found {
          loadedBytes += content.bytes.count + (result?.count ?? 0)
        }
        loaded(row, found.isSound ? found : .damaged, &router)
      case .recalled(let ticket, let id, let result):
        loadedBytes += result?.count ?? 0
        guard recalls.answered(ticket) != nil else { continue }
        if let result, !Router.isSound(result: result) {
          router.tellKeeperRefuses(ticket, .resultGone, at: instant)
          continue
        }
        router.tellAccepted(ticket, stored: id, isKnown: true, at: instant)
        router.tellResult(ticket, stored: id, result: result, at: instant)
      case .notRecalled(let ticket):
        guard recalls.answered(ticket) != nil else { continue }
        router.tellKeeperRefuses(ticket, .resultGone, at: instant)
      case .recallFailed(let ticket):
        guard recalls.answered(ticket) != nil else { continue }
        router.tellKeeperRefuses(ticket, .resultUnreadable, at: instant)
      case .dead(let ticket, let letters):
        for letter in letters ?? [] { loadedBytes += (letter.content?.bytes.count ?? 0) + (letter.result?.count ?? 0) }
        tellDead(ticket, letters, &router, at: instant)
      case .hasFree(let bytes, let inFile): keeper.diskHasFree(bytes: bytes, inFile: inFile)
      // Whoever stands in front of the store has asked.
      case .base: break
      }
    }
  }

  private func recall(_ router: inout Router, at instant: Instant) {
    guard recalls.areDue else { return }
    var left: [UInt64] = []
    recalls.next(
      { connection, bytes in router.hearing(of: connection, beside: bytes) },
      ask: { jobs.append(.recall(ticket: $0.ticket, $0.id, once: $0.once)) }, drop: { left.append($0.ticket) })
    for ticket in left { router.dropTicket(ticket, at: instant) }
  }

  private func readLetters(_ router: inout Router, at instant: Instant) {
    while let page = letters.next() {
      guard router.hearer(ofTicket: page.ticket) != nil else {
        _ = letters.answered(page.ticket)
        continue
      }
      jobs.append(.readDead(ticket: page.ticket, rows: page.rows, withContent: page.isWhole))
    }
  }

  private func loaded(_ row: UInt64, _ found: Loaded, _ router: inout Router) {
    guard let chain = keeper.chainOfResend(row: row) else { return keeper.loaded(row, found) }
    var isKeyBusy = false
    if case .content(let content, _, _) = found, let key = content.key {
      isKeyBusy = router.watchesKey(key, of: chain)
    }
    keeper.loaded(row, found, isKeyBusy: isKeyBusy)
  }

  private func tellDead(_ ticket: UInt64, _ letters: [DeadLetter]?, _ router: inout Router, at instant: Instant) {
    guard let page = self.letters.answered(ticket) else { return }
    guard let letters else { return router.tellKeeperRefuses(ticket, .unreadable, at: instant) }
    // It has gone since it was asked for.
    if page.isWhole, letters.isEmpty { return router.tellKeeperRefuses(ticket, .noSuchMessage, at: instant) }
    router.tellDead(
      ticket, letters, isWhole: page.isWhole, hasMore: page.hasMore, until: page.until, at: instant, wall: wall)
  }
}

/// What operators may see of the keeper.
extension KeeperBridge: KeeperSight {
  package func figures(of chain: [UInt8]?) -> DurableFigures { keeper.figures(of: chain) }
  package func chains(atMost most: Int) -> [[UInt8]] { keeper.chainNames(atMost: most) }
  package var findings: [DurableFinding] { keeper.findings() }
}

extension KeeperOutput {
  /// Whether it has the result of this request looked up.
  fileprivate func recalls(_ ticket: UInt64) -> Bool {
    if case .recall(ticket, _, _, _) = self { return true }
    return false
  }
}
