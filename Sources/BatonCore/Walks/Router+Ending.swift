/// The end of a walk (contract, section 4).
extension Router {
  /// Ends a walk that stands at no link: writes the result, and forgets the walk. `by` is a handler's name as a JSON
  /// string, or empty.
  mutating func endWalk(_ walk: Slot<Walk>, _ outcome: Outcome, by: UnsafeRawBufferPointer, at now: Instant) {
    let hasTrace = walks[walk].trace != .nobody
    if hasTrace, holdEnd(of: walk, outcome, by: by, at: now) { return }
    if walks[walk].wantsResult, isListening(walks[walk].sender) {
      writeResult(of: walk, outcome, by: by, at: now)
    } else if walks[walk].attempt != .nobody {
      endTry(walk, outcome, by: by, at: now)
    }
    endTold(walk, outcome, by: by, hasTrace: hasTrace, at: now)
  }

  /// Ends a walk whose result is written, or waits, or is not wanted.
  @inline(__always)
  private mutating func endTold(
    _ walk: Slot<Walk>, _ outcome: Outcome, by: UnsafeRawBufferPointer, hasTrace: Bool, at now: Instant
  ) {
    if walks[walk].firstCopy != .nobody { tellCopies(of: walk, outcome.status, by: by, at: now) }
    if outcome.status.isRemembered || hasTrace { rememberWalk(walk, outcome, by: by, at: now) }
    if announcements.isAnythingHeard {
      announceEnd(of: walk, outcome, by: by, at: now)
      if announcements.isHeard(.trace), walks[walk].isTraced { noteTrace(of: walk, outcome, by: by, at: now) }
    }
    forgetWalk(walk, at: now)
  }

  /// Forgets a walk whose end has been told.
  @inline(__always)
  mutating func forgetWalk(_ walk: Slot<Walk>, at now: Instant) {
    if walks.count > Cost.atHand { spent &+= Cost.farAway }
    timers.end(walks[walk].timer)
    if walks[walk].place.entered >= 0 { leaveChains(walk) }
    endTrace(of: walk)
    var queue = walks[walk].keyQueue
    if queue != .nobody, queue == KeyQueue.keepers {
      tellKeeperOfEnd(of: walk)
      queue = .nobody
    }
    let sender = walks[walk].sender
    let account = walks[walk].account
    let bytes = walks[walk].bytes
    let wasOwed = walks[walk].wantsResult
    countOpenBytes(-bytes)
    let isSenderThere = connections.contains(sender)
    if isSenderThere, walks[walk].isNamed { unlistNamed(walk, of: sender.slot) }
    if !isSenderThere, walks[walk].attempt != .nobody { countBytesOfTries(-bytes) }
    walks[walk].message.end(in: &messagePool)
    walks.remove(walk)
    if account != .nobody { endMessage(of: account, bytes: bytes, isSenderThere: isSenderThere) }
    if isSenderThere {
      closeAccount(of: sender.slot, bytes: bytes, wasOwed: wasOwed, at: now)
    }
    if queue != .nobody { passTurn(of: queue, at: now) }
  }

  /// No link has handled a broadcast: its subscribers get it, as the links rewrote it.
  mutating func publishWalk(_ walk: Slot<Walk>, at now: Instant) {
    let hasTrace = walks[walk].trace != .nobody
    if hasTrace, holdEnd(of: walk, .published(delivered: 0), by: .empty, at: now) { return }
    let event = Event(
      topic: walks[walk].message.topic, payload: walks[walk].payload, meta: walks[walk].message.meta,
      from: walks[walk].message.from, within: Int(walks[walk].within))
    let sender = walks[walk].sender
    let isExcluded = walks[walk].mode == .publishToOthers && connections.contains(sender)
    let account = walks[walk].account
    let identity = account == .nobody ? .nobody : accounts[account].identity
    let delivered = publish(
      event, retaining: walks[walk].isRetaining, by: identity, except: isExcluded ? sender.slot : .nobody, at: now)
    let outcome = Outcome.published(delivered: delivered)
    if walks[walk].isRetaining, holdResult(of: walk, outcome, at: now) {
      return endTold(walk, outcome, by: .empty, hasTrace: hasTrace, at: now)
    }
    endWalk(walk, outcome, by: .empty, at: now)
  }

  /// Tells the record how a walk with a trace ends. Returns whether the end waits for that: then nothing of it is told yet.
  @inline(never)
  private mutating func holdEnd(
    of walk: Slot<Walk>, _ outcome: Outcome, by: UnsafeRawBufferPointer, at now: Instant
  ) -> Bool {
    guard let number = noteEndForRecord(of: walk, outcome, by: by, at: now) else { return false }
    var bytes = OwnedBytes()
    if case .handled(let payload) = outcome {
      bytes = OwnedBytes(copying: payload)
    } else if outcome.refersToWords {
      bytes.append(request.line)
      bytes.append([UInt8(ascii: "\n")])
    }
    let before = walks[walk].bytes
    keepBesideTrace(bytes.count, of: walk)
    changeAccount(for: walk, before: before, at: now)
    timers.end(walks[walk].timer)
    walks[walk].timer = .none
    let chain = chainSentTo(by: walk)
    chains[chain].held += 1
    walks[walk].heldEnd = heldEnds.append(
      HeldEnd(
        walk: walks.ref(walk), chain: chain, number: number, outcome: outcome.kept, bytes: bytes,
        by: OwnedBytes(copying: by)))
    return true
  }
}
