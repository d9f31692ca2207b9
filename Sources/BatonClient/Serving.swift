internal import UV

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// How a program serves until it is told to end.
extension Session {
  /// Serves until a signal comes, the client has ended, or it has nothing left to serve. The first signal drains, the
  /// second one closes. Throws where the server refuses something.
  func serve() async throws {
    let signals = [SIGTERM, SIGINT].compactMap { number in
      try? Signal(number, on: thread.loop) { [weak self] in
        guard let self else { return }
        Task { await self.interrupt() }
      }
    }
    defer { for signal in signals { signal.close() } }
    do { try await open(isPatient: true) } catch BatonError.closed { return }
    await changes.until { isOver || isIdle }
    if !isOver { await drain() }
    try await untilClosed()
  }

  private func interrupt() async {
    if links.isLeaving { close() } else { await drain() }
  }
}
