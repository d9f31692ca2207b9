internal import BatonCore
internal import Logging
internal import UV

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

extension Server {
  /// Lets SIGTERM and SIGINT end the server: the first signal in good order, a second one at once.
  func watchSignals() throws(UVError) {
    for (number, name) in [(SIGTERM, "SIGTERM"), (SIGINT, "SIGINT")] {
      signals.append(try Signal(number, on: loop) { [unowned self] in goesOnSignal(name) })
    }
  }

  private func goesOnSignal(_ name: String) {
    guard !isDraining else {
      logger.notice("ending at once", metadata: ["signal": "\(name)"])
      return abort()
    }
    isDraining = true
    logger.notice("finishing what is under way; a second signal ends it at once", metadata: ["signal": "\(name)"])
    router.pointee.drain(at: now)
  }

  /// Writing to a peer that is gone must be an error of that write, not the end of the process.
  func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }
}
