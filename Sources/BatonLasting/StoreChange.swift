/// A change of the store. The store carries changes out in the order of their numbers; what it commits is atomic.
///
/// After a commit fails it gives up everything that it was given of that generation, and says `failed`; what comes with
/// a higher generation replaces it.
package struct StoreWrite: Sendable {
  package var generation: UInt64
  package var number: UInt64
  package var change: StoreChange

  package init(generation: UInt64, number: UInt64, change: StoreChange) {
    (self.generation, self.number, self.change) = (generation, number, change)
  }
}

/// What is written. Each change may be carried out twice in a row with the same outcome. It goes from hand to hand between
/// keeper and store, so it is small.
package enum StoreChange: Sendable {
  indirect case insert(StoredMessage, DurableContent, once: StoredOnce?)
  /// The tries of a waiting message; `result` is that of the last try, nil if the one in the row stays.
  indirect case state(UInt64, TryState, result: [UInt8]?)
  /// The message goes. Its `once` keeps the result until this wall time; nil if it has none.
  case end(UInt64, result: TryResult, rememberedUntil: Int64?)
  /// The message is a dead letter from now on; its `once` has the result, too.
  indirect case dead(UInt64, TryState, result: TryResult?)
  /// A new message takes the place of a dead letter, whose `once` is kept until this wall time. It is of the same
  /// identity: the store has it, and the new message here has none.
  indirect case resend(StoredMessage, DurableContent, old: UInt64, rememberedUntil: Int64)
  /// The dead letter goes.
  case discard(UInt64, rememberedUntil: Int64)
  /// The row and the `once` of that row are not there, whatever came before: its insertion failed, perhaps.
  case remove(UInt64)
  /// The name of a `once` goes, which the message of this row had.
  case forget(Digest, of: UInt64)
  /// Of what stays.
  case stays(PublicationChange)
  /// Of a cluster's log. The keeper has none of these.
  indirect case log(LogStep)
}

/// A result: as it is told to those who wait for it, and as it is written.
package enum TryResult: Sendable {
  case whole([UInt8])
  /// There is no room for all of it.
  indirect case cut([UInt8], short: [UInt8])

  package init(_ whole: [UInt8], short: [UInt8]? = nil) {
    self = if let short { .cut(whole, short: short) } else { .whole(whole) }
  }

  package var told: [UInt8] {
    switch self {
    case .whole(let bytes), .cut(let bytes, _): bytes
    }
  }

  package var written: [UInt8] {
    switch self {
    case .whole(let bytes), .cut(_, let bytes): bytes
    }
  }
}

/// A row: what does not change.
package struct StoredMessage: Sendable {
  package var id: StoredID
  package var identity: [UInt8]
  package var chain: [UInt8]
  package var rules: TryRules
  /// Wall time, in milliseconds.
  package var acceptedAt: Int64
  /// The dead letter that was sent again as this one.
  package var resent: StoredID?
  package var byteCount: Int
  /// Bytes of the result of its last try; only a start says that there are some.
  package var resultCount = 0
  package var state: TryState

  package init(
    id: StoredID, identity: [UInt8], chain: [UInt8], rules: TryRules, acceptedAt: Int64, resent: StoredID?,
    byteCount: Int, state: TryState
  ) {
    (self.id, self.identity, self.chain, self.rules) = (id, identity, chain, rules)
    (self.acceptedAt, self.resent, self.byteCount, self.state) = (acceptedAt, resent, byteCount, state)
  }

  /// The order of acceptance, and the key of the row.
  package var row: UInt64 { id.count }
}

/// What changes in a row.
package struct TryState: Equatable, Sendable {
  /// Tries that counted.
  package var tries: UInt32 = 0
  /// The number of the last try.
  package var lastTry: UInt32 = 0
  /// Whether a try is under way, or was when this was written. After an unclean stop it counts.
  package var isUnderWay = false
  /// Whether it waits for links, after a try that did not count.
  package var isStalled = false
  /// Whether offers may have been made before.
  package var isAgain = false
  /// The wall time of the next try, in milliseconds; 0 if it need not wait.
  package var nextAt: Int64 = 0
  /// Its place among the messages of its key; 0 as long as it is delayed.
  package var place: UInt64 = 0
  /// How the last try ended; nil if none has.
  package var cause: TryEnd.Status?

  package init() {}
}

/// The row of a `once`.
package struct StoredOnce: Sendable {
  /// Of identity and name.
  package var name: Digest
  /// Of what must be the same.
  package var content: Digest
  package var id: StoredID
  /// Of the identity for which it counts.
  package var identity: Digest
  package var rememberedMilliseconds: UInt32
  /// The wall time of its end in milliseconds; nil while its message is there.
  package var until: Int64?
  /// Bytes of its result after that end; only a start says that there are some.
  package var resultCount = 0

  package init(
    name: Digest, content: Digest, id: StoredID, identity: Digest, rememberedMilliseconds: UInt32, until: Int64? = nil
  ) {
    (self.name, self.content, self.id, self.identity) = (name, content, id, identity)
    (self.rememberedMilliseconds, self.until) = (rememberedMilliseconds, until)
  }
}

/// What the store found.
package enum Loaded: Sendable {
  /// The content of the row, and the result of its last try.
  case content(DurableContent, result: [UInt8]?, resent: StoredID?)
  /// The checksum of the row is wrong.
  case damaged
  /// The disk did not give it; it is asked again a second later.
  case failed
}
