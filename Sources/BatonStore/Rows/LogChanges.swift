package import BatonLasting

/// Changes of the keeper as a record of a cluster's log has them: one after the other, with a checksum of them all. Rows in them
/// are those of the tables.
package struct LogChanges {
  private var body = RowWriter()
  private var row = RowWriter()
  /// How many there are.
  package private(set) var count = 0

  /// What a change is. The numbers stand in logs: they are never given again.
  fileprivate enum Kind: UInt8 {
    case insert = 1
    case state, end, dead, resend, discard, remove, forget
    case setValue, removeValue, addEvent, removeEvents, reserve, stop
  }

  /// A record has no row; its checksum takes this one.
  private static let number: UInt64 = 1

  /// No change yet.
  package init() { body.begin() }

  /// Bytes so far.
  package var byteCount: Int { body.bytes.count }

  /// All of them, as they are written.
  package consuming func bytes() -> [UInt8] {
    body.end(RowKind.changes, row: LogChanges.number)
    return body.bytes
  }

  /// Adds a change behind the others.
  package mutating func add(_ change: StoreChange) {
    count += 1
    switch change {
    case .insert(let message, let content, let once):
      begin(.insert, message.row)
      put(message, content, once)
    case .state(let number, let state, let result):
      begin(.state, number)
      put(state, isDead: false, of: number, result)
    case .dead(let number, let state, let result):
      begin(.dead, number)
      put(state, isDead: true, of: number, result?.written)
    case .end(let number, let result, let until):
      begin(.end, number)
      // Without a name nothing of it is kept.
      put(until)
      if until != nil { body.put(result.written) }
    case .resend(let message, let content, let old, let until):
      begin(.resend, message.row)
      body.put(old)
      body.put(until)
      put(message, content, nil)
    case .discard(let number, let until):
      begin(.discard, number)
      body.put(until)
    case .remove(let number): begin(.remove, number)
    case .forget(let name, let number):
      begin(.forget, number)
      body.put(fixed: name.high)
      body.put(fixed: name.low)
    case .stays(let change): add(change)
    case .log: preconditionFailure("a log has changes of the keeper alone")
    }
  }

  private mutating func add(_ change: PublicationChange) {
    switch change {
    case .setValue(let kept, let number):
      begin(.setValue, number)
      put(kept, RowKind.value, number)
    case .removeValue(let topic):
      begin(.removeValue, 0)
      body.put(topic)
    case .addEvent(let kept):
      begin(.addEvent, kept.seq)
      put(kept, RowKind.event, kept.seq)
    case .removeEvents(let numbers):
      begin(.removeEvents, UInt64(numbers.count))
      for number in numbers { body.put(number) }
    case .reserve(let seq): begin(.reserve, seq)
    case .end(let seq): begin(.stop, seq)
    }
  }

  private mutating func begin(_ kind: Kind, _ number: UInt64) {
    body.put(kind.rawValue)
    body.put(number)
  }

  private mutating func put(_ until: Int64?) {
    body.put(until == nil ? UInt8(0) : 1)
    if let until { body.put(until) }
  }

  private mutating func put(_ message: StoredMessage, _ content: DurableContent, _ once: StoredOnce?) {
    MessageRow.write(
      message, key: content.key, contentSum: MessageRow.contentSum(content, row: message.row), to: &row)
    body.put(row.bytes)
    body.put(content.head)
    body.put(content.from)
    body.put(content.payload)
    body.put(once == nil ? UInt8(0) : 1)
    guard let once else { return }
    OnceRow.write(once, to: &row)
    body.put(row.bytes)
  }

  private mutating func put(_ state: TryState, isDead: Bool, of number: UInt64, _ result: [UInt8]?) {
    StateRow.write(state, isDead: isDead, row: number, to: &row)
    body.put(row.bytes)
    body.put(result == nil ? UInt8(0) : 1)
    if let result { body.put(result) }
  }

  private mutating func put(_ kept: Publication, _ kind: UInt8, _ number: UInt64) {
    PublicationRow.write(kept, kind, row: number, to: &row)
    body.put(row.bytes)
    body.put(kept.payload)
  }

  // MARK: Reading

  /// Nil if the bytes are none, or damaged.
  package static func read(_ bytes: [UInt8]) -> [StoreChange]? {
    bytes.withUnsafeBytes { bytes in
      guard RowReader.isSound(bytes, RowKind.changes, row: number) else { return nil }
      var reader = RowReader(bytes)
      var changes: [StoreChange] = []
      while !reader.isAtEnd {
        guard let change = reader.change() else { return nil }
        changes.append(change)
      }
      return changes
    }
  }
}

extension RowReader {
  fileprivate mutating func change() -> StoreChange? {
    guard let kind = byte().flatMap(LogChanges.Kind.init), let number = count() else { return nil }
    switch kind {
    case .insert:
      guard let (message, content) = message(number), let once = optional({ $0.once(number) }) else { return nil }
      return .insert(message, content, once: once)
    case .state:
      guard let state = state(number), let result = optional({ $0.text() }) else { return nil }
      return .state(number, state, result: result)
    case .dead:
      guard let state = state(number), let result = optional({ $0.text() }) else { return nil }
      return .dead(number, state, result: result.map { TryResult($0) })
    case .end:
      guard let until = optional({ $0.time() }) else { return nil }
      guard until != nil else { return .end(number, result: TryResult([]), rememberedUntil: nil) }
      return text().map { .end(number, result: TryResult($0), rememberedUntil: until) }
    case .resend:
      guard let old = count(), let until = time(), let (message, content) = message(number), byte() == 0 else {
        return nil
      }
      return .resend(message, content, old: old, rememberedUntil: until)
    case .discard: return time().map { .discard(number, rememberedUntil: $0) }
    case .remove: return .remove(number)
    case .forget:
      guard let high = fixed(), let low = fixed() else { return nil }
      return .forget(Digest(high: high, low: low), of: number)
    case .setValue: return publication(RowKind.value, number).map { .stays(.setValue($0, change: number)) }
    case .removeValue: return text().map { .stays(.removeValue(topic: $0)) }
    case .addEvent: return publication(RowKind.event, number).map { .stays(.addEvent($0)) }
    case .removeEvents:
      var numbers: [UInt64] = []
      for _ in 0..<number {
        guard let seq = count() else { return nil }
        numbers.append(seq)
      }
      return .stays(.removeEvents(numbers))
    case .reserve: return .stays(.reserve(seq: number))
    case .stop: return .stays(.end(seq: number))
    }
  }

  /// What is there or not, as a byte says; nil if it is damaged.
  private mutating func optional<Value>(_ read: (inout RowReader) -> Value?) -> Value?? {
    switch byte() {
    case 0: .some(nil)
    case 1: read(&self).map { .some($0) }
    default: nil
    }
  }

  private mutating func message(_ number: UInt64) -> (StoredMessage, DurableContent)? {
    guard let about = text()?.withUnsafeBytes({ MessageRow.read($0, row: number) }), let head = text(),
      let from = text(), let payload = text()
    else { return nil }
    return (about.message, DurableContent(head: head, from: from, key: about.key, payload: payload))
  }

  private mutating func once(_ number: UInt64) -> StoredOnce? {
    text()?.withUnsafeBytes { OnceRow.read($0, row: number) }
  }

  private mutating func state(_ number: UInt64) -> TryState? {
    text()?.withUnsafeBytes { StateRow.read($0, row: number) }?.state
  }

  private mutating func publication(_ kind: UInt8, _ number: UInt64) -> Publication? {
    guard let about = text(), let payload = text() else { return nil }
    return about.withUnsafeBytes { PublicationRow.read($0, payload: payload, kind, row: number) }
  }
}
