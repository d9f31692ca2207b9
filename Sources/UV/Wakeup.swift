internal import CUV
private import Synchronization

/// Makes the loop call an action, from any thread. Several calls may become one.
public final class Wakeup: Handle {
  private var action: (() -> Void)?
  /// The part that other threads may use.
  public let sender: Sender

  /// Opens the wake-up; `action` runs on the loop's thread.
  public init(on loop: Loop, action: @escaping () -> Void) throws(UVError) {
    self.action = action
    sender = Sender()
    try super.init(UV_ASYNC, on: loop) {
      uv_async_init(loop.uv, $0.assumingMemoryBound(to: uv_async_t.self)) { async in
        withObject(async?.pointee.data, as: Wakeup.self) { $0.action?() }
      }
    }
    sender.open(memory)
  }

  /// Closes the wake-up; later calls of the sender do nothing.
  public override func close() {
    sender.shut()
    super.close()
  }

  override func didClose() { action = nil }

  /// The part of a wake-up that other threads hold.
  public final class Sender: Sendable {
    /// `@unchecked` because it is a pointer: it is used only under the lock, and removed under the same lock before the
    /// handle closes. `uv_async_send` itself may be called from any thread while its handle is open.
    private struct Place: @unchecked Sendable {
      var async: UnsafeMutablePointer<uv_async_t>?
    }

    private let place = Mutex(Place())

    fileprivate init() {}

    fileprivate func open(_ memory: UnsafeMutableRawPointer) {
      let opened = Place(async: memory.assumingMemoryBound(to: uv_async_t.self))
      place.withLock { $0 = opened }
    }

    fileprivate func shut() { place.withLock { $0.async = nil } }

    /// Makes the loop call the action soon. Does nothing once the wake-up is closed.
    public func wake() { place.withLock { if let async = $0.async { uv_async_send(async) } } }
  }
}
