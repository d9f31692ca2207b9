/// Why some messages are not taken in now. It is one look for all reasons.
struct Refusals: OptionSet {
  let rawValue: UInt8
  /// The server shuts down.
  static let draining = Refusals(rawValue: 1)
  /// The record cannot be written, and messages that are recorded must be.
  static let recordFails = Refusals(rawValue: 2)
  /// Too many lines wait to be written.
  static let recordIsFull = Refusals(rawValue: 4)
}

extension Router {
  mutating func setRefusal(_ reason: Refusals, _ isSo: Bool) {
    if isSo { refusals.insert(reason) } else { refusals.remove(reason) }
  }

  /// What the record has to write of messages of an account takes so many bytes more, or fewer.
  mutating func countRecordBytes(_ more: Int, of account: Slot<PeerAccount>) { accounts[account].recordBytes += more }
}
