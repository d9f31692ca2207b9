package import BatonLasting
private import Synchronization
internal import UV

/// A record on a thread of its own: the loop makes no line and no hash, and never waits for the disk.
package final class RecordThread: Sendable {
  private enum Job: Sendable {
    case item(RecordItem, at: Int64)
    case options(RecordOptions, RecordKey?)
  }

  private struct Queue {
    var jobs: [Job] = []
    /// Nothing is given any more.
    var isClosing = false
    var hasEnded = false
  }

  private let queue = Monitor(Queue())
  private let news = Mutex(RecordNews())
  private let wake: @Sendable () -> Void

  /// Jobs that are written together at most.
  private static let mostJobs = 4096
  /// Milliseconds between tries of a disk that fails.
  private static let pause = 1000

  /// Goes on with a record, and writes the line of the start before it returns. `name` is the start's, `wall` says the time
  /// in milliseconds since 1970, and `salt` draws 16 bytes. `wake` is called from the thread when there is news.
  package init(
    _ start: RecordStart, named name: String, version: String, _ options: RecordOptions, _ key: RecordKey?,
    wall: @escaping @Sendable () -> Int64, salt: @escaping @Sendable () -> [UInt8], wake: @escaping @Sendable () -> Void
  ) throws(RecordError) {
    self.wake = wake
    let maker = LineMaker(after: start.n, start.previous, start: name, options, salt: salt)
    var writer = RecordWriter(start.place, maker, options, key, wall: wall)
    try writer.start { maker in
      maker.addStart(
        version: version, before: start.before, isClean: start.isClean, torn: start.torn, isAnew: start.isAnew,
        at: wall())
    }
    let first = writer
    tell(first, failure: nil)
    nonisolated(unsafe) let handed = first
    guard SideThread.start(stack: .large, { self.work(handed) }) else {
      throw RecordError(
        "the record needs a thread, and the system has none left; raise the limit of processes (ulimit -u)")
    }
  }

  /// Has the items recorded, after those that were given before.
  package func give(_ items: [RecordItem], at wall: Int64) {
    guard !items.isEmpty else { return }
    queue.use { queue in for item in items { queue.jobs.append(.item(item, at: wall)) } }
  }

  /// The operator's file was read anew.
  package func take(_ options: RecordOptions, _ key: RecordKey?) {
    queue.use { $0.jobs.append(.options(options, key)) }
  }

  /// What is new since this was called last.
  package func takeNews() -> RecordNews {
    news.withLock { news in
      defer { (news.written, news.heads) = (0, []) }
      return news
    }
  }

  /// Nothing is given from now on. What was given is written, and then the end: `hasEnded`. A disk that fails is not waited
  /// for.
  package func close() { queue.use { $0.isClosing = true } }

  /// Whether all is written and the files are closed.
  package var hasEnded: Bool { queue.use { $0.hasEnded } }

  /// Waits for that, for at most so many milliseconds.
  package func waitForEnd(milliseconds: Int) -> Bool { queue.wait(milliseconds: milliseconds) { $0.hasEnded } }

  // MARK: The thread

  private func work(_ first: RecordWriter) {
    var writer = first
    while let jobs = nextJobs(until: writer.headDue) {
      for from in stride(from: 0, to: max(1, jobs.count), by: Self.mostJobs) {
        // What comes behind a new file of the operator is made under that one.
        for job in jobs[min(from, jobs.count)..<min(jobs.count, from + Self.mostJobs)] {
          switch job {
          case .item(let item, let wall): writer.add(item, at: wall)
          case .options(let options, let key):
            guard settle(&writer) else { return end() }
            writer.take(options, key)
            guard settle(&writer) else { return end() }
          }
        }
        if writer.headDue <= writer.now { writer.makeHead() }
        guard settle(&writer) else { return end() }
      }
    }
    if (try? writer.stop()) != nil { tell(writer, failure: nil) }
    end()
  }

  private func end() {
    queue.use { $0.hasEnded = true }
    wake()
  }

  /// Writes, and tries again as long as the disk fails. Returns false if the server ends meanwhile.
  private func settle(_ writer: inout RecordWriter) -> Bool {
    while true {
      do throws(RecordError) {
        try writer.settle()
        tell(writer, failure: nil)
        writer.forgetTold()
        return true
      } catch {
        tell(writer, failure: error.description)
        if queue.wait(milliseconds: Self.pause, until: { $0.isClosing }) {
          // Once more: it may be the last try.
          guard (try? writer.settle()) != nil else { return false }
        }
      }
    }
  }

  private func tell(_ writer: RecordWriter, failure: String?) {
    let isNew = news.withLock { news in
      if failure == nil {
        news.written += writer.maker.ends
        news.heads += writer.maker.heads
        if !writer.maker.heads.isEmpty { news.head = writer.lastHead }
      }
      let isNew = failure != news.failure || failure == nil && (writer.maker.ends > 0 || !writer.maker.heads.isEmpty)
      news.failure = failure
      (news.lines, news.bytes, news.isNearlyFull) = (writer.maker.n, writer.bytes, writer.isNearlyFull)
      return isNew
    }
    if isNew { wake() }
  }

  /// All that was given since, or nothing when a head is due; nil at the end.
  private func nextJobs(until due: Int64) -> [Job]? {
    let left = Int(clamping: max(0, due - RecordClock.wall))
    if !queue.wait(milliseconds: min(left, 3_600_000), until: { !$0.jobs.isEmpty || $0.isClosing }) { return [] }
    return queue.use { queue -> [Job]? in
      if queue.jobs.isEmpty { return queue.isClosing ? nil : [] }
      defer { queue.jobs = [] }
      return queue.jobs
    }
  }
}
