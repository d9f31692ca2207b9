#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// The clock that people set.
enum WallClock {
  /// Milliseconds since 1970.
  static var milliseconds: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec / 1_000_000)
  }
}
