package import BatonLasting
package import BatonStore
private import Synchronization
internal import UV

/// What a node's server gives its durable messages to: they go into the cluster's log, and into the file behind it. The engine's
/// thread carries them.
package final class LoggedStore: Sendable {
  private struct Content {
    var given: [StoreJob] = []
    var isClosing = false
    var isLate = false
    var wakeServer: (@Sendable () -> Void)?
  }

  private let content = Mutex(Content())
  private let answers = Monitor([StoreAnswer]())
  private let thread: StoreThread
  private let wakeEngine: @Sendable () -> Void

  init(_ thread: StoreThread, wakeEngine: @escaping @Sendable () -> Void) {
    (self.thread, self.wakeEngine) = (thread, wakeEngine)
  }

  // MARK: The server's side

  /// What wakes the server's loop when there are answers.
  package func open(wake: @escaping @Sendable () -> Void) { content.withLock { $0.wakeServer = wake } }

  /// Lends the file to the caller, when all is done that was given; see `StoreThread`.
  package func lend<Result>(_ use: (Store) throws -> Result) rethrows -> Result { try thread.lend(use) }

  package func give(_ jobs: [StoreJob]) {
    guard !jobs.isEmpty else { return }
    let isFirst = content.withLock { content in
      defer { content.given += jobs }
      return content.given.isEmpty
    }
    if isFirst { wakeEngine() }
  }

  package func takeAnswers() -> [StoreAnswer] {
    answers.use { answers in
      defer { answers = [] }
      return answers
    }
  }

  /// Waits until there is an answer, so many milliseconds at most.
  package func waitForAnswers(milliseconds: Int) -> Bool {
    answers.wait(milliseconds: milliseconds) { !$0.isEmpty }
  }

  package var lastError: String? {
    content.withLock(\.isLate)
      ? "the log does not answer: NATS is away, too slow (store_ms), or its disk is full; what is refused now can be sent again"
      : thread.lastError
  }

  package func takeReadError() -> String? { thread.takeReadError() }
  package var isDamaged: Bool { thread.isDamaged }
  package var hasLostFile: Bool { thread.hasLostFile }
  package var log: StoreLogFacts { thread.log }
  package var endError: String? { thread.endError }

  package func close() {
    content.withLock { $0.isClosing = true }
    wakeEngine()
  }

  package func waitForEnd(milliseconds: Int) -> Bool { thread.waitForEnd(milliseconds: milliseconds) }

  // MARK: The engine's side

  func takeGiven() -> [StoreJob] {
    content.withLock { content in
      defer { content.given = [] }
      return content.given
    }
  }

  var isClosing: Bool { content.withLock { $0.isClosing && $0.given.isEmpty } }

  func tell(_ more: [StoreAnswer], isLate: Bool) {
    let wake = content.withLock { content in
      content.isLate = isLate
      return content.wakeServer
    }
    // A server that does not lead has asked for nothing.
    guard let wake else { return }
    let isFirst = answers.use { answers in
      defer { answers += more }
      return answers.isEmpty
    }
    if isFirst { wake() }
  }
}
