internal import CUV

/// One pipe between this program and a child that is about to be started. It is a pipe and not a socket, so that a
/// script can open `/dev/stdin`. Both ends are closed with it, unless its stream was taken.
final class ChildPipe {
  /// Which way the bytes go.
  enum Direction {
    case toChild, fromChild
  }

  private let stream: Stream
  private let end: Descriptor
  private var isTaken = false

  init(_ direction: Direction, on loop: Loop) throws(UVError) {
    // Only this program's end may be non-blocking.
    let isRead = direction == .fromChild
    let ours = Int32(UV_NONBLOCK_PIPE.rawValue)
    var ends: [uv_file] = [-1, -1]
    try UVError.check(uv_pipe(&ends, isRead ? ours : 0, isRead ? 0 : ours))
    end = try Descriptor(owning: ends[isRead ? 1 : 0])
    stream = try Stream(.unix, over: Descriptor(owning: ends[isRead ? 0 : 1]), on: loop)
  }

  deinit { if !isTaken { stream.close() } }

  /// The child's end, which is closed here with the pipe.
  var childsEnd: Int32 { end.number }

  /// The stream, which the caller must close.
  func take() -> Stream {
    isTaken = true
    return stream
  }
}
