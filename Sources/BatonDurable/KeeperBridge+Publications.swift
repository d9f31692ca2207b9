package import BatonCore
package import BatonLasting

/// What stays, on its way between the router and a store: values, and kept events.
extension KeeperBridge {
  /// A value that the store had. Values come in the order of their changes. False if it is damaged.
  @discardableResult
  package func restore(value: Publication, change: UInt64, to router: inout Router) -> Bool {
    router.restore(value: value, change: change, at: instant, wall: wall)
  }

  /// An event that the store had. Events come in the order of their numbers. False if it is damaged.
  @discardableResult
  package func restore(event: Publication, to router: inout Router) -> Bool {
    router.restore(event: event, at: instant, wall: wall)
  }

  /// All that stays has been restored. Numbers up to `seq` may have been used. What is in `jobs` then has to be on disk
  /// before anybody is served.
  package func openPublications(_ router: inout Router, seq: UInt64) {
    router.endRestore(after: seq)
    givePublications(&router)
  }

  /// The store gets what has changed, as far as the keeper has room for it.
  func givePublications(_ router: inout Router) {
    while keeper.takesStaying, let (change, bytes) = router.nextPublication(at: instant, wall: wall) {
      jobs.append(.write(keeper.write(change, bytes: bytes)))
    }
  }

  /// Whether there is more for the next turn.
  func hasPublications(_ router: inout Router) -> Bool { keeper.takesStayingSoon && router.hasPublications }
}
