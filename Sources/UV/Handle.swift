internal import CUV

/// What all handles share: memory for libuv's struct, and a life that ends in libuv's close callback.
///
/// The object is retained when the handle is opened and released in the close callback, and nowhere else. Its memory
/// is freed with the object, so it is still there for whoever asks a closed handle something.
public class Handle {
  /// The loop that calls this handle.
  public let loop: Loop
  let memory: UnsafeMutableRawPointer
  /// True from `close` on. Not checked for exclusive access, which costs and which one thread does not need.
  @exclusivity(unchecked) public private(set) var isClosing = false

  /// Opens the handle; where `initialize` gives an error, nothing is left behind.
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

  /// The last that a handle hears: a subclass lets go of its owner here, which breaks their cycle.
  func didClose() {}
}

/// Calls `body` with the object that was put into a handle's data pointer when it was opened.
///
/// Safe because the handle holds its object until the close callback, and no callback comes after that one.
@inline(__always)
func withObject<Object: Handle>(_ data: UnsafeMutableRawPointer?, as type: Object.Type, _ body: (Object) -> Void) {
  guard let data else { return }
  Unmanaged<Object>.fromOpaque(data)._withUnsafeGuaranteedRef(body)
}
