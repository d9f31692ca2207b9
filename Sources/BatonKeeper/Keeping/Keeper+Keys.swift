package import BatonLasting

/// The order of messages with one key. The router asks before it lets an ordinary message of a key go.
extension Keeper {
  private mutating func line(_ digest: Digest) -> Place<KeyLine> {
    if let line = trees.find(digest.pair, in: lineNames) { return line }
    let line = lines.add(KeyLine(digest: digest))
    trees.insert(digest.pair, line, into: &lineNames)
    return line
  }

  /// The message belongs to the key, and takes its place, unless it is delayed.
  mutating func join(_ message: Place<MessageRecord>, key: Digest, isBusy: Bool) {
    let line = line(key)
    if lines[line].count == 0, lines[line].tree.isEmpty { lines[line].isBusy = isBusy }
    lines[line].count += 1
    messages[message].line = line
    if messages[message].place != 0 { enterLine(message) }
  }

  mutating func enterLine(_ message: Place<MessageRecord>) {
    trees.insert(Pair(messages[message].place), Place(message), into: &lines[messages[message].line].tree)
  }

  /// Whether nothing of its key is before the message.
  mutating func hasTurn(_ message: Place<MessageRecord>) -> Bool {
    let line = messages[message].line
    guard line != .none else { return true }
    return !lines[line].isBusy && trees.first(of: lines[line].tree)?.key.first == messages[message].place
  }

  mutating func leaveLine(_ message: Place<MessageRecord>) {
    let line = messages[message].line
    guard line != .none else { return }
    if messages[message].place != 0 { trees.remove(Pair(messages[message].place), from: &lines[line].tree) }
    messages[message].line = .none
    lines[line].count -= 1
    advance(line)
  }

  /// The first of the line has its turn.
  mutating func advance(_ line: Place<KeyLine>) {
    guard let head = trees.first(of: lines[line].tree) else {
      if lines[line].count == 0 {
        trees.remove(lines[line].digest.pair, from: &lineNames)
        lines.remove(line, blank: KeyLine(digest: Digest(high: 0, low: 0)))
      }
      return
    }
    guard !lines[line].isBusy else { return }
    if let message = head.value.message {
      if messages[message].state == .lined { wantTry(message) }
    } else if let place = head.value.ordinary, !ordinary[place].isLetGo {
      ordinary[place].isLetGo = true
      outputs.append(.letGo(ticket: ordinary[place].ticket))
    }
  }

  /// An ordinary message with a key has come. True if it waits: `letGo` names its ticket when its turn has come, and
  /// `ordinaryEnded` must tell its end, whether it was let go or not. False if the keeper has no message of that key.
  package mutating func ordinaryCame(_ ticket: UInt64, chain: [UInt8], key: [UInt8]) -> Bool {
    guard let line = trees.find(digest(chain, key).pair, in: lineNames) else {
      return false
    }
    let place = OrdinaryPlace(line: line, place: drawRow(), ticket: ticket)
    let slot = ordinary.add(place)
    trees.insert(Pair(ticket), slot, into: &ordinaryTickets)
    trees.insert(Pair(place.place), Place(slot), into: &lines[line].tree)
    lines[line].count += 1
    advance(line)
    return true
  }

  /// That message has ended: by a result, its own deadline, or because it was cancelled.
  package mutating func ordinaryEnded(_ ticket: UInt64) {
    guard let slot = trees.find(Pair(ticket), in: ordinaryTickets) else { return }
    let place = ordinary[slot]
    trees.remove(Pair(ticket), from: &ordinaryTickets)
    trees.remove(Pair(place.place), from: &lines[place.line].tree)
    ordinary.remove(slot, blank: place)
    lines[place.line].count -= 1
    advance(place.line)
  }

  /// A try that was given has not begun: the router has ordinary messages of its key. `keyFree` tells when they have ended.
  package mutating func waitForKey(_ id: StoredID) {
    guard let message = find(id), messages[message].state == .underWay, messages[message].line != .none else { return }
    lines[messages[message].line].isBusy = true
    takeBack(id)
  }

  /// The ordinary messages of the key that came before the keeper's have ended.
  package mutating func keyFree(chain: [UInt8], key: [UInt8]) {
    guard let line = trees.find(digest(chain, key).pair, in: lineNames), lines[line].isBusy else { return }
    lines[line].isBusy = false
    advance(line)
  }
}

/// Who stands in the line of a key: a durable message or an ordinary one. A bit of its place tells which.
enum InLine {}

extension Place<InLine> {
  private static var ordinaryBit: UInt32 { 1 << 31 }

  init(_ message: Place<MessageRecord>) { self.init(message.index) }
  init(_ ordinary: Place<OrdinaryPlace>) { self.init(ordinary.index | Self.ordinaryBit) }

  var message: Place<MessageRecord>? { index & Self.ordinaryBit == 0 ? Place<MessageRecord>(index) : nil }
  var ordinary: Place<OrdinaryPlace>? {
    index & Self.ordinaryBit == 0 ? nil : Place<OrdinaryPlace>(index & ~Self.ordinaryBit)
  }
}
