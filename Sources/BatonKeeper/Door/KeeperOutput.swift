package import BatonLasting

/// What the keeper wants done. The caller takes one after the other with `next()`.
package enum KeeperOutput: Sendable {
  /// For the store. What one turn of the loop brought is committed together.
  case write(StoreWrite)
  /// The content of a row; the store answers it after all writes that came before it. `loaded` brings it.
  case load(UInt64)
  /// A try begins at the first link of the chain. `tryEnded` tells its end.
  indirect case begin(DurableTry)
  /// The line `accepted`.
  case accepted(ticket: UInt64, StoredID, isKnown: Bool)
  /// The line `result`. Without bytes, no try had an end: `timeout`, `hops` 0.
  case result(ticket: UInt64, StoredID, isDead: Bool, bytes: [UInt8]?)
  /// The line `result` with what the store has, in its row or in the `once` of this name; about so many bytes are read.
  case recall(ticket: UInt64, StoredID, once: Digest, bytes: Int)
  /// An error; the request has ended.
  case refused(ticket: UInt64, DurableRefusal)
  /// A `resend` (with the new name) or a `discard` has been carried out.
  case done(ticket: UInt64, StoredID)
  /// The turn of an ordinary message of a key.
  case letGo(ticket: UInt64)
  /// Of the changes of what stays, the oldest in the store's hand: so many are on disk, and so many behind them are not.
  case stays(stored: Int, lost: Int)
  /// The store is to tell what is free on its disk.
  case look
  /// `$baton.message.dead`.
  case died(StoredID, chain: [UInt8], isDamaged: Bool)
}
