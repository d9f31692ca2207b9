import UV

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// SIGTERM or SIGINT for a program that has something to finish. A second signal ends it at once.
actor FirstSignal {
  private let thread: LoopThread
  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }
  private var handles: [Handle] = []

  init() throws(UVError) { thread = try LoopThread() }

  /// Calls the action at the first one from now on.
  func then(_ action: @escaping @Sendable () -> Void) throws(UVError) {
    for number in [SIGTERM, SIGINT] {
      handles.append(
        try Signal(number, on: thread.loop) {
          self.assumeIsolated { $0.stop() }
          action()
        })
    }
  }

  /// What a signal does from now on is the system's.
  private func stop() {
    for handle in handles { handle.close() }
    handles = []
  }
}
