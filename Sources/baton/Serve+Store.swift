import ArgumentParser
import BatonCluster
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
    let isNode = configuration.cluster?.name != nil
    do throws(StoreError) {
      let store = try Store(path: path.value, follows: isNode)
      guard isNode, try store.logPosition() == nil, try !store.isEmpty() else { return store }
      store.close()
      throw StoreError(
        "\(path.value) has messages, and was in no cluster before; stop all nodes, let the cluster's log begin with it "
          + "(baton store begin-log --store \(path.value)), and start this node first")
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
      try open(handed, store.start, with: server, logger) { jobs, bridge in
        var generation: UInt64 = 0
        // What is free is known before the first message comes.
        let answers = handed.carryOut(jobs + [.look], from: &generation)
        if let error = handed.lastError { throw cannotBeWritten(error) }
        bridge.take(answers)
      } store: { wake in
        try StoreThread(handed, wake: wake)
      }
    } catch let error as StoreError {
      talk(error.description)
      throw ExitCode.failure
    }
  }

  /// Lets a server that leads as this start keep its durable messages in the log of its cluster.
  static func open(_ store: LoggedStore, as start: String, with server: Server, _ logger: Logger) throws {
    var first: [StoreJob] = []
    try store.lend { file in
      try open(file, try file.leads(), with: server, logger) { jobs, bridge in
        var generation: UInt64 = 0
        bridge.take(file.carryOut([.look], from: &generation))
        first = jobs
      } store: { wake in
        store.open(wake: wake)
        return store
      }
    }
    store.give(first)
    guard first.isEmpty || store.waitForAnswers(milliseconds: patience) else {
      throw cannotBeWritten("the log does not answer")
    }
    store.lend { $0.remember(start: start) }
  }

  /// Tells the server what the store has. `begin` has the first jobs carried out before anybody is heard.
  private static func open(
    _ store: Store, _ start: StoreStart, with server: Server, _ logger: Logger,
    begin: ([StoreJob], KeeperBridge) throws -> Void,
    store open: (@escaping @Sendable () -> Void) throws -> any MessageStore
  ) throws {
    try server.openStore(
      secret: start.secret, epoch: start.epoch, again: start.again,
      restore: { bridge, wall in
        try store.restore(wall: wall) { item in
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
        try begin(server.openPublications(seq: start.seq, by: bridge), bridge)
      },
      open: open)
  }

  /// Milliseconds that the log may take for the first jobs.
  private static let patience = 10_000

  private static func cannotBeWritten(_ error: String) -> StoreError {
    StoreError("the store cannot be written: \(error); see that its disk has room")
  }
}

extension StoreThread: MessageStore {}
extension LoggedStore: MessageStore {}
