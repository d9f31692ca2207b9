public import BatonLasting
package import BatonStore
private import Synchronization
internal import UV

/// A node's part in its cluster, on a thread of its own: it speaks with NATS, and finds out whether the node leads.
///
/// The server's loop sees until when it leads, and news; it never waits for NATS.
public final class ClusterEngine: Sendable {
  private let shared: EngineShare
  /// `unsafe` because a loop is not `Sendable`: its thread alone uses it once it has begun.
  private nonisolated(unsafe) let room: EngineRoom

  /// An engine that has not begun; it takes the store over. Throws if the system has no descriptors or threads left.
  package init(_ plan: ClusterPlan, _ store: sending Store?) throws {
    shared = EngineShare()
    room = try EngineRoom(plan, store, shared)
    self.store = room.log?.store
  }

  /// What the server's durable messages go to; nil without a store.
  package let store: LoggedStore?

  /// The server takes over, and reads its file meanwhile; or it has done so.
  public func takesOver(_ begins: Bool) {
    shared.restoringUntil.store(begins ? BootClock.milliseconds + ClusterEngine.longest : 0, ordering: .relaxed)
  }

  /// The longest time in which a server may read its file, in milliseconds.
  private static let longest: Int64 = 120_000

  /// Begins. `wake` is called from the engine's thread, again and again: when there is news, and to see whether the server's loop
  /// turns. Returns false if the system has no thread left.
  public func begin(wake: @escaping @Sendable () -> Void) -> Bool {
    shared.setWake(wake)
    nonisolated(unsafe) let room = room
    return SideThread.start(stack: .large) { room.run() }
  }

  /// Until when the node leads, in milliseconds of `BootClock`; 0: it does not.
  public var until: Int64 { shared.until.load(ordering: .acquiring) }

  /// The server's loop has turned.
  public func hasTurned() { shared.turns.wrappingAdd(1, ordering: .relaxed) }

  /// What is known now.
  public var news: NodeNews { shared.news }

  /// What is to be told in the log since this was called last.
  public func takeNotes() -> [NodeNote] { shared.takeNotes() }

  /// The server drains, and this node, or any, is to lead next.
  public func leaves(to node: String?) { say(.leaves(node)) }

  /// The server has ended, and others may lead at once. Waits until that is known, so many milliseconds at most.
  public func letGo(within milliseconds: Int) -> Bool {
    say(.frees)
    return shared.waitForFree(milliseconds)
  }

  /// The server's file says this now.
  public func takes(digest: String, nodes: [String: String], pages: [String: String]) {
    say(.file(digest, nodes, pages))
  }

  private func say(_ order: EngineOrder) {
    shared.add(order)
    room.wakeup.wake()
  }
}

/// What the server asks of its engine.
enum EngineOrder: Sendable {
  case leaves(String?)
  case frees
  case file(_ digest: String, _ nodes: [String: String], _ pages: [String: String])
}
