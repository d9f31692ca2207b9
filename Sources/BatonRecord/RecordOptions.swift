/// What the operator's file says of the record.
package struct RecordOptions: Sendable, Equatable {
  /// What is kept of payload and meta.
  package enum Payload: String, Sendable, CaseIterable {
    case none, digest, whole
  }

  package var payload = Payload.digest
  /// Values that are never kept.
  package var masks: [PayloadMask] = []
  /// Whether lines are synced before they count as written.
  package var syncs = false
  /// The file of the key that signs heads; nil: they are not signed.
  package var keyPath: String?
  package var headMilliseconds = 60_000
  /// With more bytes, the next file begins.
  package var fileBytes = 268_435_456
  /// What is kept in all files, and for how many days; 0: all, always.
  package var keepBytes = 0
  package var keepDays = 0
  package var keepContentsDays = 0
  /// The SHA-256 of the operator's file, in hex; empty without a file.
  package var file = ""
  /// What of all this the record tells, as an object of JSON in ASCII.
  package var shown = "{}"

  package init() {}
}

/// What is wrong with a record, or with what was to be written; a sentence for an operator.
package struct RecordError: Error, CustomStringConvertible {
  package let description: String
  /// Whether it may pass by itself: another server has the folder.
  package let mayPass: Bool

  package init(_ description: String, mayPass: Bool = false) {
    self.description = description
    self.mayPass = mayPass
  }
}
