import ArgumentParser
import BatonClient
import UV

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Ctrl-C in a program that sends messages. The first one cancels those that are under way, and their results are awaited
/// for a short time. Durable messages that were accepted go on, and this is told. Without any such message, and at a
/// second one, Ctrl-C ends the program at once.
actor Interrupt {
  /// How long the server may take to answer.
  private static let grace: Duration = .seconds(2)

  private let thread: LoopThread
  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }
  private var handle: Handle?
  /// Whether messages were cancelled.
  private(set) var hasCome = false
  private var action: @Sendable () -> Void = {}
  private let kept: AcceptedMessages

  /// Waits for Ctrl-C from now on.
  init(cancelling client: Client, but kept: AcceptedMessages = AcceptedMessages()) async throws(BatonError) {
    self.kept = kept
    do { thread = try LoopThread() } catch { throw .unreachable("\(error)") }
    do { try start(client) } catch { throw .unreachable("\(error)") }
  }

  private func start(_ client: Client) throws(UVError) {
    handle = try Signal(SIGINT, on: thread.loop) { [weak self] in
      guard let self else { return }
      self.assumeIsolated { $0.come() }
      Task { await self.cancel(client) }
    }
  }

  /// Has the action called after messages were cancelled.
  func then(_ action: @escaping @Sendable () -> Void) {
    self.action = action
  }

  /// What does the signal the next time is the system.
  private func come() {
    hasCome = true
    handle?.close()
    handle = nil
  }

  private func cancel(_ client: Client) async {
    if await client.cancelMessages() == 0 {
      guard let words = kept.words else { return TerminalEvents.take(SIGINT) }
      talk("baton: \(words)")
      BatonCommand.exit(withError: ExitCode.interrupted)
    }
    Deadline.end(after: Self.grace, .interrupted) { [kept] in
      talk("baton: \(kept.words ?? "cancelled; the server has not answered, so a handler may be at work")")
    }
    action()
  }
}
