internal import BatonCore
package import BatonDurable
package import BatonLasting
internal import Logging
internal import UV

/// Durable messages. Without a store everything is as if they did not exist.
extension Server {
  /// Keeps durable messages from now on. It is called once, before the server runs, and only if the settings say that there
  /// is a store.
  ///
  /// `secret` and `epoch` are the store's, and messages up to `again` may have been offered before. `restore` tells the bridge what the
  /// store has, at this wall time; `open` opens it for what follows, and is given what wakes the loop.
  package func openStore(
    secret: Secret, epoch: String, again: UInt64 = 0, restore: (KeeperBridge, _ wall: Int64) throws -> Void,
    open: (_ wake: @escaping @Sendable () -> Void) throws -> any MessageStore
  ) throws {
    let wakeup: Wakeup
    do throws(UVError) {
      // The turn follows in the same round of the loop.
      wakeup = try Wakeup(on: loop) { [unowned self] in lasting?.hasAnswers = true }
    } catch {
      throw StartError(error)
    }
    var luck = SystemRandomNumberGenerator()
    let start = StoredID.Start(random: luck.next(), luck.next())
    let bridge = KeeperBridge(router.pointee.keeperSettings, start: start, secret: secret, seed: luck.next())
    let wall = Lasting.wall
    bridge.begin(&router.pointee, at: now, wall: wall, again: again, epoch: epoch)
    try restore(bridge, wall)
    bridge.open()
    let sender = wakeup.sender
    lasting = Lasting(bridge, try open { sender.wake() }, wakeup, logger)
    let figures = bridge.figures(of: nil)
    logger.notice(
      "the store is open",
      metadata: ["messages": .stringConvertible(figures.messages), "dead": .stringConvertible(figures.dead)])
  }

  /// Whether the server can keep what it is to keep: there is no store, or its disk takes what is written.
  var isStoreWorking: Bool { lasting?.isWorking ?? true }
}
