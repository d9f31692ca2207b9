internal import CUV

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// A thread beside the loop's, for what may block. It runs as long as its work does, or as the process.
public enum SideThread {
  /// How much may be on the stack of a thread at once.
  public enum Stack {
    /// Enough for formatting a line. The system's own size is 8 MiB, which counts where address space is limited.
    case small
    /// Enough for reading files: as the threads of libuv have it.
    case large

    fileprivate var bytes: Int { self == .small ? 256 << 10 : 8 << 20 }
  }

  /// Starts a thread that does the work. Returns false if the system has no thread left.
  public static func start(stack: Stack = .small, _ work: @escaping @Sendable () -> Void) -> Bool {
    let held = Unmanaged.passRetained(Work(work))
    var thread = uv_thread_t()
    var options = uv_thread_options_t()
    options.flags = UV_THREAD_HAS_STACK_SIZE.rawValue
    options.stack_size = stack.bytes
    let result = SignalMask.closed {
      uv_thread_create_ex(
        &thread, &options,
        { if let held = $0 { Unmanaged<Work>.fromOpaque(held).takeRetainedValue().work() } }, held.toOpaque())
    }
    if result != 0 {
      held.release()
      return false
    }
    // Nobody waits for its end: so its stack goes with it.
    pthread_detach(thread)
    return true
  }

  /// Lets the loop's thread go first where this one wants the same core: a message waits for microseconds then, and not
  /// for slices of milliseconds.
  public static func stepBack() {
    #if os(Linux)
      // In Linux these are about the thread.
      let thread = __priority_which_t(PRIO_PROCESS.rawValue)
      if getpriority(thread, 0) < behind { _ = setpriority(thread, 0, behind) }
    #endif
  }

  /// As a nice value: a tenth of the share of the loop's thread.
  private static let behind: Int32 = 10

  private final class Work: Sendable {
    let work: @Sendable () -> Void

    init(_ work: @escaping @Sendable () -> Void) { self.work = work }
  }
}
