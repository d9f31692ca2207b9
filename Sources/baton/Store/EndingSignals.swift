import BatonServer
import UV

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What a command does before a signal ends it.
enum EndingSignals {
  /// From now on at SIGINT, SIGTERM and SIGHUP `end` is called on another thread. It gets what ends the program by that
  /// signal. A signal that the program was started to ignore, for instance by nohup, stays ignored. It is called before there
  /// are other threads.
  static func before(_ end: @escaping @Sendable (_ die: () -> Void) -> Void) {
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in [SIGINT, SIGTERM, SIGHUP] where !Server.isIgnored(number) { sigaddset(&signals, number) }
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    let waiting = signals
    let isWatched = SideThread.start {
      var (signals, number): (sigset_t, Int32) = (waiting, 0)
      guard sigwait(&signals, &number) == 0 else { return }
      end {
        signal(number, SIG_DFL)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        raise(number)
      }
    }
    if !isWatched { pthread_sigmask(SIG_UNBLOCK, &signals, nil) }
  }
}
