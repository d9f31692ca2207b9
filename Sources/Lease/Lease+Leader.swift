/// A leader: it writes again, knows what was written, and lets go.
extension Lease {
  mutating func renewIfDue(at now: Int64, _ effects: inout [Effect]) {
    guard writing == nil, question == nil else { return }
    guard let number else {
      if now >= nextLook { look(at: now, &effects) }
      return
    }
    if phase == .frees {
      write(leadership, expecting: number, at: now, &effects)
      freeCount = lastCount
    } else if now >= nextRenewal {
      // A server that hangs loses its lease.
      guard now - turned <= 2 * terms.renewMs else { return nextRenewal = now + max(1, terms.renewMs / 4) }
      nextRenewal = now + terms.renewMs
      write(leadership, expecting: number, at: now, &effects)
    }
  }

  /// What the register has, after a write without an answer.
  mutating func readBack(_ seen: Look, at now: Int64, _ effects: inout [Effect]) {
    switch seen {
    case .noAnswer: break
    case .nothing(let last): number = last
    case .found(let new, let record):
      number = new
      guard let record else { break }
      if record.start == terms.start {
        if let attempt = attempts.first(where: { $0.count == record.count }) {
          known(attempt, as: new, isNewest: true, at: now, &effects)
        }
      } else if record.epoch > leadership.epoch {
        return end("\(record.node) leads", &effects)
      }
    }
    // What was not written is written at once, and what was lost again.
    if case .found(_, let record?) = seen, record.start == terms.start, record.count == lastCount { return }
    if number != nil { nextRenewal = now }
  }

  mutating func leave(_ to: String?, at now: Int64) {
    guard phase == .leads else { return }
    (isLeaving, successor) = (true, to)
    nextRenewal = now
  }
}
