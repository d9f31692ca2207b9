import ArgumentParser
import BatonConfig
import BatonDurable
import BatonLasting
import BatonServer
import BatonStore
import Logging

/// The store of a server: it is opened when the server has its places, and its messages are known before anybody is heard.
extension Serve {
  /// Opens the store that the configuration names; nil if it names none. What is wrong with it is printed, and ends the
  /// program.
  static func store(of configuration: Configuration) throws -> Store? {
    guard let path = configuration.store else { return nil }
    do throws(StoreError) {
      return try Store(path: path.value)
    } catch {
      talk("\(path.origin): \(error.description)")
      throw error.mayPass ? ExitCode.failure : ExitCode.validationFailure
    }
  }

  /// Lets the server keep its durable messages in the store. Nobody else uses the store from then on.
  static func open(_ store: Store, at path: String, with server: Server, _ logger: Logger) throws {
    if store.start.isNew { logger.warning("the store is new: nothing is in it", metadata: ["path": "\(path)"]) }
    if !store.start.isNew, !store.start.continues {
      logger.warning(
        "the store may have been put back or copied: the kept events have a new epoch, and offers of the messages that wait say again",
        metadata: ["path": "\(path)"])
    }
    // The thread has it only when all has been restored.
    nonisolated(unsafe) let handed = store
    do {
      try server.openStore(
        secret: store.start.secret, epoch: store.start.epoch, again: store.start.again,
        restore: { bridge, wall in
          try handed.restore(wall: wall) { item in
            var damaged: (table: String, row: UInt64)?
            switch item {
            case .message(let row, let key, let isDead): bridge.restore(row, key: key, isDead: isDead)
            case .once(let once): bridge.restore(once)
            case .value(let value, let change):
              if !server.restore(value: value, change: change, by: bridge) { damaged = ("value", change) }
            case .event(let event): if !server.restore(event: event, by: bridge) { damaged = ("event", event.seq) }
            case .damaged(let table, let row): damaged = (table, row)
            }
            guard let damaged else { return }
            let isName = damaged.table == "once"
            logger.error(
              isName
                ? "the store has a name (once) that cannot be read any more: sent again, its message is taken in twice"
                : "the store has a row that cannot be read any more",
              metadata: ["table": "\(damaged.table)", "row": "\(damaged.row)"])
          }
          try begin(handed, server.openPublications(seq: handed.start.seq, by: bridge), bridge)
        },
        open: { wake in try StoreThread(handed, wake: wake) })
    } catch {
      guard let error = error as? StoreError else { throw error }
      talk(error.description)
      throw ExitCode.failure
    }
  }
}

extension Serve {
  /// Has the first jobs carried out before the server runs.
  private static func begin(_ store: Store, _ jobs: [StoreJob], _ bridge: KeeperBridge) throws(StoreError) {
    var generation: UInt64 = 0
    // What is free is known before the first message comes.
    let answers = store.carryOut(jobs + [.look], from: &generation)
    if let error = store.lastError {
      throw StoreError("the store cannot be written: \(error); see that its disk has room")
    }
    bridge.take(answers)
  }
}

extension StoreThread: MessageStore {}
