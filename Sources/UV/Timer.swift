internal import CUV

/// Calls its action once at a moment of the monotonic clock: never early, and late by less than two milliseconds and
/// what the loop is busy with.
public final class Timer: Handle {
  private var action: (() -> Void)?

  /// A timer that is not set.
  public init(on loop: Loop, action: @escaping () -> Void) throws(UVError) {
    self.action = action
    try super.init(UV_TIMER, on: loop) { uv_timer_init(loop.uv, $0.assumingMemoryBound(to: uv_timer_t.self)) }
  }

  private var timer: UnsafeMutablePointer<uv_timer_t> { memory.assumingMemoryBound(to: uv_timer_t.self) }

  /// Sets the timer to that many microseconds of `MonotonicClock`; an earlier setting is forgotten.
  public func set(microseconds: Int64) {
    // The loop counts whole milliseconds of the same clock, rounded down, so rounding the moment up is never early.
    // What is added to the loop's cached time is taken from the same cached time: its age does not matter.
    let due = (max(microseconds, 0) + 999) / 1000
    let wait = due - Int64(truncatingIfNeeded: uv_now(loop.uv))
    uv_timer_start(
      timer,
      { fired in withObject(fired?.pointee.data, as: Timer.self) { $0.action?() } }, UInt64(max(wait, 0)), 0)
  }

  /// Forgets the setting.
  public func unset() { uv_timer_stop(timer) }

  override func didClose() { action = nil }
}
