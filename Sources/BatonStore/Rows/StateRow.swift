internal import BatonLasting

/// What a row of `state` says: the tries of a message whose state has changed since its row was written, and whether it is
/// a dead letter. So a change never writes the message again.
struct StateRow {
  var state: TryState
  var isDead: Bool
  /// The message has gone, and its row stays until a start finds the file sound.
  var hasGone = false

  private static let gone: UInt8 = 32

  /// A message has gone.
  static func writeGone(row number: UInt64, to row: inout RowWriter) {
    row.begin()
    row.put(gone)
    row.end(RowKind.state, row: number)
  }

  static func write(_ state: TryState, isDead: Bool, row number: UInt64, to row: inout RowWriter) {
    row.begin()
    var flags: UInt8 = isDead ? 1 : 0
    if state.isUnderWay { flags |= 2 }
    if state.isStalled { flags |= 4 }
    if state.isAgain { flags |= 8 }
    if state.cause != nil { flags |= 16 }
    row.put(flags)
    row.put(state.tries)
    row.put(state.lastTry)
    row.put(state.nextAt)
    row.put(state.place)
    if let cause = state.cause { row.put(cause.rawValue) }
    row.end(RowKind.state, row: number)
  }

  /// Nil if the bytes are damaged.
  static func read(_ bytes: UnsafeRawBufferPointer, row: UInt64) -> StateRow? {
    guard RowReader.isSound(bytes, RowKind.state, row: row) else { return nil }
    var reader = RowReader(bytes)
    guard let flags = reader.byte() else { return nil }
    if flags & gone != 0 { return StateRow(state: TryState(), isDead: true, hasGone: true) }
    guard var state = reader.tryState(row: row, hasPlace: true, hasCause: flags & 16 != 0) else { return nil }
    state.isUnderWay = flags & 2 != 0
    state.isStalled = flags & 4 != 0
    state.isAgain = flags & 8 != 0
    return StateRow(state: state, isDead: flags & 1 != 0)
  }
}

/// A result with its checksum before it: that of the last try, in `state`, or that of the end, in `once`.
enum ResultRow {
  static func write(_ result: [UInt8], row number: UInt64, to row: inout RowWriter) {
    row.begin()
    row.append(result)
    row.end(RowKind.result, row: number)
  }

  /// Nil if the bytes are damaged.
  static func read(_ bytes: UnsafeRawBufferPointer, row: UInt64) -> [UInt8]? {
    RowReader.isSound(bytes, RowKind.result, row: row) ? [UInt8](bytes[8...]) : nil
  }
}
