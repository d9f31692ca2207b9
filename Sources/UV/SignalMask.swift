#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// Which thread hears of the signals that end a program: the one that runs the loop, and no thread that it made. So that one
/// can keep them waiting.
public enum SignalMask {
  /// Does the work while this thread hears of no signal that ends a program, nor do threads that are made meanwhile, ever.
  /// One that comes waits until the work is done.
  public static func closed<Result>(_ work: () -> Result) -> Result {
    var (ending, old) = (sigset_t(), sigset_t())
    sigemptyset(&ending)
    for number in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&ending, number) }
    pthread_sigmask(SIG_BLOCK, &ending, &old)
    defer { pthread_sigmask(SIG_SETMASK, &old, nil) }
    return work()
  }
}
