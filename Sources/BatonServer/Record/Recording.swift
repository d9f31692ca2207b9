internal import BatonCore
internal import BatonLasting
internal import Logging
internal import UV

/// The record beside the router. Once in each turn of the loop it carries between them.
final class Recording {
  private let record: any MessageRecord
  private let wakeup: Wakeup
  private let logger: Logger
  /// Whether the record may have news: it has woken the loop.
  var hasNews = true
  /// What of its failures, and of missed ends, the log knows.
  private var toldFailure: String?
  private var toldMissed = 0
  private var toldMissedAt: Instant?

  /// Milliseconds for which the end of the server waits for the record.
  private static let patience = 10_000

  init(_ record: any MessageRecord, _ wakeup: Wakeup, _ logger: Logger) {
    (self.record, self.wakeup, self.logger) = (record, wakeup, logger)
  }

  /// One turn: what was written is told, and what has ended is given.
  func turn(_ router: UnsafeMutablePointer<Router>, at now: Instant) {
    if hasNews { takeNews(router, at: now) }
    if router.pointee.hasRecordItems { record.give(router.pointee.fetchRecordItems(at: now), at: Lasting.wall) }
  }

  private func takeNews(_ router: UnsafeMutablePointer<Router>, at now: Instant) {
    hasNews = false
    let news = record.takeNews()
    var sight = RecordSight()
    (sight.lines, sight.bytes, sight.head, sight.isNearlyFull) = (news.lines, news.bytes, news.head, news.isNearlyFull)
    router.pointee.showRecord(sight)
    router.pointee.recordFails(news.failure, at: now)
    router.pointee.recordHasWritten(news.written, at: now)
    for head in news.heads {
      logger.notice("a head of the record", metadata: ["head": "\(head)"])
      router.pointee.tellHead(head, at: now)
    }
    tell(news.failure)
    tellMissed(router.pointee.missedEnds, at: now)
  }

  /// What the system says is wrong with the disk, each time that it says something else.
  private func tell(_ failure: String?) {
    guard failure != toldFailure else { return }
    defer { toldFailure = failure }
    if let failure {
      logger.error("the record cannot be written", metadata: ["error": "\(failure)"])
    } else {
      logger.notice("the record is written again")
    }
  }

  /// Ends that were not recorded, once a minute at most.
  private func tellMissed(_ missed: Int, at now: Instant) {
    guard missed > toldMissed, toldMissedAt.map({ now >= $0.advanced(milliseconds: 60_000) }) ?? true else { return }
    logger.warning(
      "the record has missed ends of messages: too many lines waited (record_queue_bytes)",
      metadata: ["missed": .stringConvertible(missed - toldMissed)])
    (toldMissed, toldMissedAt) = (missed, now)
  }

  /// Nothing more is to be written.
  func close(_ router: UnsafeMutablePointer<Router>, at now: Instant) {
    turn(router, at: now)
    let untold = router.pointee.untoldEnds
    if untold > 0 {
      logger.error(
        "messages have ended whose lines the record has not: nobody was told these ends",
        metadata: ["messages": .stringConvertible(untold)])
    }
    wakeup.close()
    record.close()
  }

  /// Waits until all is on disk. Returns false if it is not, after a long time.
  func waitForEnd() -> Bool { record.waitForEnd(milliseconds: Recording.patience) }
}

extension Server {
  /// Records messages from now on, as the settings say. It is called once, before the server runs; `open` opens the record, and
  /// is given what wakes the loop.
  package func openRecord(
    _ open: (_ wake: @escaping @Sendable () -> Void) throws -> any MessageRecord
  ) throws {
    let wakeup: Wakeup
    do throws(UVError) {
      // The turn follows in the same round of the loop.
      wakeup = try Wakeup(on: loop) { [unowned self] in recording?.hasNews = true }
    } catch {
      throw StartError(error)
    }
    let sender = wakeup.sender
    recording = Recording(try open { sender.wake() }, wakeup, logger)
  }
}
