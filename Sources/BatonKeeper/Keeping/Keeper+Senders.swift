internal import BatonLasting

/// Who writes much does not keep others waiting: what comes while the store has enough waits in lines, one for each sender,
/// and they take turns.
extension Keeper {
  /// What one turn of a line brings, in bytes. What is longer takes several.
  private static var turnBytes: Int { 16 << 10 }
  /// A row counts so many bytes beside its content.
  static var rowBytes: Int { 256 }

  /// Has a change written that need not come before or behind what others write.
  mutating func write(_ change: StoreChange, of sender: Digest) { write(Unstored(change), of: sender) }

  /// The same.
  mutating func write(_ one: consuming Unstored, of sender: Digest) {
    resultBytes += one.mark.resultBytes
    if turns.isEmpty, !hasEnoughToWrite { return queue(one) }
    inLineBytes += one.mark.bytes
    if let line = trees.find(sender.pair, in: senderNames) { return senders[line].changes.append(one) }
    let line = senders.add(SenderLine(sender: sender))
    trees.insert(sender.pair, line, into: &senderNames)
    senders[line].changes.append(one)
    turns.append(line)
  }

  /// The line of an identity; of a connection, where there is none.
  mutating func line(of identity: [UInt8], _ sender: UInt64) -> Digest {
    identity.isEmpty ? Digest(high: .max, low: sender) : lastIdentity.of(identity, secret)
  }

  /// Whether what waits for the store and is with it is as much as it gets at once.
  var hasEnoughToWrite: Bool {
    mutating get { unstoredBytes >= limits.bytesAtOnce || unstored.count >= 4 * writesPerTurn }
  }

  /// Whether somebody waits whose turn it is.
  var hasTurns: Bool { mutating get { !turns.isEmpty && !hasEnoughToWrite } }

  /// Takes what is in the lines, in turn.
  mutating func takeTurns() {
    for _ in 0..<writesPerTurn {
      guard hasTurns, let line = turns.removeFirst() else { return }
      senders[line].credit += Keeper.turnBytes
      while let mark = senders[line].changes[0]?.mark, mark.bytes + Keeper.rowBytes <= senders[line].credit,
        let next = senders[line].changes.removeFirst()
      {
        senders[line].credit -= mark.bytes + Keeper.rowBytes
        inLineBytes -= mark.bytes
        queue(next)
      }
      if !senders[line].changes.isEmpty {
        turns.append(line)
      } else {
        trees.remove(senders[line].sender.pair, from: &senderNames)
        senders.remove(line, blank: SenderLine(sender: Digest(high: 0, low: 0)))
      }
    }
  }

  /// Whether so many results are on their way that no further try begins.
  var hasEnoughResults: Bool { mutating get { resultBytes >= 2 * limits.bytesAtOnce } }
}

/// What one sender has brought, in order.
struct SenderLine {
  var sender: Digest
  var changes = Line<Unstored>()
  /// Bytes that its turns have left over.
  var credit = 0
}
