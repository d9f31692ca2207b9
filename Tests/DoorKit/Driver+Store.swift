import BatonCore
import BatonDurable
import BatonLasting

/// What the wall clock of tests says when their other clock begins, in milliseconds.
package let wallEpoch: Int64 = 1_700_000_000_000

/// The keeper of durable messages beside the core, and its store.
final class KeeperSide {
  let store: MemoryStore
  let bridge: KeeperBridge

  /// A server starts with what is in the store. `number` tells its starts apart.
  init(
    _ store: MemoryStore, _ settings: Settings, _ router: inout Router, start number: UInt64, at now: Instant,
    wall: Int64
  ) {
    self.store = store
    store.begin()
    let start = store.meddling?.start(number) ?? number
    bridge = KeeperBridge(settings, start: StoredID.Start(random: start, start), secret: store.secret, seed: number)
    let bridge = bridge
    bridge.begin(&router, at: now, wall: wall)
    store.restore(message: { bridge.restore($0, key: $1, isDead: $2) }, once: { bridge.restore($0) })
    bridge.open()
    for value in store.kept.valuesInOrder {
      bridge.restore(value: value.publication, change: value.change, to: &router)
    }
    for event in store.kept.eventsInOrder { bridge.restore(event: event, to: &router) }
    bridge.openPublications(&router, seq: store.kept.seq)
    store.give(bridge.takeJobs())
  }

  /// One turn. Returns whether work is left.
  func turn(_ router: inout Router, at now: Instant, wall: Int64) -> Bool {
    bridge.take(store.takeAnswers())
    bridge.beginTurn(&router, at: now, wall: wall)
    let requests = router.fetchKeeperRequests()
    let isMoreLeft = bridge.endTurn(store.meddling?.pass(requests) ?? requests, &router)
    store.give(bridge.takeJobs())
    return isMoreLeft || store.hasAnswers
  }
}
