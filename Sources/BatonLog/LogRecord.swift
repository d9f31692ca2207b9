package import BatonLasting

/// One message of a log's stream: a record, or a part of one that is too long for a message.
///
/// A record is what a leader commits at once. Its leader numbers its records; those of one number are one record, wherever they
/// stand, and the first one counts.
package struct LogRecord: Equatable, Sendable {
  /// What a record is.
  package enum Kind: UInt8, Sendable {
    /// Changes of the store.
    case commit
    /// A leader has begun, and has carried out all that `follows` names. What leaders before it write from then on is void.
    case leads
    /// A log begins. Who has carried out all that `follows` names can go on with it; so can an empty store, where the log began
    /// with one.
    case begins
    /// As `begins`, with an empty store.
    case beginsEmpty
  }

  package var kind: Kind
  /// The log, the leadership, the record's number in it; the sequence is not written, for the stream gives it.
  package var place: LogPosition
  /// The record before it.
  package var follows: LogPosition
  /// Which part it is, from 0, and whether it is the last one.
  package var part: UInt32
  package var isLast: Bool
  package var body: [UInt8]

  package init(
    _ kind: Kind, at place: LogPosition, follows: LogPosition, part: UInt32 = 0, isLast: Bool = true,
    body: [UInt8] = []
  ) {
    (self.kind, self.place, self.follows, self.part) = (kind, place, follows, part)
    (self.isLast, self.body) = (isLast, body)
  }

  /// The first eight bytes of every message; the last of them is the form.
  private static let beginning = Array("BatonLg1".utf8)
  /// Bytes before the body.
  package static let headCount = 8 + 1 + 1 + 4 + 40 + 40

  /// As it is published.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(LogRecord.headCount + body.count)
    bytes += LogRecord.beginning + [kind.rawValue, isLast ? 1 : 0]
    withUnsafeBytes(of: part.littleEndian) { bytes += $0 }
    return bytes + place.bytes + follows.bytes + body
  }

  /// Why a message of the stream is none.
  package enum Fault: Error, Equatable {
    /// It is something else.
    case isNoRecord
    /// A later version of Baton has written it.
    case isNewer
  }

  /// Reads a message.
  package init(_ bytes: [UInt8]) throws(Fault) {
    let count = LogRecord.beginning.count
    guard bytes.count >= count, bytes[..<(count - 1)].elementsEqual(LogRecord.beginning.dropLast()) else {
      throw .isNoRecord
    }
    guard bytes[count - 1] == LogRecord.beginning[count - 1] else {
      throw bytes[count - 1] > LogRecord.beginning[count - 1] ? .isNewer : .isNoRecord
    }
    guard bytes.count >= LogRecord.headCount, let kind = Kind(rawValue: bytes[count]), bytes[count + 1] < 2,
      let place = LogPosition(bytes[14..<54]), let follows = LogPosition(bytes[54..<94])
    else { throw .isNoRecord }
    let part = bytes[10..<14].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    self.init(
      kind, at: place, follows: follows, part: part, isLast: bytes[count + 1] == 1,
      body: Array(bytes[LogRecord.headCount...]))
  }

  /// The record in parts, none of which is longer than so many bytes.
  package func parts(of most: Int) -> [LogRecord] {
    let room = max(1, most - LogRecord.headCount)
    guard body.count > room else { return [self] }
    return stride(from: 0, to: body.count, by: room).enumerated().map { number, start in
      let end = min(start + room, body.count)
      return LogRecord(
        kind, at: place, follows: follows, part: UInt32(number), isLast: end == body.count,
        body: Array(body[start..<end]))
    }
  }
}
