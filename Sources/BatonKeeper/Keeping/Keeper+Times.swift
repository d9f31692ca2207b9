internal import BatonLasting

extension Keeper {
  /// Sets the one time at which something becomes of the message by itself.
  mutating func setTimer(_ message: Place<MessageRecord>) {
    let kept = messages[message]
    switch kept.state {
    case .delayed, .retrying, .stalled: setTimer(message, at: min(kept.dueAt, kept.expiresAt))
    case .lined, .ready: setTimer(message, at: kept.expiresAt)
    default: setTimer(message, at: 0)
    }
  }

  mutating func setTimer(_ message: Place<MessageRecord>, at time: UInt64) {
    let kept = messages[message]
    guard kept.timerAt != time else { return }
    if kept.timerAt != 0 { trees.remove(Pair(kept.timerAt, kept.row), from: &timers) }
    if time != 0 { trees.insert(Pair(time, kept.row), message, into: &timers) }
    messages[message].timerAt = time
  }

  mutating func passTimes() {
    for _ in 0..<limits.stepsPerTurn {
      guard let first = trees.first(of: timers), first.key.first <= now else { return }
      let message = first.value
      if messages[message].state == .delayed { chains[flows[messages[message].flow].chain].delayed -= 1 }
      if messages[message].state == .dying {
        // Its last result could not be read.
        setTimer(message)
        wantLoad(of: message)
      } else if messages[message].expiresAt <= now {
        expire(message)
      } else if messages[message].state == .delayed {
        // It takes its place among those of its key now; the row must know that, so that the order stays after a crash.
        messages[message].place = drawRow()
        messages[message].dueAt = 0
        if messages[message].line != .none {
          write(.state(messages[message].row, state(of: message), result: nil))
          enterLine(message)
        }
        wantTry(message)
      } else if messages[message].state != .stalled {
        wantTry(message)
      } else if mayRepeat(message) {
        unstall(message)
        wantTry(message)
      }
    }
  }

  /// Its time is over while it waits: it is a dead letter, with the result of its last try.
  private mutating func expire(_ message: Place<MessageRecord>) {
    switch messages[message].state {
    case .ready: takeFromReady(message)
    case .stalled: unstall(message)
    default: break
    }
    guard messages[message].cause != nil, messages[message].hearer != .none else {
      return becomeDead(message, result: nil)
    }
    messages[message].state = .dying
    setTimer(message)
    wantContent(message)
  }
}
