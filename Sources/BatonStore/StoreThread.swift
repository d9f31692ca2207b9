package import BatonLasting
private import Synchronization
internal import UV

/// A store on a thread of its own, so that the loop never waits for the disk.
///
/// The loop gives jobs, once in each turn; `wake` is called from the thread when there are answers. What was given while a
/// commit was under way is one commit together. How much waits here is bounded by those who give: by the keeper's limits,
/// and by those of values and events.
package final class StoreThread: Sendable {
  private struct Queue {
    var jobs: [StoreJob] = []
    /// Nothing is given any more.
    var isClosing = false
    var hasEnded = false
    var loan = Loan.none
  }

  /// Whether somebody wants the store, or has it.
  private enum Loan { case none, wanted, given }

  private struct Answers {
    var waiting: [StoreAnswer] = []
    /// What was free after a commit. Nobody is woken for it.
    var free: StoreAnswer?
    /// What the last commit that failed was told by SQLite.
    var lastError: String?
    var readError: String?
    var isDamaged = false
    var hasLostFile = false
    var log = StoreLogFacts()
    var endError: String?
    var isFree = false
  }

  /// `@unchecked` because a store is used by one thread at a time: from here on by the thread alone.
  private struct Held: @unchecked Sendable { var store: Store }

  private let queue = Monitor(Queue())
  /// Apart from the queue, on which the thread waits: whoever takes them does not wake it.
  private let answers = Mutex(Answers())
  private let wake: @Sendable () -> Void
  private let held: Held

  /// Jobs of one commit at most: who waits for the first must not wait for all of a flood.
  private static let mostJobs = 4096

  /// Takes the store over; nobody else uses it from now on. Throws if the system has no thread left.
  package init(_ store: sending Store, wake: @escaping @Sendable () -> Void) throws(StoreError) {
    held = Held(store: store)
    self.wake = wake
    guard SideThread.start({ self.work() }) else {
      throw StoreError(
        "the store needs a thread, and the system has none left; raise the limit of processes (ulimit -u)")
    }
  }

  /// Has the jobs carried out, after those that were given before.
  package func give(_ jobs: [StoreJob]) {
    guard !jobs.isEmpty else { return }
    queue.use { queue in
      // What is alone is handed on, and not copied.
      if queue.jobs.isEmpty { queue.jobs = jobs } else { queue.jobs += jobs }
    }
  }

  /// Lends the store to the caller, when all is done that was given. Until `use` returns, the thread waits.
  package func lend<Result>(_ use: (Store) throws -> Result) rethrows -> Result {
    queue.use { $0.loan = .wanted }
    queue.wait { $0.loan == .given ? () : nil }
    defer { queue.use { $0.loan = .none } }
    return try use(held.store)
  }

  /// The answers that there are, in the order of their jobs.
  package func takeAnswers() -> [StoreAnswer] {
    answers.withLock { answers in
      defer { (answers.waiting, answers.free) = ([], nil) }
      if let free = answers.free { answers.waiting.append(free) }
      return answers.waiting
    }
  }

  /// Why the last commit failed that did; nil if none has.
  package var lastError: String? { answers.withLock { $0.lastError } }

  /// Why a read has failed since this was asked last; nil if none has.
  package func takeReadError() -> String? {
    answers.withLock { answers in
      defer { answers.readError = nil }
      return answers.readError
    }
  }

  /// Whether a commit has failed because the file is damaged.
  package var isDamaged: Bool { answers.withLock { $0.isDamaged } }

  /// Whether the last commit failed because the file has gone, or is another one.
  package var hasLostFile: Bool { answers.withLock { $0.hasLostFile } }

  /// How the log of the store is.
  package var log: StoreLogFacts { answers.withLock { $0.log } }

  /// Why what is in the log was not taken into the file at the end; nil if it was, or somebody else reads the file.
  package var endError: String? { answers.withLock { $0.endError } }

  /// Whether the file is closed, and says of no start that it leads.
  package var isFree: Bool { answers.withLock { $0.isFree } }

  /// Nothing is given from now on. What was given is carried out, and then the file is closed: `hasEnded`. `wake` is
  /// called then, too.
  package func close() { queue.use { $0.isClosing = true } }

  /// Whether all is answered and the file is closed.
  package var hasEnded: Bool { queue.use { $0.hasEnded } }

  /// Waits for that, for at most so many milliseconds.
  package func waitForEnd(milliseconds: Int) -> Bool { queue.wait(milliseconds: milliseconds) { $0.hasEnded } }

  // MARK: The thread

  private func work() {
    var generation: UInt64 = 0
    var nextLook = ContinuousClock.now
    var nextTry = nextLook
    while let jobs = nextJobs() {
      for first in stride(from: 0, to: jobs.count, by: Self.mostJobs) {
        let some = jobs.count <= Self.mostJobs ? jobs : Array(jobs[first...].prefix(Self.mostJobs))
        tell(held.store.carryOut(some, from: &generation))
        if some.contains(where: \.isChange) { lookAround(&nextLook) }
      }
      if isLogHeld { tryHeldLog(&nextTry) }
    }
    let why = held.store.close()
    answers.withLock { ($0.endError, $0.isFree) = (why, !held.store.saysWhoLeads) }
    queue.use { $0.hasEnded = true }
    wake()
  }

  /// Looks what is free after a change, behind the answers: they do not wait for ten calls of the system. The keeper takes off
  /// what it accepts meanwhile, so there is one look in some milliseconds.
  private func lookAround(_ next: inout ContinuousClock.Instant) {
    let now = ContinuousClock.now
    guard now >= next, let free = held.store.look() else { return }
    next = now + .milliseconds(5)
    let log = held.store.lookAtLog()
    answers.withLock { answers in
      answers.free = free
      (answers.log.bytes, answers.log.heldBytes, answers.log.error) = (log.bytes, log.heldBytes, log.error)
    }
  }

  /// Whether the log is held, or was when that was told last.
  private var isLogHeld: Bool { held.store.isLogHeld || answers.withLock { $0.log.heldBytes > 0 } }

  /// Whoever reads the store may have ended, or has it for so long that somebody has to know. This is asked once a second.
  private func tryHeldLog(_ next: inout ContinuousClock.Instant) {
    let now = ContinuousClock.now
    guard now >= next else { return }
    next = now + .seconds(1)
    let log = held.store.tryHeldLog()
    answers.withLock { $0.log = log }
    wake()
  }

  /// All that was given since; nothing once a second while the log is held; nil at the end.
  private func nextJobs() -> [StoreJob]? {
    if isLogHeld,
      !queue.wait(milliseconds: 1000, until: { !$0.jobs.isEmpty || $0.isClosing || $0.loan == .wanted })
    {
      return []
    }
    while true {
      let jobs = queue.wait { queue -> [StoreJob]?? in
        if queue.jobs.isEmpty, queue.loan == .wanted {
          queue.loan = .given
          return []
        }
        if queue.jobs.isEmpty { return queue.isClosing ? .some(nil) : nil }
        defer { queue.jobs = [] }
        return queue.jobs
      }
      guard jobs?.isEmpty == true else { return jobs }
      queue.wait { $0.loan == .given ? nil : () }
    }
  }

  private func tell(_ answers: [StoreAnswer]) {
    guard !answers.isEmpty else { return }
    let (error, readError, isDamaged) = (held.store.lastError, held.store.takeReadError(), held.store.isDamaged)
    let hasLostFile = held.store.hasLostFile
    let isFirst = self.answers.withLock { all in
      defer { all.waiting += answers }
      (all.lastError, all.isDamaged, all.hasLostFile) = (error, isDamaged, hasLostFile)
      if let readError { all.readError = readError }
      return all.waiting.isEmpty
    }
    if isFirst { wake() }
  }
}
