internal import BatonCore
internal import BatonDurable
internal import BatonLasting
internal import Logging
internal import UV

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// Durable messages: the keeper beside the router, and the store behind it. Once in each turn of the loop it carries
/// between them.
final class Lasting {
  private let bridge: KeeperBridge
  private let store: any MessageStore
  private let wakeup: Wakeup
  private let logger: Logger
  /// Whether the store may have answers: it has woken the loop.
  var hasAnswers = true
  /// Until when the end of the server waits for what stays; nil before it is about to end.
  private var endsBy: Instant?
  /// What of the store's errors the log knows.
  private var toldError: String?
  /// Whether the disk lacks room, as far as the log knows, and when it was told so last.
  private var isToldToLackRoom = false
  private var toldRoomAt: Instant?
  /// Whether its log is too long, as far as this server's log knows, and when it was told so last.
  private var isToldOfLog = false
  private var toldLogAt: Instant?
  /// When the log was told of a read that failed last.
  private var toldReadAt: Instant?

  init(_ bridge: KeeperBridge, _ store: any MessageStore, _ wakeup: Wakeup, _ logger: Logger) {
    (self.bridge, self.store, self.wakeup, self.logger) = (bridge, store, wakeup, logger)
  }

  /// Milliseconds for which the end of the server waits for the store: a disk may be slow, and is not waited for for ever.
  private static let patience = 10_000

  /// Milliseconds since 1970.
  static var wall: Int64 { wallMicroseconds / 1000 }

  /// Microseconds since 1970.
  static var wallMicroseconds: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
  }

  /// One turn. Returns whether work is left.
  func turn(_ router: UnsafeMutablePointer<Router>, at now: Instant) -> Bool {
    guard
      hasAnswers || router.pointee.hasKeeperRequests || bridge.isDue(&router.pointee, at: now)
    else { return false }
    if hasAnswers {
      hasAnswers = false
      bridge.take(store.takeAnswers())
      router.pointee.isStoreDamaged = store.isDamaged
      router.pointee.hasStoreLostFile = store.hasLostFile
      let log = store.log
      router.pointee.tellStoreLog(log, at: now)
      tellLog(log, at: now)
      tellReadError(at: now)
    }
    let isMoreLeft = bridge.turn(&router.pointee, at: now, wall: Lasting.wall)
    store.give(bridge.takeJobs())
    tellError()
    tellRoom(router.pointee.storeLacksRoom, at: now)
    return isMoreLeft
  }

  /// When `turn` is to be called at the latest; nil if nothing is due.
  var wakeAt: Instant? {
    guard let endsBy else { return bridge.wakeAt }
    return min(bridge.wakeAt ?? endsBy, endsBy)
  }

  /// The server is about to end: what stays is written first, and at last how far the numbers of events have come. Returns
  /// whether that is done, or takes too long. For a disk that fails nobody waits after the `deadline` of draining.
  func hasEnded(_ router: UnsafeMutablePointer<Router>, by deadline: Instant, at now: Instant) -> Bool {
    if endsBy == nil {
      endsBy = now.advanced(milliseconds: Lasting.patience)
      router.pointee.endStoring()
      _ = turn(router, at: now)
    }
    if router.pointee.hasEndedStoring, bridge.isQuiet { return true }
    if !isWorking { endsBy = min(endsBy ?? deadline, max(deadline, now)) }
    guard let endsBy, endsBy <= now else { return false }
    logger.error(
      "the server ends, and its disk has not taken all: what is on it is kept; ends that nobody was told of are not",
      metadata: store.lastError.map { ["error": "\($0)"] } ?? [:])
    return true
  }

  /// Whether the disk takes what is written.
  var isWorking: Bool { !bridge.isFailing }

  /// What the system says is wrong with the disk, each time that it says something else.
  private func tellError() {
    guard bridge.isFailing else { return toldError = nil }
    guard let error = store.lastError, error != toldError else { return }
    toldError = error
    logger.error("a commit of the store has failed", metadata: ["error": "\(error)"])
  }

  /// That nothing is taken in for want of room, once a minute at most, and that there is room again.
  private func tellRoom(_ lacksRoom: Bool, at now: Instant) {
    guard lacksRoom != isToldToLackRoom else { return }
    if lacksRoom, let told = toldRoomAt, now < told.advanced(milliseconds: 60_000) { return }
    isToldToLackRoom = lacksRoom
    guard lacksRoom else { return logger.notice("the disk of the store has room again") }
    toldRoomAt = now
    logger.error("the disk of the store has less than min_free_bytes: nothing durable is taken in (store_full)")
  }

  /// That the log of the store grows because it is held, once a minute at most, and that it does no more.
  private func tellLog(_ log: StoreLogFacts, at now: Instant) {
    guard log.isTooLong != isToldOfLog else { return }
    if log.isTooLong, let told = toldLogAt, now < told.advanced(milliseconds: 60_000) { return }
    isToldOfLog = log.isTooLong
    guard log.isTooLong else { return logger.notice("the log of the store is taken into its file again") }
    toldLogAt = now
    var facts: Logger.Metadata = [
      "bytes": .stringConvertible(log.bytes), "held_bytes": .stringConvertible(log.heldBytes),
    ]
    if let reader = log.reader { facts["process"] = .stringConvertible(reader) }
    if let error = log.error { facts["error"] = "\(error)" }
    logger.warning(
      log.error == nil
        ? "the log of the store grows: another program reads the store"
        : "the log of the store is not taken into its file",
      metadata: facts)
  }

  /// What the disk does not give, once a minute at most.
  private func tellReadError(at now: Instant) {
    guard let error = store.takeReadError() else { return }
    if let told = toldReadAt, now < told.advanced(milliseconds: 60_000) { return }
    toldReadAt = now
    logger.error("what the store was asked for cannot be read", metadata: ["error": "\(error)"])
  }

  /// Nothing more is to be written.
  func close() {
    wakeup.close()
    store.close()
  }

  /// Waits until all is on disk. Returns false if it is not, after a long time.
  func waitForEnd() -> Bool {
    guard store.waitForEnd(milliseconds: Lasting.patience) else { return false }
    if let error = store.endError {
      logger.error(
        "the log of the store could not be taken into its file: nothing is lost while the log stays beside it",
        metadata: ["error": "\(error)"])
    }
    return true
  }
}
