/// Gives a subscriber what is kept, a piece at a time, as it reads (contract, section 14). It pays for it.
extension Router {
  /// Begins to give the values of all topics that match the patterns.
  mutating func replayValues(_ patterns: [[UInt8]], to connection: Slot<Connection>, at now: Instant) {
    guard retained.count > 0 else { return }
    connections[connection].listening.replay = Replay(.values, prepared(patterns), from: 0, to: retained.changes)
    replayFurther(to: connection, at: now)
  }

  private mutating func prepared(_ patterns: [[UInt8]]) -> PreparedPatterns {
    PreparedPatterns(patterns, seed: settings.hashSeed)
  }

  /// Begins to give the events after a number, of this or of another epoch.
  mutating func replayEvents(
    _ patterns: [[UInt8]], after seq: Int, isOfThisEpoch: Bool, to connection: Slot<Connection>, at now: Instant
  ) {
    let isKnown = isOfThisEpoch && seq <= keptEvents.lastSeq && !keptEvents.rules.isEmpty
    let replay = Replay(.events, prepared(patterns), from: isKnown ? seq : 0)
    if !isKnown {
      replay.isUnknown = true
      replay.drops = keptEvents.drops
      replay.forgottenUpTo = keptEvents.forgottenUpTo
    }
    connections[connection].listening.replay = replay
    replayFurther(to: connection, at: now)
  }

  /// Whether a live event comes to the connection later, from what is kept.
  @inline(__always)
  mutating func isReplayed(_ topic: UnsafeRawBufferPointer, to connection: Slot<Connection>) -> Bool {
    guard let replay = connections[connection].listening.replay, replay.kind == .events else { return false }
    return replay.matches(topic, &spent)
  }

  /// The connection is not subscribed to the pattern any more.
  mutating func endReplay(ofSubscription subscription: Slot<Subscription>, to connection: Slot<Connection>) {
    guard let replay = connections[connection].listening.replay,
      !replay.drop(subscriptions.copyPattern(of: subscription))
    else {
      return
    }
    connections[connection].listening.replay = nil
  }

  /// The peer has read: what waits for that goes on.
  @inline(__always)
  mutating func goOnReplaying(to connection: Slot<Connection>, at now: Instant) {
    guard let replay = connections[connection].listening.replay, !replay.isListed else { return }
    replayFurther(to: connection, at: now)
  }

  /// A peer has read.
  @inline(__always)
  mutating func noteRoomForReplays() { hasRoomCome = !crowdedReplays.isEmpty }

  /// Those that wait for room of all connections together try again, each turn some of them.
  mutating func serveCrowdedReplays() {
    hasRoomCome = false
    for _ in 0..<min(settings.pieces.size, crowdedReplays.count) {
      guard let connection = crowdedReplays.popFirst() else { return }
      beginJob(.replay(connection))
    }
  }

  /// A job goes on.
  mutating func carryOnReplay(to ref: Ref<Connection>, at now: Instant) {
    guard connections.contains(ref), let replay = connections[ref.slot].listening.replay else { return }
    replay.isListed = false
    replayFurther(to: ref.slot, at: now)
  }

  /// What came of a step.
  private enum ReplayStep {
    case more
    case done
    /// The peer has to read first.
    case full
  }

  /// Gives a piece.
  private mutating func replayFurther(to connection: Slot<Connection>, at now: Instant) {
    guard let replay = connections[connection].listening.replay, connections[connection].phase == .open else { return }
    for _ in 0..<settings.pieces.size {
      guard mayWork(connection) else { break }
      let before = spent
      spent = Cost.look
      let step =
        replay.kind == .values ? giveValue(replay, to: connection, at: now) : giveEvent(replay, to: connection, at: now)
      let cost = spent
      spent = before
      charge(cost, to: connection)
      switch step {
      case .more: continue
      case .done:
        if replay.endsInHole { tellPlace(to: connection, at: now) }
        connections[connection].listening.replay = nil
        return
      case .full:
        // Once the peer has read, it goes on. If there is nothing to read, others have taken all the room.
        if connections[connection].outbox.count == 0 {
          replay.isListed = true
          crowdedReplays.append(connections.ref(connection))
        }
        return
      }
    }
    replay.isListed = true
    beginJob(.replay(connections.ref(connection)))
    markChanged(connection)
  }

  // MARK: Values

  private mutating func giveValue(
    _ replay: Replay, to connection: Slot<Connection>, at now: Instant
  ) -> ReplayStep {
    guard let value = retained.first(after: replay.position), retained[value].change <= replay.end else { return .done }
    if replay.matches(retained[value].topic.bytes, &spent) {
      switch room(for: retained[value].bytes, to: connection, at: now) {
      case .later: return .full
      case .never: break
      case .now:
        let event = Event(
          topic: retained[value].topic.bytes, payload: retained[value].payload.bytes, meta: retained[value].meta.bytes,
          from: retained[value].from.bytes)
        writeKept(event, seq: retained[value].seq, isRetained: true, to: connection, at: now)
      }
    }
    replay.position = retained[value].change
    return .more
  }

  // MARK: Events

  private mutating func giveEvent(
    _ replay: Replay, to connection: Slot<Connection>, at now: Instant
  ) -> ReplayStep {
    if replay.isUnknown {
      guard mayGetEvents(connection, ofBytes: 64) else { return .full }
      writeGone(for: replay, to: connection, at: now)
      (replay.isUnknown, replay.isTold) = (false, true)
      return .more
    }
    let next = keptEvents.first(after: replay.position, behind: replay.last)
    // What is over goes first: so what is gone together is told together.
    if let next, keptEvents.isOver(next, at: now) {
      keptEvents.drop(next)
      return .more
    }
    if replay.isWhole {
      if let step = giveWholeGap(replay, before: next, to: connection, at: now) { return step }
    } else if let step = givePartOfGap(replay, to: connection, at: now) {
      return step
    }
    guard let next else { return .done }
    return give(next, of: replay, to: connection, at: now)
  }

  /// A subscriber to every topic wants each number: those before the next kept event are gone. Returns nil if none is.
  private mutating func giveWholeGap(
    _ replay: Replay, before next: Slot<KeptEvent>?, to connection: Slot<Connection>, at now: Instant
  ) -> ReplayStep? {
    let last = next.map { keptEvents[$0].seq - 1 } ?? keptEvents.lastSeq
    guard last > replay.position else { return nil }
    if !replay.isTold {
      guard mayGetEvents(connection, ofBytes: 64) else { return .full }
      let isKnown = replay.position >= keptEvents.startedAfter
      writeGone(isKnown ? ",\"count\":" : ",\"at_most\":", last - replay.position, for: replay, to: connection, at: now)
    }
    replay.position = last
    return .more
  }

  /// Looks at a topic that has lost events, or tells what is gone. Returns nil if there is nothing of either.
  private mutating func givePartOfGap(
    _ replay: Replay, to connection: Slot<Connection>, at now: Instant
  ) -> ReplayStep? {
    if let topic = keptEvents.firstDropped(after: replay.drops) {
      replay.drops = keptEvents[topic].drop
      let goneUpTo = keptEvents[topic].goneUpTo
      if goneUpTo > replay.position, goneUpTo > replay.goneUpTo, replay.matches(keptEvents[topic].name.bytes, &spent) {
        replay.goneUpTo = goneUpTo
      }
      return .more
    }
    if keptEvents.forgottenUpTo > replay.forgottenUpTo {
      replay.forgottenUpTo = keptEvents.forgottenUpTo
      replay.goneUpTo = max(replay.goneUpTo, replay.forgottenUpTo)
    }
    if replay.isTold { replay.goneUpTo = 0 }
    guard replay.goneUpTo > replay.position else { return nil }
    guard mayGetEvents(connection, ofBytes: 64) else { return .full }
    let most = keptEvents.missing(after: replay.position, upTo: replay.goneUpTo)
    writeGone(",\"at_most\":", most, for: replay, to: connection, at: now)
    replay.goneUpTo = 0
    return .more
  }

  private mutating func give(
    _ event: Slot<KeptEvent>, of replay: Replay, to connection: Slot<Connection>, at now: Instant
  ) -> ReplayStep {
    let topic = keptEvents[keptEvents[event].topic].name.bytes
    if replay.matches(topic, &spent) {
      switch room(for: keptEvents[event].bytes, to: connection, at: now) {
      case .later: return .full
      case .never: break
      case .now:
        let kept = Event(
          topic: topic, payload: keptEvents[event].payload.bytes, meta: keptEvents[event].meta.bytes,
          from: keptEvents[event].from.bytes)
        writeKept(kept, seq: keptEvents[event].seq, isRetained: false, to: connection, at: now)
        (replay.isTold, replay.endsInHole) = (false, false)
      }
    }
    replay.position = keptEvents[event].seq
    replay.last = keptEvents.ref(event)
    return .more
  }

  private enum Room { case now, later, never }

  /// Whether there is room for what is kept. What is larger than all that may be unsent is missed, as if it were live.
  private mutating func room(for bytes: Int, to connection: Slot<Connection>, at now: Instant) -> Room {
    if mayGetEvents(connection, ofBytes: bytes) { return .now }
    guard bytes > settings.maxTotalUnsentBytes else { return .later }
    _ = hasRoomForEvents(connection, ofBytes: bytes, at: now)
    return .never
  }

  /// Tells what is gone, in its place; without a number if it is not known how many events are.
  private mutating func writeGone(
    _ name: StaticString? = nil, _ number: Int = 0, for replay: Replay, to connection: Slot<Connection>, at now: Instant
  ) {
    replay.endsInHole = true
    tellMissed(connection, at: now)
    var writer = beginLine(to: connection, atMost: 80)
    writer.literal("{\"op\":\"missed\"")
    if let name { writer.count(name, number) }
    writer.literal(",\"gone\":true}\n")
    commitEvent(writer, to: connection)
  }

  /// Nothing has followed a hole. The door of server-sent events tells its reader to which place it has come, so that the
  /// hole is not told again: this line is for that door alone. Other readers know the place from the `ok`.
  private mutating func tellPlace(to connection: Slot<Connection>, at now: Instant) {
    guard connections[connection].door == .events, !keptEvents.rules.isEmpty else { return }
    var writer = beginLine(to: connection, atMost: 64)
    writer.count("{\"op\":\"place\",\"seq\":", keptEvents.lastSeq)
    writer.literal("}\n")
    commitLine(writer, to: connection, at: now)
  }

  private mutating func writeKept(
    _ event: Event, seq: Int, isRetained: Bool, to connection: Slot<Connection>, at now: Instant
  ) {
    spent &+= Cost.delivery &+ Cost.copying(event.payload.count &+ event.meta.count)
    tellMissed(connection, at: now)
    var writer = beginLine(to: connection, atMost: LineWriter.bound(event))
    writer.event(event, seq: seq)
    if isRetained { writer.literal(",\"retained\":true") }
    writer.literal("}\n")
    commitEvent(writer, to: connection)
  }
}
