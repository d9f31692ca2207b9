internal import CUV

/// Calls its action once at a moment of the monotonic clock. It is never early. It is late by less than two
/// milliseconds, if the loop is not busy.
public final class Timer: Handle {
  private var action: (() -> Void)?

  /// A timer that is not set.
  public init(on loop: Loop, action: @escaping () -> Void) throws(UVError) {
    self.action = action
    try super.init(UV_TIMER, on: loop) { uv_timer_init(loop.uv, $0.assumingMemoryBound(to: uv_timer_t.self)) }
  }

  private var timer: UnsafeMutablePointer<uv_timer_t> { memory.assumingMemoryBound(to: uv_timer_t.self) }

  /// Sets the timer to a time of `MonotonicClock`, in microseconds. It replaces an earlier setting.
  public func set(microseconds: Int64) {
    // The loop counts whole milliseconds of the same clock, rounded down, so rounding the moment up is never early.
    // The delay is computed from the loop's cached time, to which libuv adds it: the age of that time does not matter.
    let due = (max(microseconds, 0) + 999) / 1000
    let wait = due - Int64(truncatingIfNeeded: uv_now(loop.uv))
    uv_timer_start(
      timer,
      { fired in withObject(fired?.pointee.data, as: Timer.self) { $0.action?() } }, UInt64(max(wait, 0)), 0)
  }

  /// Removes the setting.
  public func unset() { uv_timer_stop(timer) }

  override func didClose() { action = nil }
}
