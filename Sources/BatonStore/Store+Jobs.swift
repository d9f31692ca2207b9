package import BatonKeeper

/// Jobs that came together: one commit, and the answers.
extension Store {
  /// Carries the jobs out in their order. Every write among them is of `generation` or a later one; what is of an earlier
  /// one was given up before. What is answered is on disk, or is told to have failed.
  package func carryOut(_ jobs: [StoreJob], from generation: inout UInt64) -> [StoreAnswer] {
    var answers: [StoreAnswer] = []
    var batch = Batch()
    for job in jobs {
      switch job {
      case .write(let write) where write.generation < generation: break
      case .write(let write):
        if batch.generation != nil, batch.generation != write.generation {
          finish(&batch, &answers, &generation)
          guard write.generation >= generation else { continue }
        }
        batch.generation = write.generation
        batch.stored = write.number
        batch.jobs.append(job)
      case .keep(let keep):
        batch.kept = (batch.kept?.lowerBound ?? keep.number)...keep.number
        batch.jobs.append(job)
      case .load, .recall, .readDead: batch.jobs.append(job)
      }
    }
    finish(&batch, &answers, &generation)
    return answers
  }

  private struct Batch {
    var jobs: [StoreJob] = []
    var generation: UInt64?
    var stored: UInt64?
    var kept: ClosedRange<UInt64>?
    var isWritten: Bool { stored != nil || kept != nil }
  }

  private func finish(_ batch: inout Batch, _ answers: inout [StoreAnswer], _ generation: inout UInt64) {
    defer { batch = Batch() }
    guard batch.isWritten else {
      answers += batch.jobs.compactMap(read)
      return
    }
    // A read sees all that was written before it. Its answer waits for the commit.
    var reads: [StoreAnswer] = []
    do {
      try tables.begin.run()
      if failures > 0 { try overwriteFailure() }
      for job in batch.jobs {
        switch job {
        case .write(let write): try carryOut(write.change)
        case .keep(let keep): try carryOut(keep.change)
        case .load, .recall, .readDead: if let answer = read(job) { reads.append(answer) }
        }
      }
      try tables.commit.run()
      endCommit(hasSucceeded: true)
      failures = 0
      if let stored = batch.stored { answers.append(.storedUpTo(stored)) }
      if let kept = batch.kept { answers.append(.keptUpTo(kept.upperBound)) }
      answers += reads
    } catch {
      lastError = "\(error)"
      failures += 1
      endCommit(hasSucceeded: false)
      if database.isInTransaction { try? tables.rollback.run() }
      if let failed = batch.generation {
        generation = failed + 1
        answers.append(.failed(generation: failed))
      }
      if let kept = batch.kept { answers.append(.notKept(kept)) }
      // Nothing of what they saw is on disk.
      answers += batch.jobs.compactMap(read)
    }
  }

  /// What a failed commit wrote may still be in the log, whole, and would be there at the next start. The first page of the
  /// next commit takes its place, and a commit that changes nothing has none: taking back a row that is not there, for
  /// instance. So it writes something.
  private func overwriteFailure() throws(DatabaseError) { try setFact("failures", failures) }
}
