/// A change of what stays, for the store (contract, section 15). Each may be carried out twice in a row with the same
/// outcome.
public enum StoredChange: Equatable, Sendable {
  /// The value of its topic, in place of the one before. `change` counts the changes of all values.
  case setValue(StoredPublication, change: Int)
  /// The topic has no value any more.
  case removeValue(topic: [UInt8])
  /// An event that is kept, under its `seq`.
  case addEvent(StoredPublication)
  /// Events that are not kept any more, by their `seq`.
  case removeEvents([Int])
  /// No `seq` above this one is used before this is on disk.
  case reserve(seq: Int)
  /// The server ends in order: the next `seq` follows this one.
  case end(seq: Int)
}

/// What was published: a value, or an event that is kept.
public struct StoredPublication: Equatable, Sendable {
  /// The topic, decoded.
  public var topic: [UInt8]
  /// JSON as the peer wrote it; empty if there is none.
  public var payload: [UInt8]
  /// JSON as the peer wrote it; empty if there is none.
  public var meta: [UInt8]
  /// A JSON string.
  public var from: [UInt8]
  /// The name of the identity whose share it counts for; empty for nobody's.
  public var identity: [UInt8]
  /// Its number among the kept events; 0 if its topic keeps none.
  public var seq: Int
  /// When it was published. It may be before the start of the server's clock.
  public var at: Instant

  /// What was published, in all its parts.
  public init(
    topic: [UInt8], payload: [UInt8], meta: [UInt8], from: [UInt8], identity: [UInt8], seq: Int, at: Instant
  ) {
    (self.topic, self.payload, self.meta, self.from) = (topic, payload, meta, from)
    (self.identity, self.seq, self.at) = (identity, seq, at)
  }
}

extension StoredPublication {
  /// Whether bytes of a store say what can be published.
  var isSound: Bool {
    func holds(_ bytes: [UInt8], _ test: (UnsafeRawBufferPointer) -> Bool) -> Bool { bytes.withUnsafeBytes(test) }
    return holds(topic) { Words.complaint(topic: $0) == nil && !Words.isServers($0) }
      && holds(payload, StoredText.isValueOrNothing) && holds(meta, StoredText.isValueOrNothing)
      && holds(from, StoredText.isText)
  }
}

/// A change with its number. The numbers count what the store is given, from 1 on.
public struct StoredWrite: Equatable, Sendable {
  /// Its number.
  public let number: Int
  /// What is to be written.
  public let change: StoredChange
}
