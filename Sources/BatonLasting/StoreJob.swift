/// What a store is to do. It carries the jobs out in their order, on a thread of its own; what it was given at once is
/// committed together. A read sees all that was written before it.
package enum StoreJob: Sendable {
  /// A change. `storedUpTo` answers it, or `failed`.
  case write(StoreWrite)
  /// The content of a row. `loaded` answers it.
  case load(UInt64)
  /// The result that the message of this row had, or else what the `once` of this name has. `recalled` answers it.
  case recall(ticket: UInt64, StoredID, once: Digest)
  /// What an operator sees of these dead letters, in this order. `dead` answers it.
  case readDead(ticket: UInt64, rows: [UInt64], withContent: Bool)
  /// What is free on the disk. `hasFree` answers it.
  case look
  /// The facts with which a log begins that begins with this file. `base` answers it.
  case readBase

  /// Whether it changes what is on the disk.
  package var isChange: Bool {
    switch self {
    case .write: true
    case .load, .recall, .readDead, .look, .readBase: false
    }
  }
}

/// What a store answers, in the order of the jobs.
package enum StoreAnswer: Sendable {
  /// Every `write` up to this number is on disk.
  case storedUpTo(UInt64)
  /// A commit of this generation has failed. The store has given up every `write` of it that was not on disk.
  case failed(generation: UInt64)
  case loaded(UInt64, Loaded)
  /// Nil for a dead letter of which no try had an end.
  case recalled(ticket: UInt64, StoredID, result: [UInt8]?)
  /// Its name is not there any more, or the bytes of its result are damaged.
  case notRecalled(ticket: UInt64)
  /// The disk does not give it now.
  case recallFailed(ticket: UInt64)
  /// Rows that are no dead letters are left out. Nil: the disk did not give it.
  case dead(ticket: UInt64, [DeadLetter]?)
  /// What is free on the disk, and within the file; told after changes, too. `inFile` is less than 0 where the file is still
  /// to grow by what is in its log.
  case hasFree(bytes: Int, inFile: Int)
  /// Nil: the disk did not give them.
  case base([UInt8]?)
}

/// A dead letter as an operator sees it.
package struct DeadLetter: Sendable {
  package var message: StoredMessage
  /// Without its payload, unless that was asked for. Nil if its bytes are damaged, or the disk does not give them.
  package var content: DurableContent?
  package var result: [UInt8]?
  /// Whether the disk does not give its content now.
  package var isUnreadable: Bool

  package init(message: StoredMessage, content: DurableContent?, result: [UInt8]?, isUnreadable: Bool = false) {
    (self.message, self.content, self.result) = (message, content, result)
    self.isUnreadable = isUnreadable
  }
}
