import BatonKeeper

/// A pretend store: what is on disk, and what waits for a commit.
struct Disk {
  struct Row {
    var message: StoredMessage
    var content: Content
    var result: [UInt8]?
    var isDead = false
  }

  private(set) var rows: [UInt64: Row] = [:]
  private(set) var onces: [Digest: StoredOnce] = [:]
  /// What names keep whose messages have ended.
  private(set) var results: [Digest: [UInt8]] = [:]
  /// What left the disk as an end, in order.
  private(set) var ended: [StoredID] = []

  private func once(of row: UInt64) -> StoredOnce? {
    onces.values.first { $0.id.count == row && $0.until == nil }
  }

  /// Carries one change out; a planted fault may leave it out.
  mutating func apply(_ change: StoreChange) {
    switch change {
    case .insert(let message, let content, let once):
      rows[message.row] = Row(message: message, content: content, result: nil)
      if let once { onces[once.name] = once }
    case .state(let row, let state, let result):
      rows[row]?.message.state = state
      if let result { rows[row]?.result = result }
    case .end(let row, let result, let until):
      if let gone = rows.removeValue(forKey: row) { ended.append(gone.message.id) }
      if let until { keepOnce(of: row, until, result.written) }
    case .dead(let row, let state, let result):
      rows[row]?.message.state = state
      rows[row]?.isDead = true
      if let result { rows[row]?.result = result.written }
    case .resend(let message, let content, let old, let until):
      keepOnce(of: old, until, rows.removeValue(forKey: old)?.result)
      rows[message.row] = Row(message: message, content: content, result: nil)
    case .discard(let row, let until):
      keepOnce(of: row, until, rows.removeValue(forKey: row)?.result)
    case .remove(let row):
      rows[row] = nil
      if let once = once(of: row) { onces[once.name] = nil }
    case .forget(let name, _): (onces[name], results[name]) = (nil, nil)
    }
  }

  private mutating func keepOnce(of row: UInt64, _ until: Int64, _ result: [UInt8]?) {
    guard let once = once(of: row) else { return }
    onces[once.name]?.until = until
    results[once.name] = result
  }

  /// What the keeper counts as bytes.
  var byteCount: Int {
    rows.values.reduce(0) { $0 + $1.message.byteCount + ($1.result?.count ?? 0) }
      + results.values.reduce(0) { $0 + $1.count }
  }

  /// Names whose messages have ended.
  var remembered: Int { onces.values.count { $0.until != nil } }
}
