internal import BatonCore
internal import Logging
internal import UV

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

extension Server {
  /// Lets a SIGHUP wait until a server watches signals, which may take seconds with a store: it would end the process,
  /// although whoever sent it wanted the file to be read anew.
  public static func holdHangup() { mask(SIGHUP, SIG_BLOCK) }

  /// Signals that would end the process, and that say neither that it should end nor that it is broken, do nothing: somebody
  /// means another program, or wants a log opened anew, which this one does not need. What else was chosen for one stays.
  /// It is called once, at the start.
  public static func ignoreNeedless() {
    var needless = [SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGIO]
    #if os(Linux)
      needless += [SIGPWR, SIGSTKFLT] + Array(__libc_current_sigrtmin()...__libc_current_sigrtmax())
    #endif
    for number in needless where isDefault(number) { signal(number, SIG_IGN) }
  }

  private static func mask(_ number: Int32, _ how: Int32) {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, number)
    pthread_sigmask(how, &signals, nil)
  }

  /// Lets SIGTERM, SIGINT and SIGHUP end the server: the first signal in good order, a second one at once. SIGHUP is left
  /// alone if the server was started so that it ignores SIGHUP, for instance by nohup. It is called once, before anybody is
  /// told that the server listens: from then on signals may come.
  public func watchSignals() throws(StartError) {
    do throws(UVError) {
      try watch(SIGTERM, "SIGTERM")
      try watch(SIGINT, "SIGINT")
      if !Server.isIgnored(SIGHUP) { try watchHangup() }
    } catch {
      throw StartError(error)
    }
  }

  /// From now on SIGHUP lets the server read its file anew, also where it was started to ignore SIGHUP, and does nothing
  /// once it ends.
  public func readAtHangup() throws {
    readsAtHangup = true
    do throws(UVError) {
      if Server.isIgnored(SIGHUP) { try watchHangup() }
    } catch {
      throw StartError(error)
    }
  }

  /// One that was held comes now.
  private func watchHangup() throws(UVError) {
    try watch(SIGHUP, "SIGHUP")
    Server.mask(SIGHUP, SIG_UNBLOCK)
  }

  private func watch(_ number: Int32, _ name: String) throws(UVError) {
    signals.append(try Signal(number, on: loop) { [unowned self] in goesOnSignal(name) })
  }

  /// Whether the process was started so that it ignores the signal.
  package static func isIgnored(_ number: Int32) -> Bool {
    handler(of: number) == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  private static func isDefault(_ number: Int32) -> Bool {
    handler(of: number) == unsafeBitCast(SIG_DFL, to: Int.self)
  }

  /// What the process does at a signal, as a number; nil if there is no such signal.
  private static func handler(of number: Int32) -> Int? {
    var present = sigaction()
    guard sigaction(number, nil, &present) == 0 else { return nil }
    #if canImport(Darwin)
      return unsafeBitCast(present.__sigaction_u.__sa_handler, to: Int.self)
    #else
      return unsafeBitCast(present.__sigaction_handler.sa_handler, to: Int.self)
    #endif
  }

  /// Nothing is left to be done but to close the store, and the loop hears of no signal any more: one that comes now ends
  /// the process at once, as any second one does.
  func leaveSignals() {
    SignalMask.closed {
      // One that came while the process stood still, or was busy, is heard all the same.
      for signal in signals where !signal.isClosing {
        if signal.isWaiting, signal.number != SIGHUP || !readsAtHangup { isToldToEnd = true }
        signal.close()
      }
      for number in [SIGTERM, SIGINT] { signal(number) { _ in _exit(1) } }
      if readsAtHangup {
        signal(SIGHUP, SIG_IGN)
      } else if !Server.isIgnored(SIGHUP) {
        signal(SIGHUP) { _ in _exit(1) }
      }
    }
  }

  private func goesOnSignal(_ name: String) {
    let readsAnew = name == "SIGHUP" && readsAtHangup
    // Who wants the file to be read anew does not want messages to be cut off.
    if readsAnew, isDraining {
      return logger.notice("ending already: the file is not read anew", metadata: ["signal": "\(name)"])
    }
    guard !isDraining else {
      logger.notice("ending at once", metadata: ["signal": "\(name)"])
      return abort()
    }
    if readsAnew { return reload(because: name) }
    drain(on: name)
  }

  /// Writing to a peer that is gone must be an error of that write, not the end of the process.
  func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }

  /// The same of a file that has reached the size that a limit of the process allows: the store, a copy of it, or the log.
  public static func ignoreFileSizes() { signal(SIGXFSZ, SIG_IGN) }
}
