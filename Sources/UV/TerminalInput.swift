internal import CUV

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// Calls its action with the bytes that are typed at a terminal, as they come. No bytes mean the end.
///
/// It opens the terminal again for itself: libuv makes a file non-blocking to wait for it. All programs that share the
/// open file would be affected, and the shell that started this program is one of them.
public final class TerminalInput: Handle {
  private let descriptor: Descriptor
  private var action: (([UInt8]) -> Void)?

  /// Reads the terminal that `number` is a descriptor of, from now on, until it is closed.
  public init(ofTerminal number: Int32, on loop: Loop, action: @escaping ([UInt8]) -> Void) throws(UVError) {
    guard let name = ttyname(number) else { throw .ofLastCall }
    let opened = try Descriptor(owning: open(name, O_RDONLY | O_NOCTTY | O_CLOEXEC))
    let number = opened.number
    descriptor = opened
    self.action = action
    try super.init(UV_POLL, on: loop) {
      uv_poll_init(loop.uv, $0.assumingMemoryBound(to: uv_poll_t.self), number)
    }
    let result = uv_poll_start(
      memory.assumingMemoryBound(to: uv_poll_t.self), Int32(UV_READABLE.rawValue),
      { input, _, _ in withObject(input?.pointee.data, as: TerminalInput.self) { $0.readPart() } })
    guard result == 0 else {
      close()
      throw UVError(code: result)
    }
  }

  private func readPart() {
    let bytes = [UInt8](unsafeUninitializedCapacity: 1024) { buffer, count in
      count = max(read(descriptor.number, buffer.baseAddress, buffer.count), 0)
    }
    if bytes.isEmpty, errno == EAGAIN || errno == EINTR { return }
    action?(bytes)
    if bytes.isEmpty { close() }
  }

  override func didClose() { action = nil }
}
