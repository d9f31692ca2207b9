package import BatonLasting

/// Jobs that came together: one commit, and the answers.
extension Store {
  /// Carries the jobs out in their order. Every write among them is of `generation` or a later one; what is of an earlier
  /// one was given up before. What is answered is on disk, or is told to have failed.
  package func carryOut(_ jobs: [StoreJob], from generation: inout UInt64) -> [StoreAnswer] {
    var answers: [StoreAnswer] = []
    var batch = Batch(from: jobs.startIndex)
    for (place, job) in zip(jobs.indices, jobs) {
      switch job {
      case .write(let write) where write.generation >= generation:
        if let last = batch.last, last.generation != write.generation {
          finish(jobs, &batch, &answers, &generation)
          if write.generation < generation { continue }
        }
        batch.last = (write.generation, write.number)
      case .write, .load, .recall, .readDead, .look, .readBase: break
      }
      batch.places = batch.places.lowerBound..<place + 1
    }
    finish(jobs, &batch, &answers, &generation)
    return answers
  }

  /// Jobs that are committed together.
  private struct Batch {
    /// Where they stand. Writes of another generation among them were given up.
    var places: Range<Int>
    var last: (generation: UInt64, number: UInt64)?

    init(from place: Int) { places = place..<place }
  }

  private func finish(
    _ jobs: [StoreJob], _ batch: inout Batch, _ answers: inout [StoreAnswer], _ generation: inout UInt64
  ) {
    defer { batch = Batch(from: batch.places.upperBound) }
    guard let last = batch.last else {
      answers += jobs[batch.places].compactMap(read)
      return
    }
    do {
      try expectFile()
      // A read sees all that was written before it. Its answer waits for the commit.
      let reads = try commitAll(jobs[batch.places], of: last.generation)
      failures = 0
      answers.append(.storedUpTo(last.number))
      answers += reads
    } catch {
      note(error)
      failures += 1
      if database.isInTransaction { try? tables.rollback.run() }
      generation = last.generation + 1
      answers.append(.failed(generation: last.generation))
      // Nothing of what they saw is on disk.
      answers += jobs[batch.places].compactMap(read)
    }
  }

  /// What a start would have refused may be found later.
  private func note(_ error: any Error) {
    lastError = "\(error)"
    guard let error = error as? DatabaseError, error.isDamage else { return }
    isDamaged = true
    lastError = Opening.damaged(path.path, "\(error)").description
  }

  /// Commits, and once more without what the disk does not give, or what is damaged: that may have ended the transaction, and
  /// is no reason to refuse what is written beside it.
  private func commitAll(_ jobs: ArraySlice<StoreJob>, of generation: UInt64) throws -> [StoreAnswer] {
    var withReads = true
    defer { keepsNames = false }
    while true {
      do {
        let reads = try commit(jobs, of: generation, withReads: withReads)
        return withReads ? reads : jobs.compactMap(read)
      } catch let passed as PassedOver {
        if database.isInTransaction { try tables.rollback.run() }
        switch passed {
        case .reads: withReads = false
        case .rows(let error):
          if keepsNames { throw error }
          readError = "what has gone stays on the disk until a start finds the file sound: \(error)"
          keepsNames = true
          // All that go with it: so this ends at once, however many there are.
          for case .write(let write) in jobs { for row in write.change.going { keepOnDisk(row) } }
        }
      }
    }
  }

  /// The row stays on the disk when its message goes. A number that nothing can have has no mark for that.
  func keepOnDisk(_ row: UInt64) { if RowBounds.rows.contains(row) { stuck.insert(row) } }

  private func commit(
    _ jobs: ArraySlice<StoreJob>, of generation: UInt64, withReads: Bool
  ) throws -> [StoreAnswer] {
    try tables.begin.run()
    if failures > 0 { try overwriteFailure() }
    let reads = try carryOut(jobs, of: generation, withReads: withReads)
    try tables.commit.run()
    return reads
  }

  private func carryOut(
    _ jobs: ArraySlice<StoreJob>, of generation: UInt64, withReads: Bool
  ) throws -> [StoreAnswer] {
    let failedBefore = failedReads
    var reads: [StoreAnswer] = []
    var going: ClosedRange<UInt64>?
    for job in jobs {
      switch job {
      case .write(let write): if write.generation == generation { try carryOut(write.change, &going) }
      case .load, .recall, .readDead, .look, .readBase:
        try remove(&going)
        if withReads, let answer = read(job) { reads.append(answer) }
        if failedReads != failedBefore { throw PassedOver.reads }
      }
    }
    try remove(&going)
    return reads
  }

  /// Carries a change out. Messages that end and have no name, and whose rows follow each other, as nearly all do, go together:
  /// before the next change that is another one.
  func carryOut(_ change: StoreChange, _ going: inout ClosedRange<UInt64>?) throws {
    switch change {
    case .end(let row, _, nil):
      if let rows = going, row > rows.upperBound, row - rows.upperBound == 1 {
        going = rows.lowerBound...row
      } else {
        try remove(&going)
        going = row...row
      }
    default:
      try remove(&going)
      try carryOut(change)
    }
  }

  func remove(_ going: inout ClosedRange<UInt64>?) throws {
    if let rows = going { try remove(rows) }
    going = nil
  }

  /// What a failed commit wrote may still be in the log, whole, and would be there at the next start. The first page of the
  /// next commit takes its place, and a commit that changes nothing has none: taking back a row that is not there, for
  /// instance. So it writes something. And the mark in `FILE.mark` may be that of the failed commit.
  private func overwriteFailure() throws(DatabaseError) {
    try setFact("failures", failures)
    try renewMark()
  }
}

/// What a commit is made again without.
enum PassedOver: Error {
  /// The reads in it.
  case reads
  /// The rows of messages and names that go.
  case rows(DatabaseError)
}

extension StoreChange {
  /// The messages that go with it.
  fileprivate var going: [UInt64] {
    switch self {
    case .end(let row, _, _), .discard(let row, _), .remove(let row), .resend(_, _, let row, _): [row]
    case .log(.commit(let body, _)): LogChanges.read(body)?.flatMap(\.going) ?? []
    case .insert, .state, .dead, .forget, .stays, .log: []
    }
  }
}
