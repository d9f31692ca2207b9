/// A change of what stays: values, and kept events. Each may be carried out twice in a row with the same outcome.
package indirect enum PublicationChange: Sendable {
  /// The value of its topic, in place of the one before. `change` counts the changes of all values.
  case setValue(Publication, change: UInt64)
  /// The topic has no value any more.
  case removeValue(topic: [UInt8])
  /// An event that is kept, under its `seq`.
  case addEvent(Publication)
  /// Events that are not kept any more, by their `seq`.
  case removeEvents([UInt64])
  /// No `seq` above this one is used before this is on disk.
  case reserve(seq: UInt64)
  /// The server ends in order: the next `seq` follows this one.
  case end(seq: UInt64)
}

/// What was published: a value, or an event that is kept.
package struct Publication: Sendable, Equatable {
  package var topic: [UInt8]
  /// Empty if there is none.
  package var payload: [UInt8]
  /// Empty if there is none.
  package var meta: [UInt8]
  /// A JSON string.
  package var from: [UInt8]
  /// Whose share it counts for; empty for nobody's.
  package var identity: [UInt8]
  /// Its number among the kept events; 0 if its topic keeps none.
  package var seq: UInt64
  /// When it was published: wall time, in milliseconds.
  package var at: Int64

  package init(
    topic: [UInt8], payload: [UInt8], meta: [UInt8], from: [UInt8], identity: [UInt8], seq: UInt64, at: Int64
  ) {
    (self.topic, self.payload, self.meta, self.from) = (topic, payload, meta, from)
    (self.identity, self.seq, self.at) = (identity, seq, at)
  }
}
