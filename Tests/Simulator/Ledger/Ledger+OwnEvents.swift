import BatonCore

/// The server's own broadcasts: what happened in a call must be told to all who listen for it, and nothing else.
extension Ledger {
  /// Something that the server is to tell of.
  enum Deed {
    case inserted(chain: Int, name: String, version: Int?, by: Int)
    case replaced(chain: Int, name: String, new: String, version: Int?, by: Int)
    case removed(chain: Int, name: String, version: Int?, by: Int, isLost: Bool)
    case unhandled(walk: Int)
    case timedOut(walk: Int)
    case walked(walk: Int)
    case beganToMiss(Int)
  }

  /// Notes a deed of this call; one that is not certain may be told, and need not.
  func tell(_ deed: Deed, isCertain: Bool = true) {
    if isOverheard { deeds.append((deed, isCertain)) }
  }

  /// Whether somebody listens for the traces of all walks.
  var isWatched: Bool {
    isOverheard && accounts.indices.contains { isListening($0) && hears(Topic.own("trace"), $0) }
  }

  /// A walk is over; `status` is what its result said, where one was heard.
  func tellEnd(of walk: Int, _ status: String?) {
    guard isOverheard else { return }
    tell(.walked(walk: walk), isCertain: walks[walk].isWatched && status != nil)
    switch status {
    case "unhandled"?: tell(.unhandled(walk: walk))
    case "timeout"?: tell(.timedOut(walk: walk))
    case nil:
      tell(.unhandled(walk: walk), isCertain: false)
      tell(.timedOut(walk: walk), isCertain: false)
    default: break
    }
  }

  private func isListening(_ connection: Int) -> Bool {
    let account = accounts[connection]
    return account.isOpen && !account.isLeaving && !account.isEnded
  }

  private func hears(_ topic: Topic, _ connection: Int) -> Bool {
    accounts[connection].patterns.contains { $0.matches(topic) }
  }

  // MARK: What was heard

  /// Compares what everybody was told with what has happened.
  func checkOwnEvents() {
    guard isOverheard else { return }
    for connection in accounts.indices where accounts[connection].isOpen { checkOwnEvents(of: connection) }
    checkHoles()
    for connection in accounts.indices {
      accounts[connection].ownEvents.removeAll(keepingCapacity: true)
      accounts[connection].wasMissing = accounts[connection].missed > 0
      accounts[connection].mayHaveBeenMissing = accounts[connection].doubtful > 0
    }
    deeds.removeAll(keepingCapacity: true)
  }

  private func checkOwnEvents(of connection: Int) {
    let heard = accounts[connection].ownEvents.filter { $0.string(.topic) != "$baton.subscriber.missed" }
    var open = deeds.filter { hears($0.deed.topic, connection) || isDoubtful(connection) }
    for line in heard {
      if let index = open.firstIndex(where: { isAbout($0.deed, line) }) {
        let deed = open.remove(at: index).deed
        if case .walked(let walk) = deed { checkWatched(line, walk) }
        coverage.insert(deed.bit)
      } else if !isAboutSilentWalk(line) {
        fail(.seenRight, "#\(connection) is told what did not happen: \(line.description)")
      }
    }
    for (deed, isCertain) in open { lose(deed, isCertain: isCertain, connection) }
    if accounts[connection].unsent >= settings.eventsUnsentBytes {
      accounts[connection].silentWalks.formUnion(openWalks.filter(mayHaveEnded))
    }
  }

  /// The listener has not heard of the deed.
  private func lose(_ deed: Deed, isCertain: Bool, _ connection: Int) {
    let mayMiss = accounts[connection].unsent >= settings.eventsUnsentBytes
    if isDoubtful(connection) || !isCertain {
      if mayMiss { accounts[connection].mayHaveMissed += 1 }
    } else {
      accounts[connection].missed += 1
      if !mayMiss { fail(.seenRight, "#\(connection) is not told of \(deed)") }
    }
  }

  /// Whether the books cannot tell if the connection was listening when the deed was told.
  private func isDoubtful(_ connection: Int) -> Bool {
    if newlyLeaving.contains(connection) || resubscribed.contains(connection) || !isListening(connection) {
      return true
    }
    if case .ended(connection) = call { return true }
    return false
  }

  /// Whoever lost an event in this call has begun to miss some, and that is told, too.
  private func checkHoles() {
    let missing = accounts.indices.filter { beganToMiss($0) != nil }
    let listeners = accounts.indices.filter {
      accounts[$0].isOpen && (hears(Topic.own("subscriber.missed"), $0) || isDoubtful($0))
    }
    let heard = listeners.map { listener in
      accounts[listener].ownEvents.filter { $0.string(.topic) == "$baton.subscriber.missed" }
    }
    for (listener, lines) in zip(listeners, heard) {
      for other in missing where !lines.contains(where: { isNamed($0.by, other) }) {
        lose(.beganToMiss(other), isCertain: beganToMiss(other) ?? false, listener)
      }
    }
    // That makes holes in turn, of which those may be told who listen for them.
    let later = accounts.indices.filter { beganToMiss($0) != nil }
    for (listener, lines) in zip(listeners, heard) {
      if accounts[listener].unsent >= settings.eventsUnsentBytes {
        accounts[listener].mayHaveMissed += later.count - missing.count
      }
      for line in lines {
        coverage.insert(.toldHole)
        if later.contains(where: { isNamed(line.by, $0) }) { continue }
        fail(.seenRight, "#\(listener) is told of a hole that is not there: \(line.description)")
      }
    }
  }

  /// Whether the connection has begun to miss events in this call, for sure or perhaps; nil where it has not.
  private func beganToMiss(_ connection: Int) -> Bool? {
    let account = accounts[connection]
    guard !newlyLeaving.contains(connection) else { return false }
    // What was due before it closed may have been lost to it.
    if case .closed(connection) = call { return false }
    guard account.isOpen, account.missed + account.doubtful > 0 else { return nil }
    if !account.wasMissing, !account.isLeaving { return account.missed > 0 && !account.mayHaveBeenMissing }
    return account.missedTold == nil ? nil : false
  }

  private func isNamed(_ by: String, _ connection: Int) -> Bool {
    // The server counts its connections, as they come.
    by == "#\(connection + 1)" || accounts[connection].names.contains(by)
  }

  // MARK: Deeds and lines

  /// Whether the event tells of the deed, and tells it right.
  private func isAbout(_ deed: Deed, _ line: ServerLine) -> Bool {
    guard line.string(.topic) == deed.topic.text, let payload = line.value(.payload) else { return false }
    switch deed {
    case .inserted(let chain, let name, let version, let by):
      return isLink(payload, chain, name, version, by) && payload["connections"]?.integer == 1
    case .replaced(let chain, let name, let new, let version, let by):
      return isLink(payload, chain, name, version, by) && payload["as"]?.text == (new == name ? nil : new)
    case .removed(let chain, let name, let version, let by, let isLost):
      return isLink(payload, chain, name, version, by) && payload["connections"]?.integer == 0
        && payload["cause"]?.text == (isLost ? "disconnect" : nil)
    case .unhandled(let walk), .timedOut(let walk): return isMessage(payload, walk)
    case .walked(let walk):
      let total = now.microseconds - walks[walk].sentAt.microseconds
      return isMessage(payload, walk) && payload["total_us"]?.integer == Int(total)
    case .beganToMiss: return false
    }
  }

  private func isLink(_ payload: Value, _ chain: Int, _ name: String, _ version: Int?, _ by: Int) -> Bool {
    payload["chain"]?.text == Vocabulary.chains[chain] && payload["handler"]?.text == name
      && (version == nil || payload["version"]?.integer == version) && payload["version"]?.integer != nil
      && isNamed(payload["by"]?.text ?? "", by)
  }

  private func isMessage(_ payload: Value, _ walk: Int) -> Bool {
    let it = walks[walk]
    let message = messages[it.message]
    return payload["chain"]?.text == Vocabulary.chains[message.chain]
      && payload["topic"]?.text == String(decoding: message.topic.bytes, as: UTF8.self)
      && isNamed(payload["from"]?.text ?? "", message.sender)
      && (it.number == nil || it.number == payload["walk"]?.integer)
      && (it.mayHaveMoreHops || it.hops == payload["hops"]?.integer)
  }

  /// Whether the event tells of a message that may have ended without its sender being told.
  private func isAboutSilentWalk(_ line: ServerLine) -> Bool {
    guard let payload = line.value(.payload), line.string(.topic)?.hasPrefix("$baton.link") == false else {
      return false
    }
    return openWalks.contains { mayHaveEnded($0) && isMessage(payload, $0) }
  }

  /// `$baton.trace` says what the walk's own trace would say, but for links that do not accept the topic.
  private func checkWatched(_ line: ServerLine, _ walk: Int) {
    guard let record = line.value(.payload) else { return }
    checkTrace(record, of: walk, namesAll: messages[walks[walk].message].wantsTrace, in: line)
  }
}

extension Ledger.Deed {
  var topic: Topic {
    switch self {
    case .inserted: Topic.own("link.inserted")
    case .replaced: Topic.own("link.replaced")
    case .removed: Topic.own("link.removed")
    case .unhandled: Topic.own("message.unhandled")
    case .timedOut: Topic.own("message.timeout")
    case .walked: Topic.own("trace")
    case .beganToMiss: Topic.own("subscriber.missed")
    }
  }

  fileprivate var bit: Coverage {
    switch self {
    case .inserted, .replaced, .removed: .toldLink
    case .unhandled, .timedOut: .toldMessage
    case .walked: .toldWalk
    case .beganToMiss: .toldHole
    }
  }
}

extension ServerLine {
  /// Whom an event of the server's own is about.
  fileprivate var by: String { value(.payload)?["by"]?.text ?? "" }
}
