internal import BatonCore
internal import UV

/// The bytes of one connection: lines come out of it, what is to be sent is gathered and written once per turn of the
/// loop. It lives on the loop's thread and tells its session by the connection's number, since a session outlives its
/// connections.
final class Socket: StreamOwner {
  private let number: Int
  private let session: Session
  private let stream: Stream
  private var flushing: Hook?
  private var scanner = LineScanner(maximumDepth: 10_000)
  private var unfinished: [UInt8] = []
  private var unsent: [UInt8] = []
  private var written: UnsafeMutableRawBufferPointer?
  private var isConnected = false
  private var isEnding = false

  /// Bytes past which whoever wants to send waits.
  static let comfortable = 1 << 20

  /// Asks for a connection.
  init(to endpoint: Endpoint, on loop: Loop, number: Int, for session: Session) throws(UVError) {
    self.number = number
    self.session = session
    switch endpoint {
    case .tcp(let host, let port):
      let address = try Address.resolve(host: host, port: port, on: loop)
      stream = try Stream(.tcp, on: loop)
      try Socket.closed(stream) { (stream) throws(UVError) in try stream.connect(to: address) }
    case .unix(let path):
      stream = try Stream(.unix, on: loop)
      stream.connect(toPath: path)
    }
    stream.owner = self
  }

  private static func closed(
    _ stream: Stream, unless body: (Stream) throws(UVError) -> Void
  ) throws(UVError) {
    do { try body(stream) } catch {
      stream.close()
      throw error
    }
  }

  /// Bytes that the kernel has not taken yet.
  var unsentCount: Int { unsent.count + (written?.count ?? 0) }

  /// Sends a line at the end of this turn of the loop.
  func send(_ line: [UInt8]) { unsent += line }

  /// Closes once everything is written.
  func end() {
    isEnding = true
    flush()
  }

  /// Closes now.
  func close() {
    stream.close()
    flushing?.close()
  }

  private func flush() {
    guard isConnected, !stream.isClosing else { return }
    let before = unsentCount
    do throws(UVError) {
      if !unsent.isEmpty, stream.writing == nil { try writeUnsent() }
    } catch {
      return fail(error.description)
    }
    if isEnding, unsentCount == 0 { close() }
    tellRoom(before: before)
  }

  /// Whoever wants to send may wait for this.
  private func tellRoom(before: Int) {
    guard before >= Socket.comfortable, unsentCount < Socket.comfortable else { return }
    let number = number
    session.assumeIsolated { $0.hasRoom(on: number) }
  }

  private func writeUnsent() throws(UVError) {
    let taken: Int
    do {
      taken = try unsent.withUnsafeBytes { bytes in
        try withUnsafeTemporaryAllocation(of: UnsafeRawBufferPointer.self, capacity: 1) { buffers in
          buffers.initializeElement(at: 0, to: bytes)
          return try stream.tryWrite(UnsafeBufferPointer(buffers))
        }
      }
    } catch let error as UVError {
      throw error
    } catch { return }
    if taken == unsent.count { return unsent.removeAll(keepingCapacity: unsent.capacity < Socket.comfortable) }
    // The kernel is full: libuv waits for it, with memory that stays where it is.
    let rest = UnsafeMutableRawBufferPointer.allocate(byteCount: unsent.count - taken, alignment: 1)
    unsent.withUnsafeBytes { rest.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0.dropFirst(taken))) }
    unsent.removeAll()
    written = rest
    let buffers = [UnsafeRawBufferPointer(rest)]
    do {
      try buffers.withUnsafeBufferPointer { try stream.write($0) }
    } catch let error as UVError {
      throw error
    } catch { return }
  }

  private func fail(_ why: String) {
    close()
    let number = number
    session.assumeIsolated { $0.lost(why, on: number) }
  }

  // MARK: StreamOwner

  func connected(_ stream: Stream) {
    isConnected = true
    stream.setNoDelay()
    stream.setKeepAlive(seconds: 60)
    do throws(UVError) {
      flushing = try Hook(.beforeWaiting, on: stream.loop) { [unowned self] in flush() }
      try stream.startReading()
    } catch {
      return fail(error.description)
    }
    let number = number
    session.assumeIsolated { $0.connected(number) }
  }

  func received(_ bytes: UnsafeRawBufferPointer, from stream: Stream) {
    var start = 0
    while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
      if unfinished.isEmpty {
        take(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
      } else {
        unfinished += bytes[start...end]
        let line = unfinished
        unfinished = []
        line.withUnsafeBytes { take(UnsafeRawBufferPointer(rebasing: $0.dropLast())) }
      }
      if stream.isClosing { return }
      start = end + 1
    }
    unfinished += bytes[start...]
  }

  private func take(_ line: UnsafeRawBufferPointer) {
    guard let line = ServerLine(line, by: &scanner) else {
      return fail("what answers there speaks no JSON lines: it is no Baton server")
    }
    let number = number
    session.assumeIsolated { $0.received(line, on: number) }
  }

  func ended(_ stream: Stream) { fail("the server has closed the connection") }

  func wrote(_ count: Int, to stream: Stream) {
    let before = unsentCount
    written?.deallocate()
    written = nil
    flush()
    tellRoom(before: before)
  }

  func failed(_ stream: Stream, _ error: UVError) { fail(error.description) }

  func closed(_ stream: Stream) {
    written?.deallocate()
    written = nil
  }
}
