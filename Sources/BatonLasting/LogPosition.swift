/// The name of a cluster's log: it is drawn when the log begins, and no other log has it.
package struct LogName: BitwiseCopyable, Hashable, Sendable {
  package var high: UInt64
  package var low: UInt64

  package init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

  /// 32 hex digits.
  package var spelled: String {
    [high, low].map { word in
      let digits = String(word, radix: 16)
      return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }.joined()
  }

  /// No log: a person has said that one begins with the file that has it.
  package static var none: LogName { LogName(high: 0, low: 0) }
}

/// How far a cluster's log has been carried out. It stands in the store, and is committed with what was carried out.
package struct LogPosition: BitwiseCopyable, Equatable, Sendable {
  package var name: LogName
  /// The leadership that wrote the last record.
  package var epoch: Int64
  /// The number of that record among those of its leadership.
  package var number: UInt64
  /// The number of its message in the stream.
  package var sequence: UInt64

  package init(name: LogName, epoch: Int64, number: UInt64, sequence: UInt64) {
    (self.name, self.epoch, self.number, self.sequence) = (name, epoch, number, sequence)
  }

  /// As it stands in a store, and in records: 40 bytes.
  package var bytes: [UInt8] {
    [name.high, name.low, UInt64(bitPattern: epoch), number, sequence].flatMap { word in
      withUnsafeBytes(of: word.littleEndian) { Array($0) }
    }
  }

  /// Nil if these are not 40 bytes, or say a number that no stream has.
  package init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count == 40 else { return nil }
    let all = Array(bytes)
    let words = (0..<5).map { word in
      all[word * 8..<word * 8 + 8].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    }
    self.init(
      name: LogName(high: words[0], low: words[1]), epoch: Int64(bitPattern: words[2]), number: words[3],
      sequence: words[4])
    guard sequence <= LogPosition.mostSequence else { return nil }
  }

  /// No stream comes so far: its first number is the time at which it was made, in milliseconds.
  package static var mostSequence: UInt64 { 1 << 62 }

  /// Whether it comes later, in this log or in one that followed it.
  package func isFarther(than other: LogPosition) -> Bool { (epoch, number) > (other.epoch, other.number) }

  /// Whether it says that a log is to begin with the file that has it.
  package var isToBegin: Bool { name == .none }

  /// What a store has since a person has said so. A leadership of a later number makes it void: the log went on without it.
  package static func toBegin(after epoch: Int64) -> LogPosition {
    LogPosition(name: .none, epoch: epoch, number: .max, sequence: 0)
  }

  /// Whether the other one is the same place of the same log, wherever that stands in a stream.
  package func isSamePlace(as other: LogPosition) -> Bool {
    name == other.name && epoch == other.epoch && number == other.number
  }
}
