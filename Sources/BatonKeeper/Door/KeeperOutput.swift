/// What the keeper wants done. The caller takes one after the other with `next()`.
package enum KeeperOutput: Sendable {
  /// For the store. What one turn of the loop brought is committed together.
  case write(StoreWrite)
  /// The content of a row; the store answers it after all writes that came before it. `loaded` brings it.
  case load(UInt64)
  /// A try begins at the first link of the chain. `tryEnded` tells its end.
  indirect case begin(Try)
  /// The line `accepted`.
  case accepted(ticket: UInt64, StoredID, isKnown: Bool)
  /// The line `result`. Without bytes, no try had an end: `timeout`, `hops` 0.
  case result(ticket: UInt64, StoredID, isDead: Bool, bytes: [UInt8]?)
  /// The line `result` with what the store has, in its row or in the `once` of this name; about so many bytes are read.
  case recall(ticket: UInt64, StoredID, once: Digest, bytes: Int)
  /// An error; the request has ended.
  case refused(ticket: UInt64, KeeperRefusal)
  /// A `resend` (with the new name) or a `discard` has been carried out.
  case done(ticket: UInt64, StoredID)
  /// The turn of an ordinary message of a key.
  case letGo(ticket: UInt64)
  /// The store is to tell what is free on its disk.
  case look
  /// `$baton.message.dead`.
  case died(StoredID, chain: [UInt8], isDamaged: Bool)
}

/// Why a request is refused.
package enum KeeperRefusal: Error, Sendable {
  case notDeclared, storeFailed
  /// There is no room: the limit of messages, of bytes, of dead letters of the chain, or of what is free on the disk is
  /// reached; or no further row can be counted.
  case tooManyMessages, tooManyBytes, tooManyDead, diskFull, storeFull
  /// Too many names of `once` are remembered.
  case rememberedFull
  case onceMismatch, limitReached, noSuchMessage, damaged, draining
  /// The disk does not give it now.
  case unreadable
  /// What a dead letter is sent again with is too long.
  case tooLarge
}

/// One try of a message.
package struct Try: Sendable {
  package var stored: StoredID
  package var chain: [UInt8]
  package var content: Content
  package var timeoutMilliseconds: UInt32
  /// Its number, from 1.
  package var number: UInt32
  /// `"again":true`: handlers may have had offers of it before.
  package var isAgain: Bool
  package var resent: StoredID?
}

/// Where a message is: what `stored` tells.
package struct KeptStatus: Equatable, Sendable {
  package enum State: Sendable { case accepting, delayed, waiting, underWay, ending, dead }
  package var state: State
  package var tries: UInt32 = 0
  package var lastCause: TryEnd.Status?
  /// It waits because its last try did not count.
  package var isUncounted = false
  /// It waits for its chain to be declared again.
  package var isUndeclared = false
  /// Milliseconds to the next try, where a time is set.
  package var nextTryMilliseconds: UInt64?
}

/// What an operator should know.
package enum KeeperFinding: Equatable, Sendable {
  /// Commits fail, for so many milliseconds.
  case storeFails(sinceMilliseconds: UInt64)
  /// The store could not read so many messages, and is asked for them again.
  case unreadable(Int)
  /// The bytes of so many messages were found damaged since the start.
  case damaged(Int)
  /// Messages wait for a chain that is not in the file, or are dead letters of it.
  case undeclared(chain: [UInt8], waiting: Int, dead: Int)
  /// A chain of the file has so many dead letters.
  case dead(chain: [UInt8], Int)
  /// Three quarters or more of a limit are used.
  case storedMessages(Int, of: Int)
  case storedBytes(Int, of: Int)
  case deadLetters(chain: [UInt8], Int, of: Int)
  case remembered(Int, of: Int)
  case freeBytes(Int, atLeast: Int)
  /// An identity (empty: peers without one) has so many of those that it may have.
  case share(Share, _ identity: [UInt8], Int, of: Int)

  package enum Share: Equatable, Sendable {
    case messages, bytes
    case dead(chain: [UInt8])
  }
}
