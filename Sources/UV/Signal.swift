internal import CUV

/// Calls its action, in the loop, each time the process gets one kind of signal.
public final class Signal: Handle {
  private var action: (() -> Void)?

  /// Listens for the signal of that number from now on, until it is closed.
  public init(_ number: Int32, on loop: Loop, action: @escaping () -> Void) throws(UVError) {
    self.action = action
    try super.init(UV_SIGNAL, on: loop) { uv_signal_init(loop.uv, $0.assumingMemoryBound(to: uv_signal_t.self)) }
    let result = uv_signal_start(
      memory.assumingMemoryBound(to: uv_signal_t.self),
      { signal, _ in withObject(signal?.pointee.data, as: Signal.self) { $0.action?() } }, number)
    guard result == 0 else {
      close()
      throw UVError(code: result)
    }
  }

  /// Its number.
  public var number: Int32 { memory.assumingMemoryBound(to: uv_signal_t.self).pointee.signum }

  /// Whether it has come, and the loop has not called the action yet.
  public var isWaiting: Bool {
    let signal = memory.assumingMemoryBound(to: uv_signal_t.self)
    return signal.pointee.caught_signals > signal.pointee.dispatched_signals
  }

  override func didClose() { action = nil }
}
