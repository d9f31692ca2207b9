package import BatonLasting

/// What others may see: where messages are, and how many there are.
extension Keeper {
  /// Whether commits fail.
  package var isFailing: Bool { failingSince != nil }

  /// Whether there are messages with a key, ordinary ones that wait behind them too.
  package var hasKeys: Bool { !lineNames.isEmpty }

  /// Whether this identity has sent the message.
  package mutating func isOf(_ id: StoredID, identity: [UInt8]) -> Bool {
    find(id).map { accounts[flows[messages[$0].flow].account].digest == digest(identity) } ?? false
  }

  /// The message that this identity has sent under this name of its own; nil if none is there.
  package mutating func find(once: [UInt8], of identity: [UInt8]) -> StoredID? {
    let name = digest(identity, once)
    guard let once = onceNames.find(name.low, where: { onces[$0].name == name }), onces[once].message != .none else {
      return nil
    }
    return id(ofName: once)
  }

  /// The messages of a chain that have no end yet: of the places from `first` on the next `looking`, until `limit` are
  /// found. A message stays in its place until it goes. `next` is where the next page begins; nil if nothing is behind.
  package mutating func kept(
    in chain: [UInt8], from first: Int, limit: Int, looking: Int
  ) -> (messages: [KeptMessage], next: Int?) {
    guard let chain = trees.find(digest(chain).pair, in: chainNames), chains[chain].waiting > 0 else {
      return ([], nil)
    }
    let end = Int(messages.end)
    var (found, place): ([KeptMessage], Int) = ([], first)
    while place < end, place - first < looking, found.count < limit {
      let message = Place<MessageRecord>(UInt32(place))
      place += 1
      // A place that was given back has an element, too.
      guard rows.find(messages[message].row) == message, flows[messages[message].flow].chain == chain else { continue }
      if let one = kept(message) { found.append(one) }
    }
    return (found, place < end ? place : nil)
  }

  private mutating func kept(_ message: Place<MessageRecord>) -> KeptMessage? {
    let id = id(of: message)
    guard let status = status(of: id), status.state != .accepting, status.state != .dead else { return nil }
    let record = messages[message]
    let left = record.expiresAt > now ? record.expiresAt - now : 0
    let whole = UInt64(record.rules.expiresMilliseconds)
    return KeptMessage(
      id: id, place: Int(message.index), status: status, identity: identities[flows[record.flow].account] ?? [],
      age: whole > left ? whole - left : 0)
  }

  /// The chain of a dead letter whose content is loaded because it is sent again.
  package mutating func chainOfResend(row: UInt64) -> [UInt8]? {
    guard let message = rows.find(row), messages[message].state == .leaving else { return nil }
    return chains[flows[messages[message].flow].chain].name
  }

  /// What is stored, of all chains or of one.
  package mutating func figures(of chain: [UInt8]?) -> DurableFigures {
    var figures = DurableFigures()
    guard let chain else {
      (figures.messages, figures.dead, figures.bytes) = (waiting, messages.count - waiting, bytes)
      (figures.underWay, figures.remembered) = (openTries, remembered)
      return figures
    }
    guard let place = trees.find(digest(chain).pair, in: chainNames) else { return figures }
    let record = chains[place]
    (figures.messages, figures.delayed) = (record.waiting, record.delayed)
    // What is in no chain of the file waits for that.
    if record.isDeclared { figures.due = record.due }
    (figures.underWay, figures.dead) = (record.open, record.dead)
    return figures
  }

  /// The chains that are declared or have messages, in an order that stays the same: at most so many.
  package mutating func chainNames(atMost most: Int) -> [[UInt8]] {
    var names: [[UInt8]] = []
    var at = trees.first(of: chainNames)
    while let entry = at, names.count < most {
      names.append(chains[entry.value].name)
      at = trees.next(after: entry.key, in: chainNames)
    }
    return names
  }
}
