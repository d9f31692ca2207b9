package import BatonDurable
package import BatonLasting

/// Values and kept events come back from a store. It is called within `restore` of `openStore`.
extension Server {
  /// A value. Values come in the order of their changes. False if it is damaged.
  package func restore(value: Publication, change: UInt64, by bridge: KeeperBridge) -> Bool {
    bridge.restore(value: value, change: change, to: &router.pointee)
  }

  /// An event that was kept. Events come in the order of their numbers. False if it is damaged.
  package func restore(event: Publication, by bridge: KeeperBridge) -> Bool {
    bridge.restore(event: event, to: &router.pointee)
  }

  /// All values and events have come, and numbers up to `seq` may have been used. Returns what has to be on disk before
  /// the server listens: so no event is without a number then.
  package func openPublications(seq: UInt64, by bridge: KeeperBridge) -> [StoreJob] {
    bridge.openPublications(&router.pointee, seq: seq)
    return bridge.takeJobs()
  }
}
