internal import BatonLasting

/// What the keeper asks for while the server runs.
extension Store {
  /// The answer to a read; nil for a write.
  func read(_ job: StoreJob) -> StoreAnswer? {
    switch job {
    case .write: nil
    case .look: look()
    case .readBase: .base(readBase())
    case .load(let row): .loaded(row, load(row))
    case .recall(let ticket, let id, _): recall(ticket, id)
    case .readDead(let ticket, let rows, let withContent): .dead(ticket: ticket, deadLetters(rows, withContent))
    }
  }

  /// What cannot be read is tried again by whoever asked; an operator has to know why.
  func noteRead(_ error: DatabaseError) {
    readError = error.description
    failedReads += 1
  }

  /// Why a read has failed since this was asked last; nil if none has.
  func takeReadError() -> String? {
    defer { readError = nil }
    return readError
  }

  /// What is free; nil if the system does not tell.
  func look() -> StoreAnswer? { freeBytes().map { .hasFree(bytes: $0, inFile: freeBytesInFile()) } }

  /// Bytes of the file that nothing stands in any more: they are written again before the file grows. Less than 0 while more
  /// pages are only in the log than are free: the file will grow by them.
  private func freeBytesInFile() -> Int {
    // Another file under this name says nothing of the one that is open.
    guard (try? expectFile()) != nil, let bytes = try? path.byteCount, let pages = try? tables.countPages.readNumber(),
      let free = try? tables.countFreePages.readNumber()
    else { return 0 }
    return bytes - Int(pages - free) * tables.pageBytes
  }

  private func load(_ row: UInt64) -> Loaded {
    do {
      // A row that is not there is damage: nobody asks for one whose insertion is not on disk.
      if let found = try find(row), let content = found.content, !found.isResultDamaged {
        return .content(content, result: found.result, resent: found.message.resent)
      }
      readError = "the bytes of the stored message \(row) are damaged"
    } catch {
      noteRead(error)
      if !error.isDamage { return .failed }
    }
    // It may say that pages of others are its own.
    keepOnDisk(row)
    return .damaged
  }

  private func recall(_ ticket: UInt64, _ id: StoredID) -> StoreAnswer {
    do throws(DatabaseError) {
      // Its content is not asked for: it may be damaged, and that of a message that has gone.
      if let found = try find(id.count, by: tables.readAbout), found.message.id == id {
        return .recalled(ticket: ticket, id, result: found.result)
      }
      return try recallEnded(ticket, id)
    } catch {
      noteRead(error)
      return error.isDamage ? .notRecalled(ticket: ticket) : .recallFailed(ticket: ticket)
    }
  }

  /// What is kept with the name of a message that has gone.
  private func recallEnded(_ ticket: UInt64, _ id: StoredID) throws(DatabaseError) -> StoreAnswer {
    let read = tables.readOnceResult
    read.bind(1, id.count)
    defer { read.reset() }
    guard try read.step(), read.withBytes(0, { OnceRow.read($0, row: id.count) })?.id == id else {
      return .notRecalled(ticket: ticket)
    }
    if read.isNothing(1) { return .recalled(ticket: ticket, id, result: nil) }
    let result = read.withBytes(1) { ResultRow.read($0, row: id.count) }
    return result.map { .recalled(ticket: ticket, id, result: $0) } ?? .notRecalled(ticket: ticket)
  }

  /// Nil if one of them cannot be read.
  private func deadLetters(_ rows: [UInt64], _ withContent: Bool) -> [DeadLetter]? {
    var letters: [DeadLetter] = []
    do throws(DatabaseError) {
      for row in rows { if let letter = try deadLetter(row, withContent: withContent) { letters.append(letter) } }
      return letters
    } catch {
      noteRead(error)
      return nil
    }
  }

  private func deadLetter(_ row: UInt64, withContent: Bool) throws(DatabaseError) -> DeadLetter? {
    guard let (found, isUnreadable) = try findLetter(row, withContent: withContent), found.isDead else { return nil }
    var content = found.content
    if !withContent { content?.payload = [] }
    return DeadLetter(
      message: found.message, content: content, result: found.result, isUnreadable: isUnreadable)
  }

  /// What is damaged, or not given by the disk, is told all the same, as far as it can be read. Only who asks for the content
  /// has to ask again.
  private func findLetter(
    _ row: UInt64, withContent: Bool
  ) throws(DatabaseError) -> (found: Found, isUnreadable: Bool)? {
    do throws(DatabaseError) {
      return try find(row).map { ($0, false) }
    } catch {
      guard error.isDamage || !withContent else { throw error }
      noteRead(error)
      guard var found = try find(row, by: tables.readAbout) else { return nil }
      found.content = nil
      return (found, !error.isDamage)
    }
  }

  struct Found {
    var message: StoredMessage
    /// Nil if it is damaged.
    var content: DurableContent?
    var result: [UInt8]?
    var isResultDamaged = false
    var isDead = false
  }

  func find(_ row: UInt64) throws(DatabaseError) -> Found? { try find(row, by: tables.readMessage) }

  private func find(_ row: UInt64, by read: Statement) throws(DatabaseError) -> Found? {
    read.bind(1, row)
    defer { read.reset() }
    return try read.step() ? Self.found(read, row) : nil
  }

  /// What the columns of `readMessage` say; nil if the message has gone.
  static func found(_ read: Statement, _ row: UInt64) -> Found? {
    let state = read.isNothing(4) ? nil : read.withBytes(4) { StateRow.read($0, row: row) }
    if state?.hasGone == true { return nil }
    guard let about = read.withBytes(0, { MessageRow.read($0, row: row) }) else {
      return Found(message: read.damagedMessage(row, about: 0, once: 6), isDead: true)
    }
    var found = Found(message: about.message)
    let content = DurableContent(head: read.bytes(1), from: read.bytes(2), key: about.key, payload: read.bytes(3))
    if MessageRow.contentSum(content, row: row) == about.contentSum { found.content = content }
    if !read.isNothing(4) {
      guard let state else { return Found(message: about.message, isDead: true) }
      (found.message.state, found.isDead) = (state.state, state.isDead)
    }
    if !read.isNothing(5) {
      found.result = read.withBytes(5) { ResultRow.read($0, row: row) }
      found.isResultDamaged = found.result == nil
    }
    return found
  }
}
