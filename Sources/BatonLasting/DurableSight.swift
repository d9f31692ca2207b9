/// Where a message is: what `stored` tells.
package struct DurableStatus: Equatable, Sendable {
  package enum State: Sendable { case accepting, delayed, waiting, underWay, ending, dead }
  package var chain: [UInt8]
  package var state: State
  package var tries: UInt32
  package var lastCause: TryEnd.Status?
  /// It waits because its last try did not count.
  package var isUncounted = false
  /// It waits for its chain to be declared again.
  package var isUndeclared = false
  /// Milliseconds to the next try, where a time is set.
  package var nextTryMilliseconds: UInt64?

  package init(chain: [UInt8], state: State, tries: UInt32, lastCause: TryEnd.Status?) {
    (self.chain, self.state, self.tries, self.lastCause) = (chain, state, tries, lastCause)
  }
}

/// A message that has no end yet, as a list tells it.
package struct KeptMessage: Equatable, Sendable {
  package var id: StoredID
  /// Where the keeper has it, as long as it is there.
  package var place: Int
  package var status: DurableStatus
  /// Who has sent it; empty if nobody knows.
  package var identity: [UInt8]
  /// Milliseconds since it was accepted.
  package var age: UInt64

  package init(id: StoredID, place: Int, status: DurableStatus, identity: [UInt8], age: UInt64) {
    (self.id, self.place, self.status, self.identity, self.age) = (id, place, status, identity, age)
  }
}

/// What is stored of durable messages, of all chains or of one.
package struct DurableFigures: Equatable, Sendable {
  /// Messages that have no end yet, and of them those that are delayed, wait for nothing but room, or are tried.
  package var messages = 0
  package var delayed = 0
  package var due = 0
  package var underWay = 0
  package var dead = 0
  /// Of all chains together.
  package var bytes = 0
  /// Names of `once` whose messages have ended, of all chains together.
  package var remembered = 0

  package init() {}
}

/// A setting that says how much a store may have.
package enum StoreLimit: String, Sendable {
  case messages = "max_stored_messages"
  case bytes = "max_stored_bytes"
  /// Of one chain.
  case deadLetters = "max_dead_letters"
  /// Names of `once` whose messages have ended.
  case remembered = "max_remembered"
  /// What is free on the disk.
  case freeBytes = "min_free_bytes"
}

/// Why a request is refused.
package enum DurableRefusal: Error, Equatable, Sendable {
  case notDeclared, storeFailed
  case noRoom(StoreLimit)
  /// No further row can be counted.
  case countedAll
  case onceMismatch, limitReached, noSuchMessage, damaged, draining
  /// The disk does not give the dead letters now.
  case unreadable
  /// What a dead letter is sent again with is too long.
  case tooLarge
  /// The result of a known name is not there any more; or the disk does not give it now.
  case resultGone, resultUnreadable
}

/// What an operator should know.
package enum DurableFinding: Equatable, Sendable {
  /// Commits fail, for so many milliseconds.
  case storeFails(milliseconds: Int)
  /// The disk does not give so many messages, which are asked for again.
  case unreadable(messages: Int)
  /// The bytes of so many messages were found damaged since the start.
  case damaged(messages: Int)
  /// Messages wait for a chain that is not in the file, or are dead letters of it.
  case undeclared(chain: [UInt8], messages: Int, dead: Int)
  /// A chain of the file has so many dead letters.
  case dead(chain: [UInt8], Int)
  /// Three quarters or more of a limit are used; of a chain, if it is about one.
  case near(StoreLimit, used: Int, of: Int, chain: [UInt8]? = nil)
  /// An identity (empty: peers without one) has three quarters or more of its part of a limit.
  case share(StoreLimit, identity: [UInt8], used: Int, of: Int, chain: [UInt8]? = nil)

  /// The chain that it is about.
  package var chain: [UInt8]? {
    switch self {
    case .storeFails, .unreadable, .damaged: nil
    case .undeclared(let chain, _, _), .dead(let chain, _): chain
    case .near(_, _, _, let chain), .share(_, _, _, _, let chain): chain
    }
  }
}
