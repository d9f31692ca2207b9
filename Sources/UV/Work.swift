internal import CUV

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// Work on libuv's threads: for what takes long enough to keep others waiting, such as a handshake's arithmetic. Pieces
/// begin in the order in which they were asked for.
public enum Work {
  private final class Piece {
    let work: @Sendable () -> Void
    let end: () -> Void

    init(_ work: @escaping @Sendable () -> Void, _ end: @escaping () -> Void) {
      self.work = work
      self.end = end
    }
  }

  /// Lets the loop's thread go first where this one wants the same core: a message waits for microseconds then, and not
  /// for slices of milliseconds.
  private static func stepBack() {
    #if os(Linux)
      // In Linux these are about the thread.
      let thread = __priority_which_t(PRIO_PROCESS.rawValue)
      if getpriority(thread, 0) < behind { _ = setpriority(thread, 0, behind) }
    #endif
  }

  /// As a nice value: a tenth of the share of the loop's thread.
  private static let behind: Int32 = 10

  /// Runs `work` on another thread, and then `end` on the loop's. The loop does not end before that.
  public static func run(
    on loop: Loop, _ work: @escaping @Sendable () -> Void, end: @escaping () -> Void
  ) throws(UVError) {
    let request = UnsafeMutablePointer<uv_work_t>.allocate(capacity: 1)
    request.initialize(to: uv_work_t())
    request.pointee.data = Unmanaged.passRetained(Piece(work, end)).toOpaque()
    let result = uv_queue_work(
      loop.uv, request,
      { request in
        guard let data = request?.pointee.data else { return }
        Work.stepBack()
        Unmanaged<Piece>.fromOpaque(data)._withUnsafeGuaranteedRef { $0.work() }
      },
      { request, _ in
        guard let request, let data = request.pointee.data else { return }
        request.deallocate()
        Unmanaged<Piece>.fromOpaque(data).takeRetainedValue().end()
      })
    guard result != 0 else { return }
    Unmanaged<Piece>.fromOpaque(request.pointee.data).release()
    request.deallocate()
    throw UVError(code: result)
  }
}
