package import BatonLasting

/// What a store says of itself when it is opened.
package struct StoreStart: Sendable {
  /// Whether the file was made, or was empty: nothing is in it.
  package var isNew: Bool
  /// The secret of its digests, from its first day.
  package var secret: Secret
  /// Whether it is certain that it is the store that this server wrote last. Then `epoch` is the one that it had.
  package var continues: Bool
  /// 16 characters; others, unless the store continues.
  package var epoch: String
  /// Messages up to this row may have been offered although the store does not say so: it was put back or copied when they
  /// waited. 0 if none.
  package var again: UInt64
  /// The last `seq` that may have been used; 0 if none.
  package var seq: UInt64
  /// The start of the process that led with the file when it died; nil: none did, or it let the lease go.
  package var leads: String?

  init(_ facts: Facts, isNew: Bool, continues: Bool) {
    (self.isNew, self.continues, secret, epoch) = (isNew, continues, facts.secret, facts.text("epoch"))
    (again, seq) = (facts.number("again") ?? 0, facts.number("reserved") ?? 0)
    leads = facts["leads"].map { String(decoding: $0, as: UTF8.self) }
  }
}

/// What a store had, one after the other.
package enum StoredItem: Sendable {
  /// A message or a dead letter, in the order of acceptance, with the size of its result; `key` is that of its content.
  case message(StoredMessage, key: [UInt8]?, isDead: Bool)
  /// A name of `once`: after its message, if that is there.
  case once(StoredOnce)
  /// A value, the one that has not changed for the longest time first.
  case value(Publication, change: UInt64)
  /// An event that is kept, in the order of `seq`.
  case event(Publication)
  /// A row cannot be read. A message is a dead letter without content from now on, and follows; a name, a value or an event
  /// is gone.
  case damaged(table: String, row: UInt64)
}
