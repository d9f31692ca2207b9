package import BatonLasting

/// Reads a log, message by message, and says what is to be carried out. It has no clock and no sockets.
///
/// Void are: a record of a leadership before the one that wrote last; one whose number was read before; parts that the next part
/// of their record does not follow; what is no record at all. After a gap it goes no further: the store needs a copy.
package struct LogReader {
  /// What a message means.
  package enum Outcome: Equatable {
    /// Nothing is to be done, so far.
    case nothing
    /// Changes are to be carried out; with them, the position.
    case commit([UInt8], LogPosition)
    case leads(LogPosition)
    case begins([UInt8], LogPosition)
    /// It is no record.
    case strange
    /// The stream went back, and was written again: it is read from its beginning.
    case again
    /// The log cannot be followed from here.
    case stops(Stop)
  }

  /// Why a log cannot be followed.
  package enum Stop: String, Error, Sendable {
    case isNewer = "a newer version of Baton wrote the log; upgrade this node"
    case lacks = "its store needs a copy of the leader's, for the log does not reach back to what it has"
    case isOther = "its store is not of this log; it needs a copy of the leader's"
    case wentBack = "the log was lost, or has less than its store"
    case isReading = "its store is not in step with the log"
    case cannotWrite = "its disk does not take what is to be written"
  }

  /// How far it has come; nil: the store is empty and was in no log.
  package private(set) var position: LogPosition?
  /// The number of the message to read next.
  package private(set) var next: UInt64
  /// Why it goes no further.
  package private(set) var stop: Stop?
  /// Whether the next message is to be the last one that was carried out.
  private var looksBack = false
  private var parts: (first: LogRecord, count: UInt32, body: [UInt8])?

  /// The most bytes of one record, in all its parts: more is damage.
  private static let mostBytes = 1 << 30

  /// A reader of a store that has come so far.
  package init(_ position: LogPosition?) {
    self.position = position
    next = (position?.sequence ?? 0) + 1
  }

  /// The stream has this message next, of those that are there.
  package mutating func take(_ bytes: [UInt8], at sequence: UInt64) -> Outcome {
    guard stop == nil, sequence >= next else { return .nothing }
    next = sequence + 1
    if looksBack, let position, !position.isToBegin, sequence == position.sequence,
      (try? LogRecord(bytes))?.place.isSamePlace(as: position) != true
    {
      (next, looksBack) = (1, false)
      return .again
    }
    looksBack = false
    let record: LogRecord
    do {
      record = try LogRecord(bytes)
    } catch {
      parts = nil
      return error == .isNewer ? end(.isNewer) : .strange
    }
    // A person has said that a log begins with this store, and then another one has led: a part of a record says so, too.
    if let position, position.isToBegin, record.place.epoch > position.epoch { return end(.isOther) }
    guard let whole = put(record) else { return .nothing }
    return take(whole, at: sequence)
  }

  /// The stream has messages of these numbers; `last` is less than `first` if it has none. One that has less than before was put
  /// back: its numbers come again. It is read from its beginning, or from what was carried out last, if that is there.
  package mutating func sees(first: UInt64, last: UInt64) {
    guard last + 1 < next else { return }
    let sequence = position?.sequence ?? 0
    (next, parts) = (last < sequence ? 1 : sequence + 1, nil)
  }

  /// What was carried out last is read once more: since then the stream may have gone back, and another record may stand there.
  package mutating func lookBack() { (next, parts, looksBack) = (max(1, position?.sequence ?? 0), nil, true) }

  /// Why a store that has read so far could not lead: of a stream with messages of these numbers.
  package func whyNot(first: UInt64, last: UInt64) -> Stop? {
    if let stop { return stop }
    guard last < first || next > last else { return .isReading }
    // A log that has forgotten its beginning is there, though nothing of it can be read.
    guard let position else { return last < first ? nil : .lacks }
    if position.isToBegin { return nil }
    // The last record that was carried out is there: what was accepted behind it would be, too.
    return first <= position.sequence && position.sequence <= last ? nil : .wentBack
  }

  private mutating func end(_ stop: Stop) -> Outcome {
    self.stop = stop
    return .stops(stop)
  }

  /// The record, if this was its last part.
  private mutating func put(_ record: LogRecord) -> LogRecord? {
    guard record.part > 0 || !record.isLast else {
      parts = nil
      return record
    }
    if record.part == 0 {
      parts = (record, 1, record.body)
      return nil
    }
    guard let begun = parts, begun.first.place == record.place, begun.first.kind == record.kind,
      begun.count == record.part, begun.body.count + record.body.count <= LogReader.mostBytes
    else {
      parts = nil
      return nil
    }
    parts?.count += 1
    parts?.body += record.body
    guard record.isLast, let whole = parts else { return nil }
    parts = nil
    var record = whole.first
    record.body = whole.body
    return record
  }

  private mutating func take(_ record: LogRecord, at sequence: UInt64) -> Outcome {
    guard let position else {
      // An empty store goes on with a log that began with one.
      guard record.kind == .beginsEmpty else { return end(.lacks) }
      return begin(record, at: sequence)
    }
    guard (record.place.epoch, record.place.number) > (position.epoch, position.number) else { return .nothing }
    switch record.kind {
    case .begins, .beginsEmpty:
      return record.follows.isSamePlace(as: position) ? begin(record, at: sequence) : end(.isOther)
    case .leads, .commit:
      guard record.place.name == position.name else { return end(.isOther) }
      guard record.follows.isSamePlace(as: position) else { return end(.lacks) }
      return go(to: record, at: sequence)
    }
  }

  private mutating func begin(_ record: LogRecord, at sequence: UInt64) -> Outcome {
    position = record.place
    position?.sequence = sequence
    return position.map { .begins(record.body, $0) } ?? .nothing
  }

  private mutating func go(to record: LogRecord, at sequence: UInt64) -> Outcome {
    var place = record.place
    place.sequence = sequence
    position = place
    return record.kind == .leads ? .leads(place) : .commit(record.body, place)
  }
}
