#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// A clock that never goes back, and counts while the machine sleeps: only differences have a meaning.
public enum BootClock {
  /// Milliseconds since an arbitrary start, rounded down.
  public static var milliseconds: Int64 {
    var time = timespec()
    #if canImport(Darwin)
      clock_gettime(CLOCK_MONOTONIC, &time)
    #else
      clock_gettime(CLOCK_BOOTTIME, &time)
    #endif
    return Int64(time.tv_sec) &* 1000 &+ Int64(time.tv_nsec / 1_000_000)
  }
}
