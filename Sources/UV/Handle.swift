internal import CUV

/// The base of all handles: memory for libuv's struct, and a lifetime that ends in libuv's close callback.
///
/// The object is retained when the handle is opened and released in the close callback, and nowhere else. Its memory
/// is freed with the object, so a closed handle can still be asked.
public class Handle {
  /// The loop that calls this handle.
  public let loop: Loop
  let memory: UnsafeMutableRawPointer
  /// True from `close` on. Not checked for exclusive access: the check costs time, and one thread does not need it.
  @exclusivity(unchecked) public private(set) var isClosing = false

  /// Opens the handle. If `initialize` fails, nothing is left behind.
  init(
    _ type: uv_handle_type, on loop: Loop, initialize: (UnsafeMutableRawPointer) -> Int32
  ) throws(UVError) {
    self.loop = loop
    memory = .allocate(byteCount: uv_handle_size(type), alignment: 16)
    try UVError.check(initialize(memory))
    uv_handle_set_data(handle, Unmanaged.passRetained(self).toOpaque())
    loop.liveHandles += 1
  }

  deinit { memory.deallocate() }

  private var handle: UnsafeMutablePointer<uv_handle_t> { memory.assumingMemoryBound(to: uv_handle_t.self) }

  /// Closes the handle; its last callback comes in a later turn of the loop. May be called more than once.
  public func close() {
    guard !isClosing else { return }
    isClosing = true
    uv_close(handle) { closed in
      guard let data = closed?.pointee.data else { return }
      Unmanaged<Handle>.fromOpaque(data).takeRetainedValue().finish()
    }
  }

  private func finish() {
    loop.liveHandles -= 1
    didClose()
  }

  /// The last call that a handle gets. A subclass releases its owner here, which breaks their reference cycle.
  func didClose() {}
}

/// Calls `body` with the object that was put into a handle's data pointer when it was opened.
///
/// This is safe because the handle holds its object until the close callback, which is the last callback.
@inline(__always)
func withObject<Object: Handle>(_ data: UnsafeMutableRawPointer?, as type: Object.Type, _ body: (Object) -> Void) {
  guard let data else { return }
  Unmanaged<Object>.fromOpaque(data)._withUnsafeGuaranteedRef(body)
}
