internal import BatonLasting

/// What a row of `message` says beside its content: it is written once and never changed.
struct MessageRow {
  var message: StoredMessage
  var key: [UInt8]?
  /// Of the content: head, sender and payload.
  var contentSum: UInt64

  private struct Flags: OptionSet {
    var rawValue: UInt8
    static let key = Flags(rawValue: 1)
    static let resent = Flags(rawValue: 2)
    static let underWay = Flags(rawValue: 4)
    static let stalled = Flags(rawValue: 8)
    static let again = Flags(rawValue: 16)
    static let cause = Flags(rawValue: 32)
    /// Its place among those of its key is its row, as that of nearly every message is.
    static let placeIsRow = Flags(rawValue: 64)
  }

  static func write(_ message: StoredMessage, key: [UInt8]?, contentSum: UInt64, to row: inout RowWriter) {
    let (rules, state) = (message.rules, message.state)
    row.begin()
    row.put(flags(of: message, key).rawValue)
    row.put(fixed: contentSum)
    row.put(fixed: message.id.start.high)
    row.put(fixed: message.id.start.low)
    row.put(message.chain)
    row.put(message.identity)
    if let key { row.put(key) }
    row.put(message.acceptedAt)
    row.put(rules.tries)
    row.put(rules.retryMilliseconds)
    row.put(rules.timeoutMilliseconds)
    row.put(rules.expiresMilliseconds)
    row.put(UInt64(message.byteCount))
    row.put(state.tries)
    row.put(state.lastTry)
    row.put(state.nextAt)
    if state.place != message.row { row.put(state.place) }
    if let cause = state.cause { row.put(cause.rawValue) }
    if let resent = message.resent {
      row.put(fixed: resent.start.high)
      row.put(fixed: resent.start.low)
      row.put(resent.count)
    }
    row.end(RowKind.message, row: message.row)
  }

  private static func flags(of message: StoredMessage, _ key: [UInt8]?) -> Flags {
    var flags: Flags = []
    if key != nil { flags.insert(.key) }
    if message.resent != nil { flags.insert(.resent) }
    if message.state.isUnderWay { flags.insert(.underWay) }
    if message.state.isStalled { flags.insert(.stalled) }
    if message.state.isAgain { flags.insert(.again) }
    if message.state.cause != nil { flags.insert(.cause) }
    if message.state.place == message.row { flags.insert(.placeIsRow) }
    return flags
  }

  /// Nil if the bytes are damaged.
  static func read(_ bytes: UnsafeRawBufferPointer, row: UInt64) -> MessageRow? {
    guard RowReader.isSound(bytes, RowKind.message, row: row) else { return nil }
    var reader = RowReader(bytes)
    return read(&reader, row: row)
  }

  private static func read(_ reader: inout RowReader, row: UInt64) -> MessageRow? {
    guard let flags = reader.byte().map(Flags.init), let sum = reader.fixed(), let start = reader.start(),
      let chain = reader.text(), isName(chain), let identity = reader.text()
    else { return nil }
    let key = flags.contains(.key) ? reader.text() : nil
    guard let acceptedAt = reader.time(), let tries = reader.small(), let retry = reader.small(),
      let timeout = reader.small(), let expires = reader.small(), let byteCount = reader.small(),
      var state = reader.tryState(row: row, hasPlace: !flags.contains(.placeIsRow), hasCause: flags.contains(.cause))
    else { return nil }
    state.isUnderWay = flags.contains(.underWay)
    state.isStalled = flags.contains(.stalled)
    state.isAgain = flags.contains(.again)
    var resent: StoredID?
    if flags.contains(.resent) {
      guard let start = reader.start(), let count = reader.count() else { return nil }
      resent = StoredID(start: start, count: count)
    }
    let rules = TryRules(
      tries: tries, retryMilliseconds: retry, timeoutMilliseconds: timeout, expiresMilliseconds: expires)
    let message = StoredMessage(
      id: StoredID(start: start, count: row), identity: identity, chain: chain, rules: rules, acceptedAt: acceptedAt,
      resent: resent, byteCount: Int(byteCount), state: state)
    return MessageRow(message: message, key: key, contentSum: sum)
  }

  /// What stands for a message whose row is damaged: a dead letter of its chain, if that can still be read, and of
  /// `main` otherwise. Its name is the one that its `once` says, if that is sound; what can be read of its own otherwise, or
  /// one that stays the same from start to start.
  static func damaged(_ bytes: UnsafeRawBufferPointer, once: StoredOnce?, row: UInt64) -> StoredMessage {
    var reader = RowReader(bytes)
    _ = reader.byte()
    _ = reader.fixed()
    let own = reader.start()
    let start = once?.id.start ?? own ?? StoredID.Start(random: row, row)
    var chain = reader.text() ?? []
    if !isName(chain) { chain = Array("main".utf8) }
    let rules = TryRules(tries: 1, retryMilliseconds: 1, timeoutMilliseconds: 1, expiresMilliseconds: 0)
    var state = TryState()
    state.place = row
    return StoredMessage(
      id: StoredID(start: start, count: row), identity: [], chain: chain, rules: rules, acceptedAt: 0, resent: nil,
      byteCount: 0, state: state)
  }

  /// Whether it can be the name of a chain.
  private static func isName(_ chain: [UInt8]) -> Bool {
    (1...128).contains(chain.count) && !chain.contains { $0 <= 0x20 || $0 >= 0x7f || $0 == 0x22 || $0 == 0x5c }
  }

  static func contentSum(_ content: DurableContent, row: UInt64) -> UInt64 {
    var sum = Checksum(RowKind.content, row: row)
    content.withParts { head, sender, _, payload in
      sum.add(head)
      sum.add(sender)
      sum.add(payload)
    }
    return sum.value
  }
}

extension Statement {
  /// What stands for the damaged message of the row that is read, of which these columns say so much.
  func damagedMessage(_ row: UInt64, about: Int32, once: Int32) -> StoredMessage {
    let once = isNothing(once) ? nil : withBytes(once) { OnceRow.read($0, row: row) }
    return withBytes(about) { MessageRow.damaged($0, once: once, row: row) }
  }
}

extension RowReader {
  /// Nil if these are not the characters of a name.
  mutating func start() -> StoredID.Start? {
    guard let high = fixed(), let low = fixed() else { return nil }
    return StoredID.Start(high: high, low: low)
  }

  mutating func tryState(row: UInt64, hasPlace: Bool, hasCause: Bool) -> TryState? {
    var state = TryState()
    guard let tries = tryCount(), let lastTry = tryCount(), let nextAt = time() else { return nil }
    (state.tries, state.lastTry, state.nextAt, state.place) = (tries, lastTry, nextAt, row)
    if hasPlace {
      guard let place = count() else { return nil }
      state.place = place
    }
    if hasCause {
      guard let cause = byte().flatMap(TryEnd.Status.init(rawValue:)) else { return nil }
      state.cause = cause
    }
    return state
  }
}
