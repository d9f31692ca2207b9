import BatonKeeper
import BatonLasting
import BatonStore
import Foundation
import UV

/// How long a start with many waiting messages takes, and what each costs in memory.
enum Million {
  static func run(count: UInt64, path: String, isNamed: Bool) throws {
    var store = try Store(path: path)
    var generation: UInt64 = 0
    let payload = [UInt8](repeating: 120, count: 128)
    let start = StoredID.Start(random: 1, 2)
    for first in stride(from: 1, through: count, by: 5000) {
      let jobs = (first..<min(first + 5000, count + 1)).map { row in
        var state = TryState()
        state.place = row
        let message = StoredMessage(
          id: StoredID(start: start, count: row), identity: Array("web".utf8), chain: Array("orders".utf8),
          rules: TryRules(
            tries: 25, retryMilliseconds: 1000, timeoutMilliseconds: 30_000, expiresMilliseconds: 86_400_000),
          acceptedAt: 1_700_000_000_000, resent: nil, byteCount: 170, state: state)
        let content = DurableContent(
          head: Array(#""topic":"order.paid""#.utf8), from: Array("\"web\"".utf8), key: nil, payload: payload)
        let once = StoredOnce(
          name: Digest(high: row &* 0x9E37_79B9_7F4A_7C15, low: row), content: Digest(high: 1, low: row),
          id: message.id, identity: Digest(high: 1, low: 1), rememberedMilliseconds: 3_600_000)
        return StoreJob.write(
          StoreWrite(generation: 1, number: row, change: .insert(message, content, once: isNamed ? once : nil)))
      }
      guard case .storedUpTo = store.carryOut(jobs, from: &generation).last else { throw Broken("not stored") }
    }
    store.close()
    let before = ProcessMemory.resident
    // Of the processor: what else the machine does is not counted.
    let began = clock()
    store = try Store(path: path)
    let opened = clock()
    var limits = KeeperLimits()
    limits.storedMessages = 2 * Int(count)
    var keeper = Keeper(
      limits: limits, start: start, secret: store.start.secret, seed: 5,
      results: ResultSpelling(shorten: { $0 }, damaged: { _, _ in [100] }, none: { _ in [110] }))
    keeper.begin(at: 1, wall: 1_700_000_000_000)
    keeper.declared([DurableWindow(chain: Array("orders".utf8), window: 64)])
    var told = 0
    try store.restore(wall: 1_700_000_000_000) { item in
      switch item {
      case .message(let message, let key, let isDead):
        keeper.restore(message, key: key, isDead: isDead)
        told += 1
      case .once(let once): keeper.restore(once)
      default: break
      }
    }
    keeper.open()
    let ended = clock()
    let bytes = ProcessMemory.resident - before
    print(
      "\(told) messages: opened after \((opened - began) / (CLOCKS_PER_SEC / 1000)) ms, restored after \((ended - began) / (CLOCKS_PER_SEC / 1000)) ms, "
        + "\(bytes / max(told, 1)) bytes each")
    withExtendedLifetime(keeper) {}
  }
}

struct Broken: Error, CustomStringConvertible {
  var description: String

  init(_ description: String) { self.description = description }
}
