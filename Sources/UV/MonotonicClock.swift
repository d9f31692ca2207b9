internal import CUV

#if os(Linux)
  private import Glibc
#endif

/// The clock of the loop's timers: it never goes back, and only differences have a meaning.
public enum MonotonicClock {
  /// Nanoseconds since an arbitrary start.
  public static var nanoseconds: Int64 { Int64(truncatingIfNeeded: uv_hrtime()) }

  /// Microseconds since the same start, rounded down.
  public static var microseconds: Int64 {
    #if os(Linux)
      // libuv asks the same clock; it is read for every read, so a call and a division of less count.
      var time = timespec()
      clock_gettime(CLOCK_MONOTONIC, &time)
      return Int64(time.tv_sec) &* 1_000_000 &+ Int64(time.tv_nsec / 1000)
    #else
      return nanoseconds / 1000
    #endif
  }
}
