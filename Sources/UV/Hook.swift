internal import CUV

/// Calls its action once in every turn of the loop, at one moment of the turn.
public final class Hook: Handle {
  /// The moments of a turn at which a hook can be called.
  public enum Moment: Sendable {
    /// Just before the loop waits: after the timers, and after all events of the last wait.
    case beforeWaiting
    /// Just after the loop has waited.
    case afterWaiting
    /// In every turn; the loop never waits.
    case instead
  }

  /// It must not hold the hook's owner, and stays as long as the hook: so a call needs to hold nothing.
  private let action: () -> Void

  /// A hook that works from now on, until it is closed.
  public init(_ moment: Moment, on loop: Loop, action: @escaping () -> Void) throws(UVError) {
    self.action = action
    switch moment {
    case .beforeWaiting:
      try super.init(UV_PREPARE, on: loop) { uv_prepare_init(loop.uv, $0.assumingMemoryBound(to: uv_prepare_t.self)) }
      uv_prepare_start(memory.assumingMemoryBound(to: uv_prepare_t.self)) { hook in
        withObject(hook?.pointee.data, as: Hook.self) { $0.action() }
      }
    case .afterWaiting:
      try super.init(UV_CHECK, on: loop) { uv_check_init(loop.uv, $0.assumingMemoryBound(to: uv_check_t.self)) }
      uv_check_start(memory.assumingMemoryBound(to: uv_check_t.self)) { hook in
        withObject(hook?.pointee.data, as: Hook.self) { $0.action() }
      }
    case .instead:
      try super.init(UV_IDLE, on: loop) { uv_idle_init(loop.uv, $0.assumingMemoryBound(to: uv_idle_t.self)) }
      setActive(true)
    }
  }

  /// Switches a hook of the moment `instead` off and on: while it is off, the loop may wait.
  public func setActive(_ isActive: Bool) {
    let idle = memory.assumingMemoryBound(to: uv_idle_t.self)
    if isActive {
      uv_idle_start(idle) { hook in withObject(hook?.pointee.data, as: Hook.self) { $0.action() } }
    } else {
      uv_idle_stop(idle)
    }
  }
}
