internal import CUV

/// A value that threads share. One thread uses it at a time, and a thread can wait until another one has changed it.
///
/// `@unchecked Sendable` because the value stands in plain memory: it is used only under the lock. The condition is
/// told after each use, which costs nothing while nobody waits, and after the lock is given back: a thread that wakes
/// does not wait for it again.
public final class Monitor<Value>: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<uv_mutex_t> = .allocate(capacity: 1)
  private let changed: UnsafeMutablePointer<uv_cond_t> = .allocate(capacity: 1)
  private var value: Value

  /// A value that nobody else uses yet.
  public init(_ value: sending Value) {
    self.value = value
    let result = (uv_mutex_init(mutex), uv_cond_init(changed))
    precondition(result == (0, 0), "the system cannot make a lock")
  }

  deinit {
    uv_cond_destroy(changed)
    uv_mutex_destroy(mutex)
    changed.deallocate()
    mutex.deallocate()
  }

  /// Uses the value, and wakes the threads that wait for a change of it.
  public func use<Result>(_ body: (inout Value) -> Result) -> Result {
    uv_mutex_lock(mutex)
    defer {
      uv_mutex_unlock(mutex)
      uv_cond_broadcast(changed)
    }
    return body(&value)
  }

  /// Waits until `body` returns something, and returns that. `body` is called again after each change by others.
  public func wait<Result>(for body: (inout Value) -> Result?) -> Result {
    uv_mutex_lock(mutex)
    defer {
      uv_mutex_unlock(mutex)
      uv_cond_broadcast(changed)
    }
    while true {
      if let result = body(&value) { return result }
      uv_cond_wait(changed, mutex)
    }
  }

  /// Waits until `condition` holds, for at most so many milliseconds. Returns whether it holds.
  public func wait(milliseconds: Int, until condition: (Value) -> Bool) -> Bool {
    let end = MonotonicClock.microseconds + Int64(milliseconds) * 1000
    uv_mutex_lock(mutex)
    defer { uv_mutex_unlock(mutex) }
    while !condition(value) {
      let left = end - MonotonicClock.microseconds
      guard left > 0 else { return false }
      uv_cond_timedwait(changed, mutex, UInt64(left) * 1000)
    }
    return true
  }
}
