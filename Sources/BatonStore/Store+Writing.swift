internal import BatonLasting

/// Durable messages: each change is what `MemoryStore` of `Tests/DoorKit` does plainly.
extension Store {
  func carryOut(_ change: StoreChange) throws {
    switch change {
    case .insert(let message, let content, let once): try insert(message, content, once)
    case .state(let row, let state, let result): try setState(row, state, isDead: false, result)
    case .dead(let row, let state, let result): try setState(row, state, isDead: true, result?.written)
    case .end(let row, _, nil): try remove(row...row)
    case .end(let row, let result, let until?): try end(row, result: result.written, until)
    case .discard(let row, let until): try end(row, result: nil, until)
    case .resend(let message, let content, let old, let until): try resend(message, content, old, until)
    case .remove(let row): try remove(row...row)
    case .forget(_, let row): try forget(row)
    case .stays(let change): try carryOut(change)
    case .log(let step): try carryOut(step)
    }
  }

  private func insert(_ message: StoredMessage, _ content: DurableContent, _ once: StoredOnce?) throws(DatabaseError) {
    let sum = MessageRow.contentSum(content, row: message.row)
    MessageRow.write(message, key: content.key, contentSum: sum, to: &row)
    if let once { OnceRow.write(once, to: &second) }
    let insert = tables.insertMessage
    insert.bind(1, message.row)
    // The bytes stay where they are until the statement is reset, and so they are not copied.
    try withBytes(once == nil ? [] : second.bytes, row.bytes) { (once, about) throws(DatabaseError) in
      if once.isEmpty { insert.bindNothing(2) } else { insert.bind(2, once) }
      insert.bind(3, about)
      try content.withParts { (head, sender, _, payload) throws(DatabaseError) in
        insert.bind(4, head)
        insert.bind(5, sender)
        insert.bind(6, payload)
        try insert.run()
      }
    }
  }

  /// Nothing, if the message is not there: its number may be that of another one later.
  private func setState(_ number: UInt64, _ state: TryState, isDead: Bool, _ result: [UInt8]?) throws(DatabaseError) {
    hasStates = true
    StateRow.write(state, isDead: isDead, row: number, to: &row)
    if let result { ResultRow.write(result, row: number, to: &second) }
    let set = result == nil ? tables.setState : tables.setStateAndResult
    set.bind(1, number)
    try withBytes(row.bytes, second.bytes) { (about, bytes) throws(DatabaseError) in
      set.bind(2, about)
      if result == nil { set.bindNothing(3) } else { set.bind(3, bytes) }
      try set.run()
    }
  }

  /// These messages go, and nothing of them is kept.
  func remove(_ rows: ClosedRange<UInt64>) throws {
    guard stuck.isEmpty || !rows.contains(where: stuck.contains) else {
      for row in rows { if stuck.contains(row) { try mark(gone: row) } else { try remove(row...row) } }
      return
    }
    try takeOff { () throws(DatabaseError) in try tables.deleteMessages.run(rows) }
    // As long as nothing was tried twice, there is nothing to look for.
    if hasStates { try tables.deleteStates.run(rows) }
  }

  /// Takes rows off the disk, unless it does not give them, or they are damaged: that may have ended the transaction, and in
  /// the next one they stay.
  private func takeOff(_ delete: () throws(DatabaseError) -> Void) throws {
    do throws(DatabaseError) {
      try delete()
    } catch {
      guard error.lacksBytes else { throw error }
      throw PassedOver.rows(error)
    }
  }

  /// The time of a name is over. Where it stays on the disk, the next start deletes it, for its time is over then, too.
  private func forget(_ row: UInt64) throws {
    if keepsNames { return }
    try takeOff { () throws(DatabaseError) in try tables.deleteOnce.run(row) }
  }

  /// The message has gone; its row stays.
  private func mark(gone number: UInt64) throws(DatabaseError) {
    hasStates = true
    StateRow.writeGone(row: number, to: &row)
    let set = tables.setGone
    set.bind(1, number)
    try withBytes(row.bytes, []) { (about, _) throws(DatabaseError) in
      set.bind(2, about)
      try set.run()
    }
  }

  /// The message goes; its name, if it has one, is kept with the result: this one, or that of its last try.
  private func end(_ row: UInt64, result: [UInt8]?, _ until: Int64) throws {
    if var once = try name(of: row) {
      once.until = until
      try keep(once, result: result)
    }
    try remove(row...row)
  }

  /// Nil if there is no such message any more. A damaged name is forgotten.
  private func name(of row: UInt64) throws(DatabaseError) -> StoredOnce? {
    let read = tables.readOnce
    read.bind(1, row)
    defer { read.reset() }
    guard try read.step() else { return nil }
    return read.withBytes(0) { OnceRow.read($0, row: row) }
  }

  private func keep(_ once: StoredOnce, result: [UInt8]?) throws(DatabaseError) {
    let number = once.id.count
    OnceRow.write(once, to: &row)
    var kept: [UInt8]?
    if let result {
      ResultRow.write(result, row: number, to: &second)
      kept = second.bytes
    } else {
      kept = try lastResult(of: number)
    }
    let insert = tables.insertOnce
    insert.bind(1, number)
    try withBytes(row.bytes, kept ?? []) { (about, bytes) throws(DatabaseError) in
      insert.bind(2, about)
      if kept == nil { insert.bindNothing(3) } else { insert.bind(3, bytes) }
      try insert.run()
    }
  }

  /// As it stands, with its checksum.
  private func lastResult(of row: UInt64) throws(DatabaseError) -> [UInt8]? {
    let read = tables.readResult
    read.bind(1, row)
    defer { read.reset() }
    guard try read.step(), !read.isNothing(0) else { return nil }
    return read.bytes(0)
  }

  private func resend(
    _ message: StoredMessage, _ content: DurableContent, _ old: UInt64, _ until: Int64
  ) throws {
    var message = message
    // Carried out before, it has taken the identity over already.
    if let identity = try identity(of: old) {
      message.identity = identity
    } else if let identity = try identity(of: message.row) {
      message.identity = identity
    }
    try end(old, result: nil, until)
    try insert(message, content, nil)
  }

  private func identity(of row: UInt64) throws(DatabaseError) -> [UInt8]? {
    let read = tables.readIdentity
    read.bind(1, row)
    defer { read.reset() }
    guard try read.step() else { return nil }
    return read.withBytes(0) { MessageRow.read($0, row: row)?.message.identity }
  }
}

extension Statement {
  /// Carries it out with one number.
  func run(_ number: UInt64) throws(DatabaseError) {
    bind(1, number)
    try run()
  }

  /// Carries it out with the first and the last of these rows.
  fileprivate func run(_ rows: ClosedRange<UInt64>) throws(DatabaseError) {
    bind(1, rows.lowerBound)
    bind(2, rows.upperBound)
    try run()
  }
}
