import BatonCore

/// Broadcasts: who must get which event, in which order.
extension Ledger {
  func applyBroadcast(_ number: Int, _ line: SentLine, from connection: Int) {
    if isRefused(line, of: connection) { return }
    if drainEnd != nil, line.wantsReply {
      return fail(.oneReply, "#\(connection) \(line.text) is accepted while draining")
    }
    let message = messages[number]
    var certain = 0
    var possible = 0
    for listener in accounts.indices where listens(listener, to: message) {
      let mayMiss = accounts[listener].unsent >= settings.eventsUnsentBytes
      accounts[listener].expectedEvents.append((number, mayMiss))
      possible += 1
      if !mayMiss { certain += 1 }
    }
    coverage.insert(.broadcast)
    if possible > 0 { coverage.insert(.event) }
    if !message.echo { coverage.insert(.withoutEcho) }
    guard let answer = takeAnswer(.ok, for: line, of: connection) else { return }
    guard let delivered = answer.integer(.delivered), (certain...possible).contains(delivered) else {
      return fail(.eventsOnce, "\(certain) to \(possible) listen to m\(number): \(answer.description)")
    }
  }

  func listens(_ listener: Int, to message: Message) -> Bool {
    let account = accounts[listener]
    guard account.isOpen, !account.isLeaving, !account.isCondemned, !account.isEnded else { return false }
    guard listener != message.sender || message.echo else { return false }
    return account.patterns.contains { $0.matches(message.topic) }
  }

  func takeEvent(_ line: ServerLine, of connection: Int) {
    // What is unsent only grows within a call: behind an event that found no room there is none either.
    if accounts[connection].missed > 0 {
      fail(.eventsOnce, "#\(connection) is not told of \(accounts[connection].missed) lost: \(line.description)")
    }
    // The line about the hole may take the last room: the event that it stands before comes all the same.
    let told = accounts[connection].missedTold
    let unsent = told?.end == line.unsentBefore ? told?.start ?? 0 : line.unsentBefore
    if unsent >= settings.eventsUnsentBytes {
      fail(.inBounds, "\(line.unsentBefore) bytes are unsent to #\(connection), and it gets \(line.description)")
    }
    if line.string(.from) == "$baton" { return accounts[connection].ownEvents.append(line) }
    guard let mark = mark(ofEvent: line) else {
      return fail(.bytesKept, "nobody broadcast this: \(line.description)")
    }
    if messages.indices.contains(mark), messages[mark].isVia { return }
    guard let expected = accounts[connection].expectedEvents.popFirst() else {
      return fail(.eventsOnce, "#\(connection) must not get \(line.description)")
    }
    guard expected.message == mark else {
      let isKnown = messages.indices.contains(mark)
      return fail(
        isKnown ? .eventsOnce : .bytesKept, "#\(connection) must get m\(expected.message): \(line.description)")
    }
    checkEvent(line, messages[mark], payload: messages[mark].payload)
  }

  /// The message that an event is about: its topic tells, or else its payload or its meta.
  func mark(ofEvent line: ServerLine) -> Int? {
    if line.string(.from) == "$baton" { return nil }
    for member in [ServerLine.Member.topic, .payload, .meta] {
      if let range = line[member], let mark = line.bytes.mark(in: range) { return mark }
    }
    return nil
  }

  func checkEvent(_ line: ServerLine, _ message: Message, payload: [UInt8]?) {
    checkSame(line, .payload, payload)
    checkSame(line, .meta, message.meta)
    if line.text(.topic).map({ !$0.elementsEqual(message.topic.bytes) }) ?? true {
      fail(.bytesKept, "another topic: \(line.description)")
    }
    checkFrom(.from, line, is: message.sender)
  }

  /// The hole in the stream must be as large as what was lost.
  func takeMissed(_ line: ServerLine, of connection: Int) {
    coverage.insert(.missed)
    let lost = accounts[connection].missed
    // One hole is told, and makes another: how often that went round is not known to the last.
    let hearsHoles = accounts[connection].patterns.contains { $0.matches(Topic.own("subscriber.missed")) }
    let doubtful = accounts[connection].doubtful + (hearsHoles ? 2 * accounts.count : 0)
    guard let count = line.integer(.count), count >= max(1, lost), count <= lost + doubtful else {
      return fail(.eventsOnce, "#\(connection) lost \(lost) to \(lost + doubtful) events: \(line.description)")
    }
    accounts[connection].missed = 0
    accounts[connection].mayHaveMissed = 0
    accounts[connection].silentWalks.removeAll()
    accounts[connection].missedTold = (line.unsentBefore, line.unsentBefore + line.bytes.count + 1)
  }

  func takeDraining(of connection: Int) {
    if accounts[connection].wasToldDraining || drainEnd == nil {
      fail(.oneReply, "#\(connection) is told twice or too early that the server is going")
    }
    accounts[connection].wasToldDraining = true
  }
}
