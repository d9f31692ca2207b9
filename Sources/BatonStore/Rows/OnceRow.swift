internal import BatonLasting

/// A name of `once`: beside its message as long as that is there, in `once` afterwards.
enum OnceRow {
  // Flags. A name without an identity counts for nobody that there is.
  private static var hasEnded: UInt8 { 1 }
  private static var hasIdentity: UInt8 { 2 }

  static func write(_ once: StoredOnce, to row: inout RowWriter) {
    row.begin()
    row.put(fixed: once.name.high)
    row.put(fixed: once.name.low)
    row.put(fixed: once.content.high)
    row.put(fixed: once.content.low)
    row.put(fixed: once.id.start.high)
    row.put(fixed: once.id.start.low)
    row.put(once.rememberedMilliseconds)
    row.put(once.until == nil ? hasIdentity : hasIdentity | hasEnded)
    if let until = once.until { row.put(until) }
    row.put(fixed: once.identity.high)
    row.put(fixed: once.identity.low)
    row.end(RowKind.once, row: once.id.count)
  }

  /// Nil if the bytes are damaged.
  static func read(_ bytes: UnsafeRawBufferPointer, row: UInt64) -> StoredOnce? {
    guard RowReader.isSound(bytes, RowKind.once, row: row) else { return nil }
    var reader = RowReader(bytes)
    guard let name = reader.digest(), let content = reader.digest(), let start = reader.start(),
      let remembered = reader.small(), let flags = reader.byte()
    else { return nil }
    var once = StoredOnce(
      name: name, content: content, id: StoredID(start: start, count: row), identity: Digest(high: 0, low: 0),
      rememberedMilliseconds: remembered)
    if flags & hasEnded != 0 {
      guard let until = reader.time() else { return nil }
      once.until = until
    }
    if flags & hasIdentity != 0 {
      guard let identity = reader.digest() else { return nil }
      once.identity = identity
    }
    return once
  }
}

extension RowReader {
  fileprivate mutating func digest() -> Digest? {
    guard let high = fixed(), let low = fixed() else { return nil }
    return Digest(high: high, low: low)
  }
}
