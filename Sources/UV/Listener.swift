internal import CUV

/// Whom a listener tells about newcomers.
public protocol ListenerOwner: AnyObject {
  /// A peer has connected over a stream that has no owner yet and does not read.
  func accepted(_ stream: Stream, by listener: Listener)
  /// Somebody came and could not be let in. Where the error is a shortage, the owner is to close the listener and to
  /// try again later: libuv would ask again at once, and so for ever.
  func failed(_ listener: Listener, _ error: UVError)
}

/// A place where peers connect: a TCP address or a Unix socket.
public final class Listener: Handle {
  /// What carries the streams that come in here.
  public let kind: Stream.Kind
  private var owner: (any ListenerOwner)?

  private init(_ kind: Stream.Kind, on loop: Loop) throws(UVError) {
    self.kind = kind
    switch kind {
    case .tcp:
      try super.init(UV_TCP, on: loop) { uv_tcp_init(loop.uv, $0.assumingMemoryBound(to: uv_tcp_t.self)) }
    case .unix:
      try super.init(UV_NAMED_PIPE, on: loop) { uv_pipe_init(loop.uv, $0.assumingMemoryBound(to: uv_pipe_t.self), 0) }
    }
  }

  private var stream: UnsafeMutablePointer<uv_stream_t> { memory.assumingMemoryBound(to: uv_stream_t.self) }

  /// A listener that has the address, and that nobody can reach before `listen`. That the address is taken may show
  /// only there.
  public static func bound(to address: Address, on loop: Loop) throws(UVError) -> Listener {
    let listener = try Listener(.tcp, on: loop)
    let tcp = listener.memory.assumingMemoryBound(to: uv_tcp_t.self)
    return try listener.closedUnless(address.withPointer { uv_tcp_bind(tcp, $0, 0) })
  }

  /// A listener that has made the socket file at `path`, and that nobody can reach before `listen`. The file goes when
  /// the listener is closed.
  public static func bound(toPath path: String, on loop: Loop) throws(UVError) -> Listener {
    // libuv would cut a longer path short without a word.
    guard path.utf8.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path) else { throw .nameTooLong }
    let listener = try Listener(.unix, on: loop)
    return try listener.closedUnless(uv_pipe_bind(listener.memory.assumingMemoryBound(to: uv_pipe_t.self), path))
  }

  private func closedUnless(_ result: Int32) throws(UVError) -> Listener {
    if result < 0 { close() }
    try UVError.check(result)
    return self
  }

  /// Lets peers in from now on. The listener holds its owner until it is closed to the end.
  public func listen(owner: any ListenerOwner) throws(UVError) {
    self.owner = owner
    _ = try closedUnless(
      uv_listen(stream, 1024) { stream, status in
        withObject(stream?.pointee.data, as: Listener.self) { $0.somebodyCame(status) }
      })
  }

  private func somebodyCame(_ status: Int32) {
    do throws(UVError) {
      try UVError.check(status)
      // Always accepted here and now: libuv stops watching the listener otherwise.
      let newcomer = try Stream(kind, on: loop)
      let result = uv_accept(stream, newcomer.stream)
      if result < 0 { newcomer.close() }
      try UVError.check(result)
      owner?.accepted(newcomer, by: self)
    } catch {
      owner?.failed(self, error)
    }
  }

  /// The TCP address as it really is, with the port that the system chose where 0 was asked for.
  public var address: Address? {
    guard kind == .tcp else { return nil }
    return try? Address { [memory] in uv_tcp_getsockname(memory.assumingMemoryBound(to: uv_tcp_t.self), $0, &$1) }
  }

  override func didClose() { owner = nil }
}
