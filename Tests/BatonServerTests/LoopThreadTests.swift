import Testing
import UV

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What must be true on the thread of a loop that is the executor of actors.
@Suite struct LoopThreadTests {
  /// A write to a peer that is gone is an error of that write, and not the end of the program.
  @Test func brokenPipesAreNoSignalsThere() async throws {
    #expect(try await OnLoop().isBlocked(SIGPIPE))
  }

  private actor OnLoop {
    private let thread: LoopThread
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    init() throws { thread = try LoopThread() }

    func isBlocked(_ signal: Int32) -> Bool {
      var blocked = sigset_t()
      pthread_sigmask(SIG_BLOCK, nil, &blocked)
      return sigismember(&blocked, signal) == 1
    }
  }
}
