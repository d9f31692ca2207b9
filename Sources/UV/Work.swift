internal import CUV

/// Work on libuv's threads: for what takes long enough to keep others waiting, such as a handshake's arithmetic. Pieces
/// begin in the order in which they were asked for.
public final class Work {
  private let work: @Sendable () -> Void
  private let end: (_ isDone: Bool) -> Void
  /// Nil at the end.
  private var request: UnsafeMutablePointer<uv_work_t>?

  private init(_ work: @escaping @Sendable () -> Void, _ end: @escaping (_ isDone: Bool) -> Void) {
    self.work = work
    self.end = end
  }

  /// Runs `work` on another thread, and then `end` on the loop's. The loop does not end before that. `isDone` is false
  /// if the work was cancelled.
  public static func run(
    on loop: Loop, _ work: @escaping @Sendable () -> Void, end: @escaping (_ isDone: Bool) -> Void
  ) throws(UVError) -> Work {
    let piece = Work(work, end)
    let request = UnsafeMutablePointer<uv_work_t>.allocate(capacity: 1)
    request.initialize(to: uv_work_t())
    request.pointee.data = Unmanaged.passRetained(piece).toOpaque()
    // The first one makes libuv's threads.
    let result = SignalMask.closed {
      uv_queue_work(
        loop.uv, request,
        { request in
          guard let data = request?.pointee.data else { return }
          SideThread.stepBack()
          Unmanaged<Work>.fromOpaque(data)._withUnsafeGuaranteedRef { $0.work() }
        },
        { request, status in
          guard let data = request?.pointee.data else { return }
          Unmanaged<Work>.fromOpaque(data).takeRetainedValue().finish(isDone: status == 0)
        })
    }
    guard result == 0 else {
      Unmanaged<Work>.fromOpaque(request.pointee.data).release()
      request.deallocate()
      throw UVError(code: result)
    }
    piece.request = request
    return piece
  }

  /// Leaves the work out if it has not begun; `end` comes soon. Work that has begun goes on.
  public func cancel() {
    guard let request else { return }
    _ = uv_cancel(UnsafeMutableRawPointer(request).assumingMemoryBound(to: uv_req_t.self))
  }

  private func finish(isDone: Bool) {
    request?.deallocate()
    request = nil
    end(isDone)
  }
}
