#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// The clock on the wall.
package enum RecordClock {
  /// Milliseconds since 1970.
  package static var wall: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}
