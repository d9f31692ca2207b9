import BatonLasting
import DoorKit

/// What a crash leaves.
extension Judge {
  /// The server is gone. What is on disk is all there is.
  func crashed() {
    let mustBeCutOff = isCuttingOff && isGivenAll
    (untold, untoldStaying, isFailing, repeats, drainedAt, drainEndsAt, undeclaredAt) = (
      [], [], false, 0, nil, nil, [:]
    )
    (ordinary, servers, changeStep, windows, fileStep) = ([:], [:], [:], [:], step)
    step += 1
    for id in requests.indices { requests[id].isOver = true }
    let remembered = Set(store.remembered)
    for name in messages.keys.sorted() {
      guard var one = messages[name] else { continue }
      check(!one.isOpen || one.walk == nil || !mustBeCutOff, "a try that is cut off does not count", name)
      if let row = onDisk(name) {
        goesOn(&one, row, name)
      } else {
        check(!one.isTold || one.endOnDisk != nil, "what was accepted is there until it ends", name)
        one.endOnDisk = one.endOnDisk ?? .never
        one.end = one.endOnDisk
        alive.remove(name)
        if remembered.contains(one.row) { one.leftAt = since(one.leftWall, atMost: settings.rememberedMilliseconds) }
      }
      messages[name] = one
    }
  }

  private func goesOn(_ one: inout Message, _ row: MemoryStore.Row, _ name: String) {
    check(one.endOnDisk != .refused, "what was refused is not kept", name)
    check(one.endOnDisk == (row.isDead ? .dead : nil), "what has ended has gone", name)
    let state = row.message.state
    check(!one.isOpen || one.walk == nil || state.isUnderWay, "the mark of a try is on disk", name)
    if one.isOpen, one.walk != nil { reach("crash with a try under way") }
    let isUnderWay = state.isUnderWay && !row.isDead
    check(
      state.tries == one.triesOnDisk && state.isUnderWay == one.isMarkOnDisk, "tries are counted",
      "\(name) after a crash: \(state.tries), not \(one.triesOnDisk)")
    one.tries = state.tries + (isUnderWay ? 1 : 0)
    one.triesAtStart = one.tries
    if isUnderWay || one.isOpen { one.mayHaveBeenOffered = true }
    if !one.asked.isEmpty { one.mustSayAgain = true }
    one.forgetTry()
    one.notBefore = 0
    one.begunAt = since(one.acceptedAt, atMost: Int(one.sent.rules.expiresMilliseconds))
    one.forgetsResult = isUnderWay && state.lastTry > state.tries
    (one.end, one.leftAt, one.isOnDisk, one.isTold) = (row.isDead ? .dead : nil, nil, true, true)
    (one.endOnDisk, one.status) = (one.end, one.statusOnDisk)
    if row.isDead { alive.remove(name) } else { alive.insert(name) }
  }

  /// When something was, for a server that has the wall clock's word alone: not later than now, and not so long ago that
  /// more than all of its time has passed.
  private func since(_ wall: Int64, atMost most: Int) -> Int { now - min(max(Int(self.wall - wall), 0), most) }
}
