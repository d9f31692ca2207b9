internal import CUV

extension Stream {
  /// Asks for a connection to a TCP address; the owner is told `connected` or `failed`.
  public func connect(to address: Address) throws(UVError) {
    precondition(kind == .tcp, "an address is for a TCP stream")
    let request = UnsafeMutablePointer<uv_connect_t>.allocate(capacity: 1)
    let tcp = memory.assumingMemoryBound(to: uv_tcp_t.self)
    let result = address.withPointer { uv_tcp_connect(request, tcp, $0, connectDone) }
    guard result == 0 else {
      request.deallocate()
      throw UVError(code: result)
    }
  }

  /// Asks for a connection to the Unix socket at `path`; the owner is told `connected` or `failed`.
  public func connect(toPath path: String) {
    precondition(kind == .unix, "a path is for a Unix socket")
    let request = UnsafeMutablePointer<uv_connect_t>.allocate(capacity: 1)
    uv_pipe_connect(request, memory.assumingMemoryBound(to: uv_pipe_t.self), path, connectDone)
  }

  fileprivate func didConnect(_ status: Int32) {
    guard !isClosing else { return }
    if status == 0 { owner?.connected(self) } else { owner?.failed(self, UVError(code: status)) }
  }

  /// Sends each write at once instead of waiting for more. Nothing to do on a Unix socket.
  public func setNoDelay() {
    if kind == .tcp { uv_tcp_nodelay(memory.assumingMemoryBound(to: uv_tcp_t.self), 1) }
  }

  /// Lets the kernel ask a silent peer whether it is there: first after `seconds`, then ten times, one second apart.
  /// Nothing to do on a Unix socket.
  public func setKeepAlive(seconds: Int) {
    if kind == .tcp { uv_tcp_keepalive(memory.assumingMemoryBound(to: uv_tcp_t.self), 1, UInt32(seconds)) }
  }

  /// The peer's address, of a connected TCP stream; behind a proxy that has told it, that of the proxy's client.
  public var peerAddress: Address? {
    if let acceptedFrom { return acceptedFrom }
    guard kind == .tcp else { return nil }
    return try? Address { [memory] in uv_tcp_getpeername(memory.assumingMemoryBound(to: uv_tcp_t.self), $0, &$1) }
  }

  /// A proxy has told where its client is.
  public func comes(from client: Address) {
    isThroughNetwork = peerAddress?.isLoopback != true
    acceptedFrom = client
  }

  /// Whether no other machine sees what the peer and this process say to each other.
  public var staysOnMachine: Bool { !isThroughNetwork && peerAddress?.isLoopback == true }
}

private let connectDone: uv_connect_cb = { request, status in
  let stream = request?.pointee.handle
  request?.deallocate()
  withObject(stream?.pointee.data, as: Stream.self) { $0.didConnect(status) }
}
