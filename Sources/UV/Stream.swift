internal import CUV

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// The owner of a stream. All calls come from the loop, never from within a call to the stream.
public protocol StreamOwner: AnyObject {
  /// The connection is established.
  func connected(_ stream: Stream)
  /// Bytes have come; they are valid only during the call.
  func received(_ bytes: UnsafeRawBufferPointer, from stream: Stream)
  /// The peer has shut down its writing side; nothing more will be read.
  func ended(_ stream: Stream)
  /// The write is done: the kernel has taken all its `count` bytes.
  func wrote(_ count: Int, to stream: Stream)
  /// Connecting, reading or writing failed. The owner must close the stream.
  func failed(_ stream: Stream, _ error: UVError)
  /// The stream is closed to the end. No call follows, and the memory of a write may be freed.
  func closed(_ stream: Stream)
}

extension StreamOwner {
  /// Nothing, for streams that were accepted.
  public func connected(_ stream: Stream) {}
}

/// A stream of bytes to one peer, over TCP or a Unix socket.
public final class Stream: Handle {
  /// What carries the bytes.
  public enum Kind: Sendable {
    /// TCP, IPv4 or IPv6.
    case tcp
    /// A Unix socket.
    case unix
  }

  /// What carries the bytes.
  public let kind: Kind
  /// Whether a write is under way. Other modules ask here: their own look at `writing` would be checked for exclusive access.
  public var isWriting: Bool { writing != nil }
  /// The owner, held until the stream is closed to the end. Unchecked as in `Handle`.
  @exclusivity(unchecked) public var owner: (any StreamOwner)?
  /// Bytes of the write that is under way; nil while there is none.
  @exclusivity(unchecked) public private(set) var writing: Int?

  /// A stream that is not connected.
  public init(_ kind: Kind, on loop: Loop) throws(UVError) {
    self.kind = kind
    switch kind {
    case .tcp:
      try super.init(UV_TCP, on: loop) { uv_tcp_init(loop.uv, $0.assumingMemoryBound(to: uv_tcp_t.self)) }
    case .unix:
      try super.init(UV_NAMED_PIPE, on: loop) { uv_pipe_init(loop.uv, $0.assumingMemoryBound(to: uv_pipe_t.self), 0) }
    }
  }

  /// A stream over a connected socket. If it cannot be made, the socket is closed.
  convenience init(_ kind: Kind, over socket: consuming Descriptor, on loop: Loop) throws(UVError) {
    try self.init(kind, on: loop)
    let result =
      switch kind {
      case .tcp: uv_tcp_open(memory.assumingMemoryBound(to: uv_tcp_t.self), socket.number)
      case .unix: uv_pipe_open(memory.assumingMemoryBound(to: uv_pipe_t.self), socket.number)
      }
    if result != 0 { close() }
    try UVError.check(result)
    _ = socket.handOver()
  }

  /// The address from which a listener has accepted it, over TCP.
  var acceptedFrom: Address?
  /// Whether the proxy that has told another address is on another machine.
  var isThroughNetwork = false

  /// Whether a read brings `Loop.littleReadSize` at most: for an owner that keeps what it reads, or decodes it.
  @exclusivity(unchecked) public var readsLittle = false
  /// Whether the last read has brought as much as one may. The next one then waits for the next turn.
  @exclusivity(unchecked) fileprivate var hasFilledBuffer = false
  fileprivate var readSize: Int { readsLittle || loop.readsLittle ? Loop.littleReadSize : Loop.readBufferSize }

  var stream: UnsafeMutablePointer<uv_stream_t> { memory.assumingMemoryBound(to: uv_stream_t.self) }

  /// Starts to tell the owner what the peer sends. Does nothing if the stream is already reading.
  public func startReading() throws(UVError) {
    let result = uv_read_start(stream, allocateForRead, readDone)
    if result != UV_EALREADY.rawValue { try UVError.check(result) }
  }

  /// Leaves what the peer sends in the kernel.
  public func stopReading() { uv_read_stop(stream) }

  fileprivate func didRead(_ count: Int, _ start: UnsafeMutablePointer<CChar>?) {
    if count > 0 {
      loop.noteRead(count)
      hasFilledBuffer = count == readSize
      owner?.received(UnsafeRawBufferPointer(start: start, count: count), from: self)
    } else if count == Int(UV_EOF.rawValue) {
      owner?.ended(self)
    } else if count < 0, count != Int(UV_ENOBUFS.rawValue) {
      owner?.failed(self, UVError(code: Int32(truncatingIfNeeded: count)))
    }
  }

  /// Tells the owner what the kernel already has, up to the size of a pipe or so many bytes, without waiting for the end of
  /// the stream.
  public func takeAtHand(upTo most: Int = 1 << 20) {
    var descriptor: uv_os_fd_t = -1
    let handle = UnsafeRawPointer(memory).assumingMemoryBound(to: uv_handle_t.self)
    guard !isClosing, uv_fileno(handle, &descriptor) == 0 else { return }
    // Not into the loop's buffer: somebody may be told of bytes in there just now.
    withUnsafeTemporaryAllocation(byteCount: Loop.littleReadSize, alignment: 64) { buffer in
      var taken = 0
      while !isClosing, taken < most {
        let count = read(descriptor, buffer.baseAddress, buffer.count)
        guard count > 0 else { return }
        taken += count
        owner?.received(UnsafeRawBufferPointer(rebasing: buffer[..<count]), from: self)
      }
    }
  }

  /// Gives the kernel as much of `buffers` as it takes at once, and returns how many bytes it took: 0 if it takes none
  /// or a write is under way.
  public func tryWrite(_ buffers: UnsafeBufferPointer<UnsafeRawBufferPointer>) throws(UVError) -> Int {
    let stream = stream
    let result = withBuffers(buffers) { uv_try_write(stream, $0, $1) }
    if result == UV_EAGAIN.rawValue { return 0 }
    try UVError.check(result)
    return Int(result)
  }

  /// The same for one piece of memory.
  public func tryWriting(_ bytes: UnsafeRawBufferPointer) -> Result<Int, UVError> {
    withUnsafePointer(to: bytes) { one in
      Result { () throws(UVError) in try tryWrite(UnsafeBufferPointer(start: one, count: 1)) }
    }
  }

  /// Begins a write of one piece of memory, which must stay as with `buffers`.
  public func write(_ bytes: UnsafeRawBufferPointer) throws(UVError) {
    try withUnsafePointer(to: bytes) { (one) throws(UVError) in
      try write(UnsafeBufferPointer(start: one, count: 1))
    }
  }

  /// Begins a write of all `buffers`. Their memory must stay until the owner is told `wrote` or `closed`. There is at
  /// most one write at a time: a second one would only wait for the first.
  public func write(_ buffers: UnsafeBufferPointer<UnsafeRawBufferPointer>) throws(UVError) {
    try write(buffers, UnsafeMutablePointer<uv_write_t>.allocate(capacity: 1))
  }

  /// Begins a write of a copy of bytes.
  public func write(copyOf bytes: UnsafeRawBufferPointer) throws(UVError) {
    let size = MemoryLayout<uv_write_t>.size
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: size + bytes.count, alignment: MemoryLayout<uv_write_t>.alignment)
    let copy = UnsafeMutableRawBufferPointer(start: memory + size, count: bytes.count)
    copy.copyMemory(from: bytes)
    try withUnsafePointer(to: UnsafeRawBufferPointer(copy)) { (one) throws(UVError) in
      try write(UnsafeBufferPointer(start: one, count: 1), memory.bindMemory(to: uv_write_t.self, capacity: 1))
    }
  }

  private func write(
    _ buffers: UnsafeBufferPointer<UnsafeRawBufferPointer>, _ request: UnsafeMutablePointer<uv_write_t>
  ) throws(UVError) {
    precondition(writing == nil, "a write is under way")
    let result = withBuffers(buffers) { uv_write(request, stream, $0, $1, writeDone) }
    guard result == 0 else {
      request.deallocate()
      throw UVError(code: result)
    }
    writing = buffers.reduce(0) { $0 + $1.count }
  }

  fileprivate func didWrite(_ status: Int32) {
    let count = writing ?? 0
    writing = nil
    // A write that was ended by closing is not reported: `closed` follows.
    guard !isClosing else { return }
    if status == 0 { owner?.wrote(count, to: self) } else { owner?.failed(self, UVError(code: status)) }
  }

  /// Shuts down the writing side after the write that is under way. Call it once.
  public func shutDown() throws(UVError) {
    let request = UnsafeMutablePointer<uv_shutdown_t>.allocate(capacity: 1)
    // Reading reports the outcome: the peer's own end, or an error.
    let result = uv_shutdown(request, stream) { request, _ in request?.deallocate() }
    guard result == 0 else {
      request.deallocate()
      throw UVError(code: result)
    }
  }

  /// Lets the system take little from the peer from now on: what comes will be dropped, and reading costs for each byte.
  public func takeLittle() {
    var bytes: Int32 = 8 << 10
    if !isClosing { uv_recv_buffer_size(memory.assumingMemoryBound(to: uv_handle_t.self), &bytes) }
  }

  override func didClose() {
    owner?.closed(self)
    owner = nil
  }
}

/// Converts buffers to libuv's. The array is on the stack, because libuv copies it.
@inline(__always)
private func withBuffers(
  _ buffers: UnsafeBufferPointer<UnsafeRawBufferPointer>, _ body: (UnsafeMutablePointer<uv_buf_t>?, UInt32) -> Int32
) -> Int32 {
  withUnsafeTemporaryAllocation(of: uv_buf_t.self, capacity: buffers.count) { places in
    for index in buffers.indices {
      let start = UnsafeMutableRawPointer(mutating: buffers[index].baseAddress)?.assumingMemoryBound(to: CChar.self)
      places.initializeElement(at: index, to: uv_buf_t(base: start, len: buffers[index].count))
    }
    return body(places.baseAddress, UInt32(buffers.count))
  }
}

/// A stream is read once in a turn of the loop: libuv would read on as long as the buffer gets full, and a fast peer
/// would keep all others waiting. Without a buffer it stops, and the next turn reads on.
private let allocateForRead: uv_alloc_cb = { handle, _, buffer in
  var size = 0
  withObject(handle?.pointee.data, as: Stream.self) {
    if !$0.hasFilledBuffer { size = $0.readSize }
    $0.hasFilledBuffer = false
  }
  buffer?.pointee = uv_buf_t(
    base: handle?.pointee.loop.pointee.data.assumingMemoryBound(to: CChar.self), len: size)
}

private let readDone: uv_read_cb = { stream, count, buffer in
  withObject(stream?.pointee.data, as: Stream.self) {
    $0.didRead(count, buffer?.pointee.base)
    $0.loop.readIsDone()
  }
}

private let writeDone: uv_write_cb = { request, status in
  let stream = request?.pointee.handle
  request?.deallocate()
  withObject(stream?.pointee.data, as: Stream.self) { $0.didWrite(status) }
}
