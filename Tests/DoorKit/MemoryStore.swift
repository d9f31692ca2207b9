package import BatonLasting

/// A store in memory, which carries out at once what it is given, as long as nobody says otherwise. It outlives the core.
package final class MemoryStore {
  /// What happens to a commit.
  package enum Mode {
    /// It is on disk at once.
    case works
    /// It fails.
    case fails
    /// It is not answered. What is given is lost if the server ends.
    case holds
  }

  package struct Row {
    package var message: StoredMessage
    var content: DurableContent
    package var result: [UInt8]?
    package var isDead = false
    var isDamaged = false
  }

  package var mode = Mode.works { didSet { if mode == .works { carryOutHeld() } } }
  package let secret = Secret(high: 1, low: 2)
  /// What is on disk of messages.
  package private(set) var rows: [UInt64: Row] = [:]
  private var onces: [Digest: StoredOnce] = [:]
  private var results: [Digest: [UInt8]] = [:]
  /// Values and kept events.
  private(set) var kept = PublicationsInMemory()
  package private(set) var held: [StoreJob] = []
  private var answers: [StoreAnswer] = []
  /// What the server has given, and what the disk has answered, while a log stands between them.
  private var given: [StoreJob] = []
  private var diskAnswers: [StoreAnswer] = []
  /// How far a cluster's log is carried out.
  package var position: LogPosition?
  /// The log between the server and this file: what its records say; nil if there is none.
  package var log: (([UInt8]) -> [StoreChange])?
  /// Answers that are on their way.
  private var late: [StoreAnswer] = []
  /// Who sees what passes, if anybody does.
  package weak var meddling: (any Meddling)?
  /// Writes up to this generation are given up.
  private var givenUp: UInt64 = 0

  /// Whether the disk gives nothing of what is on it.
  package var isUnreadable = false

  package init() {}

  // MARK: The server's side

  package func give(_ jobs: [StoreJob]) {
    if let meddling { for job in jobs { meddling.give(job) } }
    if log == nil { keep(jobs) } else { given += jobs }
  }

  private func keep(_ jobs: [StoreJob]) {
    switch mode {
    case .works: carryOut(jobs)
    case .fails: fail(jobs)
    case .holds: held += jobs
    }
  }

  /// What is free on its disk.
  package func hasFree(bytes: Int) { answers.append(.hasFree(bytes: bytes, inFile: 0)) }

  package var hasAnswers: Bool { !answers.isEmpty }

  package func takeAnswers() -> [StoreAnswer] {
    defer { answers = [] }
    return answers
  }

  /// The server has ended, in whatever way: another one begins with what is on disk.
  package func begin() {
    answers = []
    // The log goes on when its node begins to lead.
    if log == nil { end() }
  }

  /// The process has ended: nothing of what is not on disk is left.
  package func end() { (held, answers, late, given, diskAnswers, givenUp) = ([], [], [], [], [], 0) }

  // MARK: A log between the server and the disk

  /// What the server has given since.
  package func takeGiven() -> [StoreJob] {
    defer { given = [] }
    return given
  }

  package var hasGiven: Bool { !given.isEmpty }

  /// The log has this carried out on the disk.
  package func carryOut(ofLog jobs: [StoreJob]) { keep(jobs) }

  /// What the disk has answered since.
  package func takeDiskAnswers() -> [StoreAnswer] {
    defer { diskAnswers = [] }
    return diskAnswers
  }

  /// It is lost with its disk, or is a copy of another one from now on.
  package func become(_ other: MemoryStore) {
    end()
    (rows, onces, results, kept, position) = (other.rows, other.onces, other.results, other.kept, other.position)
  }

  /// All that is on disk, in words.
  package var spelled: [String] {
    let rows = rows.values.map { "\($0.message.row) \($0)" }
    let names = onces.values.map { "\($0) \(results[$0.name] ?? [])" }
    let values = kept.values.values.map { "\($0)" }
    return (rows + names + values + kept.events.values.map { "\($0)" }).sorted() + ["\(kept.seq)"]
  }

  // MARK: What it has

  /// What is on disk, in the order of acceptance.
  package func restore(
    message: (StoredMessage, [UInt8]?, Bool) -> Void, once: (StoredOnce) -> Void
  ) {
    for row in rows.keys.sorted() {
      guard var found = rows[row] else { continue }
      found.message.resultCount = found.result?.count ?? 0
      let all = RestoredRow(message: found.message, key: found.content.key, isDead: found.isDead)
      if let told = meddling.map({ $0.restore(all) }) ?? all { message(told.message, told.key, told.isDead) }
    }
    for one in onces.values.sorted(by: { $0.id.count < $1.id.count }) {
      var one = one
      one.resultCount = results[one.name]?.count ?? 0
      once(one)
    }
  }

  /// The bytes of every message cannot be read any more.
  package func damage() { for row in rows.keys { rows[row]?.isDamaged = true } }

  // MARK: A disk that is moved by hand, while `mode` is `holds`

  /// The first of what is held comes to the disk. `isTold`: the server hears of it now, and otherwise with the next answer.
  package func commit(_ count: Int, isTold: Bool = true) {
    let jobs = Array(held.prefix(count))
    held.removeFirst(jobs.count)
    carryOut(jobs)
    if log != nil { return }
    if !isTold { (late, answers) = (late + answers, []) }
    if isTold { (late, answers) = ([], late + answers) }
  }

  /// A commit of what is held fails. The first `count` are on disk all the same.
  package func failHeld(keeping count: Int) {
    carryOut(held.prefix(count).filter { if case .write = $0 { true } else { false } })
    let jobs = held
    held = []
    // Nobody hears of what is there.
    if log == nil { (late, answers) = ([], late) } else { diskAnswers = [] }
    fail(jobs)
  }

  /// An answer that is not true, or too early: a planted fault.
  package func say(_ answer: StoreAnswer) { answers.append(answer) }

  /// Bytes of messages and results, as the limit of a store counts them.
  package var byteCount: Int {
    rows.values.reduce(results.values.reduce(0) { $0 + $1.count }) {
      $0 + $1.message.byteCount + ($1.result?.count ?? 0)
    }
  }

  /// The rows of the messages that have ended, and whose names of `once` are there.
  package var remembered: [UInt64] { onces.values.filter { $0.until != nil }.map(\.id.count) }

  /// What is given and not on disk.
  package var heldCount: Int { held.count }

  package var holdsWrites: Bool { held.contains { if case .write = $0 { true } else { false } } }

  // MARK: Jobs

  private func carryOutHeld() {
    let jobs = held
    held = []
    carryOut(jobs)
  }

  private func fail(_ jobs: [StoreJob]) {
    var reads: [StoreJob] = []
    for job in jobs {
      guard case .write(let write) = job else {
        reads.append(job)
        continue
      }
      guard write.generation > givenUp else { continue }
      givenUp = write.generation
      answer(.failed(generation: write.generation))
    }
    carryOut(reads)
  }

  private func answer(_ answer: StoreAnswer) {
    if log == nil { answers.append(answer) } else { diskAnswers.append(answer) }
  }

  private func carryOut(_ jobs: [StoreJob]) {
    var stored: UInt64?
    for job in jobs {
      switch job {
      case .write(let write):
        guard write.generation > givenUp else { continue }
        if let change = meddling.map({ $0.commit(write.change) }) ?? write.change { apply(change) }
        stored = write.number
      case .load(let row): answer(.loaded(row, loaded(row)))
      case .recall(let ticket, _, _) where isUnreadable: answer(.recallFailed(ticket: ticket))
      case .readDead(let ticket, _, _) where isUnreadable: answer(.dead(ticket: ticket, nil))
      case .recall(let ticket, let id, let once):
        let isThere = rows[id.count] != nil || onces[once] != nil
        let result = rows[id.count]?.result ?? results[once]
        answer(isThere ? .recalled(ticket: ticket, id, result: result) : .notRecalled(ticket: ticket))
      case .readDead(let ticket, let wanted, let withContent):
        answer(.dead(ticket: ticket, wanted.compactMap { letter($0, withContent) }))
      case .readBase: answer(.base(kept.base))
      case .look: break
      }
    }
    if let stored { answer(.storedUpTo(stored)) }
  }

  private func loaded(_ row: UInt64) -> Loaded {
    if isUnreadable { return .failed }
    guard let found = rows[row], !found.isDamaged else { return .damaged }
    return .content(found.content, result: found.result, resent: found.message.resent)
  }

  private func letter(_ row: UInt64, _ withContent: Bool) -> DeadLetter? {
    guard let found = rows[row], found.isDead else { return nil }
    var content = found.content
    if !withContent { content.payload = [] }
    return DeadLetter(message: found.message, content: found.isDamaged ? nil : content, result: found.result)
  }

  // MARK: Changes

  private func apply(_ change: StoreChange) {
    switch change {
    case .insert(let message, let content, let once):
      rows[message.row] = Row(message: message, content: content)
      if let once { onces[once.name] = once }
    case .state(let row, let state, let result):
      rows[row]?.message.state = state
      if let result { rows[row]?.result = result }
    case .end(let row, let result, let until):
      rows[row] = nil
      if let until { keepOnce(of: row, until, result.written) }
    case .dead(let row, let state, let result):
      rows[row]?.message.state = state
      rows[row]?.isDead = true
      if let result { rows[row]?.result = result.written }
    case .resend(var message, let content, let old, let until):
      let gone = rows.removeValue(forKey: old)
      keepOnce(of: old, until, gone?.result)
      message.identity = gone?.message.identity ?? rows[message.row]?.message.identity ?? []
      rows[message.row] = Row(message: message, content: content)
    case .discard(let row, let until): keepOnce(of: row, until, rows.removeValue(forKey: row)?.result)
    case .remove(let row):
      rows[row] = nil
      if let once = once(of: row) { onces[once.name] = nil }
    case .forget(let name, _):
      onces[name] = nil
      results[name] = nil
    case .stays(let change): kept.apply(change)
    case .log(let step): apply(step)
    }
  }

  private func apply(_ step: LogStep) {
    switch step {
    case .commit(let record, let position):
      // It is there already, by a commit that is said to have failed.
      if let own = self.position, !position.isFarther(than: own) { return }
      for change in log?(record) ?? [] {
        if let change = meddling.map({ $0.commit(change) }) ?? change { apply(change) }
      }
    case .begins(let base, _): kept.apply(base: base)
    case .leads: break
    }
    position = step.position
  }

  private func once(of row: UInt64) -> StoredOnce? { onces.values.first { $0.id.count == row && $0.until == nil } }

  private func keepOnce(of row: UInt64, _ until: Int64, _ result: [UInt8]?) {
    // It may have left before, in a commit that is said to have failed.
    guard let once = onces.values.first(where: { $0.id.count == row }) else { return }
    onces[once.name]?.until = until
    if let result { results[once.name] = result }
  }
}
