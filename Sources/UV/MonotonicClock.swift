internal import CUV

/// The clock of the loop's timers: it never goes back, and only differences have a meaning.
public enum MonotonicClock {
  /// Nanoseconds since an arbitrary start.
  public static var nanoseconds: Int64 { Int64(truncatingIfNeeded: uv_hrtime()) }
  /// Microseconds since the same start, rounded down.
  public static var microseconds: Int64 { nanoseconds / 1000 }
}
