package import BatonCore
package import BatonLasting

/// Who stands between the core, the keeper and a store: looks at all that passes, and may change it. Simulators judge what
/// they see here, and plant faults. Without one, everything passes as it is.
package protocol Meddling: AnyObject {
  /// What the core asks of the keeper.
  func pass(_ requests: [KeeperRequest]) -> [KeeperRequest]
  /// A job for the store.
  func give(_ job: StoreJob)
  /// A change that is about to be on disk; nil: it is lost.
  func commit(_ change: StoreChange) -> StoreChange?
  /// A row that a new server gets of the store; nil: it is lost.
  func restore(_ row: RestoredRow) -> RestoredRow?
  /// Which start of the server this is.
  func start(_ number: UInt64) -> UInt64
}

/// What a server is told of a stored message when it starts.
package struct RestoredRow {
  package var message: StoredMessage
  package var key: [UInt8]?
  package var isDead: Bool
}
