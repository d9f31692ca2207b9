internal import BatonLasting
internal import Synchronization

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// What the engine's thread and the server's have in common.
final class EngineShare: Sendable {
  let until = Atomic<Int64>(0)
  let turns = Atomic<UInt64>(0)
  /// Until when the server may take over without a turn, in milliseconds of `BootClock`; 0: it does not.
  let restoringUntil = Atomic<Int64>(0)

  private struct Content {
    var news = NodeNews()
    var notes: [NodeNote] = []
    var orders: [EngineOrder] = []
    var wake: (@Sendable () -> Void)?
    var isFree = false
  }

  private let content = Mutex(Content())
  /// Notes that nobody has taken: more are not kept.
  private static let mostNotes = 100

  func setWake(_ wake: @escaping @Sendable () -> Void) { content.withLock { $0.wake = wake } }

  /// Lets the server's loop turn.
  func wake() { content.withLock(\.wake)?() }

  var news: NodeNews { content.withLock(\.news) }

  func set(_ news: NodeNews) { content.withLock { $0.news = news } }

  func note(_ note: NodeNote) {
    content.withLock { if $0.notes.count < EngineShare.mostNotes { $0.notes.append(note) } }
  }

  func takeNotes() -> [NodeNote] {
    content.withLock { content in
      defer { content.notes = [] }
      return content.notes
    }
  }

  func add(_ order: EngineOrder) { content.withLock { $0.orders.append(order) } }

  func takeOrders() -> [EngineOrder] {
    content.withLock { content in
      defer { content.orders = [] }
      return content.orders
    }
  }

  func setFree() { content.withLock { $0.isFree = true } }

  /// The server has ended: nothing else goes on in its thread.
  func waitForFree(_ milliseconds: Int) -> Bool {
    for _ in 0..<max(1, milliseconds / 5) {
      if content.withLock(\.isFree) { return true }
      usleep(5000)
    }
    return content.withLock(\.isFree)
  }
}
