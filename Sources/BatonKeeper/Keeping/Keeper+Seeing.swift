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
