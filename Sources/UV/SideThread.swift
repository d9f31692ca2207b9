internal import CUV

/// A thread beside the loop's, for what may block. It runs as long as its work does, or as the process.
public enum SideThread {
  /// Starts a thread that does the work. Returns false if the system has no thread left.
  public static func start(_ work: @escaping @Sendable () -> Void) -> Bool {
    let held = Unmanaged.passRetained(Work(work))
    var thread = uv_thread_t()
    var options = uv_thread_options_t()
    options.flags = UV_THREAD_HAS_STACK_SIZE.rawValue
    options.stack_size = stackBytes
    let result = uv_thread_create_ex(
      &thread, &options,
      { if let held = $0 { Unmanaged<Work>.fromOpaque(held).takeRetainedValue().work() } }, held.toOpaque())
    if result != 0 { held.release() }
    return result == 0
  }

  /// Enough for formatting a line. The system's own size is 8 MiB, which counts where address space is limited.
  private static let stackBytes = 256 << 10

  private final class Work: Sendable {
    let work: @Sendable () -> Void

    init(_ work: @escaping @Sendable () -> Void) { self.work = work }
  }
}
