/// A spare: it looks, and takes the lease when nobody can lead any more.
extension Lease {
  /// What the register has, as a spare sees it.
  mutating func see(_ seen: Look, at now: Int64, wall: Int64, _ effects: inout [Effect]) {
    guard seen != .noAnswer else { return }
    if case .found(let number, let record?) = seen, record.start == terms.start,
      let attempt = attempts.first(where: { $0.count == record.count }), now < attempt.sent + terms.leaseMs
    {
      return known(attempt, as: number, isNewest: true, at: now, &effects)
    }
    if phase == .takes { phase = .spare }
    note(seen, at: now)
    guard let (expected, why) = mayTake(at: now) else { return }
    phase = .takes
    let epoch = 8 * max(wall, highestEpoch / 8 + 1) + terms.place
    highestEpoch = epoch
    write(Leadership(epoch: epoch, why: why), expecting: expected, at: now, &effects)
  }

  /// A number counts as unchanged only as long as nothing could have been missed.
  private mutating func note(_ seen: Look, at now: Int64) {
    if let old = sight, old.look.isAt(seen), now - old.last <= 2 * terms.renewMs {
      sight = Sight(look: seen, since: old.since, last: now)
    } else {
      sight = Sight(look: seen, since: now, last: now)
    }
  }

  /// The number to expect, if the lease may be taken now.
  private func mayTake(at now: Int64) -> (UInt64, Why)? {
    guard let sight, !isHeldBack else { return nil }
    let waited = now - sight.since
    switch sight.look {
    case .noAnswer: return nil
    case .nothing(let last): return waited >= Lease.wait(for: terms.leaseMs) ? (last, .first) : nil
    case .found(let number, nil): return waited >= Lease.wait(for: terms.leaseMs) ? (number, .taken) : nil
    case .found(let number, let record?):
      if record.free { return waited >= courtesy(to: record) ? (number, .handedOver) : nil }
      guard whyNot(record) == nil else { return nil }
      if isOwn(record, at: now) { return (number, .own) }
      return waited >= Lease.wait(for: record.leaseMs) ? (number, .taken) : nil
    }
  }

  /// Whether an earlier process of this node wrote it, and nobody else can have led since.
  private func isOwn(_ record: LeaseRecord, at now: Int64) -> Bool {
    guard record.node == terms.node, record.start == terms.ownStart, let boot = terms.boot, record.boot == boot,
      let written = record.at
    else { return false }
    return written <= now && now < written + record.leaseMs
  }

  private static func wait(for leaseMs: Int64) -> Int64 { (leaseMs * 6 + 4) / 5 }

  private func courtesy(to record: LeaseRecord) -> Int64 {
    if let to = record.to { return to == terms.node ? 0 : Lease.courtesy }
    return record.node == terms.node ? Lease.courtesy : 0
  }

  private func whyNot(_ record: LeaseRecord) -> WhyNot? {
    if terms.leadsAsItIs { return nil }
    if record.nodes[terms.node] != terms.nodes[terms.node] { return .notNamed }
    return record.digest == terms.digest ? nil : .otherFile
  }

  /// Why a spare could not lead now.
  public enum WhyNot: String, Sendable {
    case away = "it does not reach NATS"
    case nothingSeen = "it has not seen a leader yet"
    case notNamed = "the leader's file does not name it at this address"
    case otherFile = "its file says something else than the leader's"
  }

  /// Why this spare is not in step with its leader; nil if it is.
  public var whyNotInStep: WhyNot? {
    guard isConnected else { return .away }
    guard let record = leader else { return .nothingSeen }
    return whyNot(record)
  }

  /// The record that was seen last; nil if none was since the connection began.
  public var leader: LeaseRecord? {
    guard let sight, case .found(_, let record) = sight.look else { return nil }
    return record
  }

  /// Whether nobody may lead now: the leader has been silent for twice the time after which it writes, or leaves, or was an
  /// earlier process of this node, or nothing is known of one.
  public func isLeaderless(at now: Int64) -> Bool {
    guard let sight, let record = leader, !record.free, !record.leaves, record.node != terms.node else { return true }
    return now - sight.since > 2 * record.renewMs
  }
}

extension Lease.Look {
  /// Whether the register is in the same state in both.
  func isAt(_ other: Lease.Look) -> Bool {
    switch (self, other) {
    case (.found(let one, _), .found(let another, _)): one == another
    case (.nothing(let one), .nothing(let another)): one == another
    default: false
    }
  }
}
