package import BatonLasting

/// A start: the rows of the store are told one after the other, in any order; `open` ends it.
extension Keeper {
  /// The time at the start. It comes before the rows. Messages up to `again` may have been offered although their rows do
  /// not say so: the store was put back or copied then.
  package mutating func begin(at now: UInt64, wall: Int64, again: UInt64 = 0) {
    (self.now, self.wall, lastAgain) = (now, wall, again)
  }

  /// A row that waits, or a dead letter; `key` is that of its content.
  package mutating func restore(_ row: StoredMessage, key: [UInt8]?, isDead: Bool) {
    goOn(behind: max(row.row, row.state.place))
    let chain = chain(named: row.chain)
    let flow = flow(chain, lastIdentity.of(row.identity, secret), named: row.identity)
    let message = add(row, flow: flow, .lined)
    countResult(row.resultCount, of: message)
    let state = row.state
    let rest = row.acceptedAt + Int64(row.rules.expiresMilliseconds) - wall
    messages[message].expiresAt =
      now + UInt64(min(max(rest, 0), Int64(row.rules.expiresMilliseconds)))
    (messages[message].tries, messages[message].lastTry) = (state.tries, state.lastTry)
    (messages[message].cause, messages[message].isAgain) = (state.cause, state.isAgain || row.row <= lastAgain)
    messages[message].place = state.place
    if isDead { return bury(message) }
    if let key { join(message, key: digest(row.chain, key), isBusy: false) }
    if state.isUnderWay {
      let result = state.lastTry > state.tries ? forgetResult(of: message) : nil
      messages[message].tries += 1
      messages[message].isAgain = true
      messages[message].lastTry = messages[message].tries
      if messages[message].tries >= row.rules.tries { return becomeDead(message, result: result) }
      write(.state(row.row, self.state(of: message), result: result?.written))
    }
    // A wall clock that was set back makes no wait longer than it was from the start.
    let most = state.place == 0 ? state.nextAt - row.acceptedAt : longestDelay(before: state, row.rules)
    let wait = max(0, min(state.nextAt - wall, most))
    messages[message].dueAt = wait > 0 || state.place == 0 ? now + UInt64(max(wait, 1)) : 0
    if state.place == 0 {
      messages[message].state = .delayed
      chains[chain].delayed += 1
    } else if wait > 0, state.isStalled {
      // Which links it waits for is not written: any link wakes it.
      messages[message].state = .stalled
      messages[message].links = .max
      addStalled(message)
    } else if wait > 0 {
      messages[message].state = .retrying
    }
    setTimer(message)
    if messages[message].line == .none, messages[message].state == .lined { wantTry(message) }
  }

  /// What a try that did not count has ended with is not why the message is a dead letter, if a crash has cut off a later
  /// one: the handler that was missing then may have been there since.
  private mutating func forgetResult(of message: Place<MessageRecord>) -> TryResult {
    messages[message].cause = nil
    let result = results.none(id(of: message))
    countResult(result.count, of: message)
    return TryResult(result)
  }

  /// Rows that follow have higher numbers. A damaged one may have any number at all.
  private mutating func goOn(behind number: UInt64) {
    if number <= StoredID.mostCount { nextRow = max(nextRow, number + 1) }
  }

  /// A name of `once`.
  package mutating func restore(_ row: StoredOnce) {
    goOn(behind: row.id.count)
    let message = row.until == nil ? find(row.id) : nil
    let account = message.map { flows[messages[$0].flow].account } ?? account(of: row.identity)
    let once = OnceName(
      name: row.name, content: row.content.low, row: row.id.count, start: place(of: row.id.start),
      rememberedMilliseconds: row.rememberedMilliseconds, message: message ?? .none, account: account)
    let place = add(once)
    if let message {
      messages[message].once = place
    } else {
      let rest = min(max((row.until ?? wall) - wall, 0), Int64(row.rememberedMilliseconds))
      remember(place, for: UInt64(rest), resultCount: row.resultCount)
    }
  }

  /// All rows have been told, those of messages before those of `once`.
  package mutating func open() {
    isOpen = true
    var at = trees.first(of: lineNames)
    while let entry = at {
      at = trees.next(after: entry.key, in: lineNames)
      advance(entry.value)
    }
  }
}
