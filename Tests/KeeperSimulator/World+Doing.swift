import BatonKeeper

/// What the keeper wants done, and the disk that does it, later or never.
extension World {
  mutating func carryOut(_ output: KeeperOutput) throws(Broken) {
    log("\(short(output))")
    switch output {
    case .write(let write): try take(write)
    case .load(let row): loads.append(row)
    case .begin(let attempt): try begin(attempt)
    case .accepted(let ticket, let id, let isKnown):
      if plants(.acceptedSwallowed) { return }
      var id = id
      if plants(.otherID) { id.count += 1 }
      try judge.accepted(ticket, id, sends[ticket], isKnown: isKnown, disk: disk)
      if plants(.acceptedTwice) { try judge.accepted(ticket, id, sends[ticket], isKnown: isKnown, disk: disk) }
    case .result(let ticket, let id, let isDead, _):
      if plants(.resultSwallowed) { return }
      try judge.result(ticket, id, isDead: isDead, disk: disk)
      if plants(.resultTwice) { try judge.result(ticket, id, isDead: isDead, disk: disk) }
    case .recall(let ticket, let id, let once, _):
      let isThere = disk.onces[once] != nil || disk.rows[id.count] != nil
      try judge.check(isThere, "what is recalled is there", "\(id.count)")
      judge.waiting.remove(ticket)
    case .refused(let ticket, let refusal):
      judge.waiting.remove(ticket)
      if refusal == .storeFailed { try judge.refusedStored(ticket, disk: disk) }
    case .done(_, let id):
      let isDiscarded = judge.known[id]?.isOver ?? false
      let row = disk.rows[id.count]
      try judge.check(isDiscarded ? row == nil : row != nil, "done is on disk", "\(id.count)")
      judge.known[id]?.isAccepted = true
    case .letGo(let ticket):
      guard let place = ordinaryOpen[ticket] else { return }
      ordinaryOpen[ticket]?.isLetGo = true
      let isTaken = judge.known.values.contains { $0.isOpen && $0.key == place.key && $0.chain == place.chain }
      try judge.check(!isTaken, "one of a key at a time", "ordinary \(ticket)")
    case .look: keeper.diskHasFree(bytes: .max)
    case .died(let id, _, _):
      try judge.check(disk.rows[id.count]?.isDead ?? false, "dead letters are on disk", "\(id.count)")
    }
  }

  private func short(_ output: KeeperOutput) -> String {
    switch output {
    case .begin(let attempt): "begin \(attempt.stored.count), \(attempt.number)"
    case .accepted(let ticket, let id, let isKnown): "accepted \(ticket) \(id.count) \(isKnown)"
    case .result(let ticket, let id, let isDead, _): "result \(ticket) \(id.count) \(isDead)"
    case .write(let write): "write \(write.generation) \(write.number) \(short(write.change))"
    default: "\(output)"
    }
  }

  private func short(_ change: StoreChange) -> String {
    switch change {
    case .insert(let message, _, let once): "insert \(message.row) \(message.state.isUnderWay) \(once != nil)"
    case .state(let row, let state, _): "state \(row) \(state.tries) \(state.isUnderWay)"
    case .end(let row, _, _): "end \(row)"
    case .dead(let row, _, _): "dead \(row)"
    case .resend(let message, _, let old, _): "resend \(old) as \(message.row)"
    case .discard(let row, _): "discard \(row)"
    case .remove(let row): "remove \(row)"
    case .forget: "forget"
    }
  }

  private mutating func take(_ write: StoreWrite) throws(Broken) {
    switch write.change {
    case .insert(let message, let content, _):
      let ticket = UInt64(String(decoding: content.from, as: UTF8.self)) ?? 0
      try judge.written(message, sends[ticket], key: content.key)
    case .resend(let message, let content, _, _):
      if judge.known[message.id] == nil {
        try judge.written(message, nil, key: content.key)
      }
    default: break
    }
    // The store gives up what is of an older generation.
    if write.generation == generation { given.append(write) }
    if plants(.storedEarly, percent: 10) { keeper.storedUpTo(write.number) }
  }

  private mutating func begin(_ attempt: Try) throws(Broken) {
    var attempt = attempt
    if plants(.againForgotten) { attempt.isAgain = false }
    if plants(.numberWrong) { attempt.number += 1 }
    let chain = declared.first { $0.name == attempt.chain }
    let count = open.filter { judge.known[$0]?.chain == attempt.chain }.count
    begun += 1
    for _ in 0..<(plants(.beginTwice) ? 2 : 1) {
      try judge.begun(
        attempt, open: count, window: chain?.window ?? 0, isDeclared: chain != nil, now: now, disk: disk)
    }
    try judge.check(!isDraining, "nothing begins while it drains", "\(attempt.stored.count)")
    let key = attempt.content.key
    let isTaken = ordinaryOpen.values.contains { $0.isLetGo && $0.key == key && $0.chain == attempt.chain }
    try judge.check(!isTaken, "one of a key at a time", "\(attempt.stored.count)")
    let isBusy = key.map { routers[attempt.chain + $0] != nil } ?? false
    try judge.check(!isBusy, "ordinary messages before it have ended", "\(attempt.stored.count)")
    open.append(attempt.stored)
  }

  /// One change reaches the disk, or, with a fault planted, does not.
  mutating func commit(_ change: StoreChange) throws(Broken) {
    var change = change
    switch change {
    case .insert(let message, let content, let once):
      if plants(.insertLost) { return }
      if once != nil, plants(.onceForgotten) { change = .insert(message, content, once: nil) }
      if plants(.markLost), message.state.isUnderWay {
        var other = message
        other.state.isUnderWay = false
        change = .insert(other, content, once: once)
      }
    case .state(let row, var state, let result):
      if plants(.triesLost), state.tries > 0 { state.tries -= 1 }
      if plants(.markLost) { state.isUnderWay = false }
      change = .state(row, state, result: result)
    case .end(let row, let result, let until):
      if plants(.endLost) { return }
      if plants(.resultWhole) { change = .end(row, result: TryResult(result.told), rememberedUntil: until) }
    case .dead: if plants(.deadLost) { return }
    case .discard: if plants(.discardLost) { return }
    case .remove: if plants(.removeLost, percent: 100) { return }
    default: break
    }
    try judge.committed(change, before: disk)
    disk.apply(change)
    log("disk \(disk.byteCount), keeper \(keeper.figures(of: nil).bytes)")
    try judge.fits(disk, limits)
  }

  mutating func commitSome() throws(Broken) {
    let count = luck.below(given.count + 1)
    try commit(first: luck.chance(60) ? given.count : count)
  }

  mutating func commitAll() throws(Broken) { try commit(first: given.count) }

  private mutating func commit(first count: Int) throws(Broken) {
    guard count > 0 else { return }
    let batch = given.prefix(count)
    given.removeFirst(count)
    for write in batch { try commit(write.change) }
    log("stored up to \(batch.last?.number ?? 0)")
    keeper.storedUpTo(batch.last?.number ?? 0)
  }

  /// A commit fails. Part of what was given may be on disk all the same.
  mutating func fail() throws(Broken) {
    guard !given.isEmpty else { return }
    if luck.chance(50) {
      for write in given.prefix(luck.below(given.count + 1)) { try commit(write.change) }
    }
    if plants(.refusedEarly) {
      for write in given {
        if case .insert(let message, _, _) = write.change, let ticket = judge.known[message.id]?.send?.ticket {
          try judge.refusedStored(ticket, disk: disk)
        }
      }
    }
    given = []
    log("failed \(generation)")
    keeper.failed(generation: generation)
    generation += 1
  }

  /// Loads see all that was given before them.
  mutating func answerLoads() throws(Broken) {
    guard !loads.isEmpty else { return }
    let row = loads.removeFirst()
    if !isEnding, luck.chance(5) { return keeper.loaded(row, .failed) }
    guard let found = disk.rows[row] else { return keeper.loaded(row, .failed) }
    let isBusy = found.content.key.map { routers[found.message.chain + $0] != nil } ?? false
    keeper.loaded(
      row, .content(found.content, result: found.result, resent: found.message.resent), isKeyBusy: isBusy)
  }
}
