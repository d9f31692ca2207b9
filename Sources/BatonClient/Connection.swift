internal import BatonCore
internal import UV

/// Makes lines of the bytes that come. Gathers the lines that are to be sent, and writes them once per turn of the
/// loop. It lives on the thread of the loop.
final class Connection: StreamOwner {
  /// What happens on a connection.
  enum News: Sendable {
    case connected
    case received(ServerLine)
    /// The kernel has taken what was written: there is room for requests again.
    case hasRoom
    case lost(String)
  }

  /// Requests wait while the kernel has not taken so many bytes.
  private static let comfortable = 1 << 20
  /// How deep a line may be nested unless the server is told otherwise.
  private static let deepest = 128
  static let tooDeep = BatonError.refused(
    code: "too_deep", message: "nested more than \(deepest) deep; flatten it or send it as a string")

  /// When bytes came last.
  private(set) var lastHeard = ContinuousClock.now
  /// How long a line the server takes, once it has said so.
  var maxLine = Int.max
  private let owner: (News) -> Void
  private let stream: Stream
  private var flushing: Hook?
  private var splitter = LineSplitter()
  /// Reads what comes.
  private var scanner = LineScanner(maximumDepth: 10_000)
  /// Looks over what is sent.
  private var checker = LineScanner(maximumDepth: Connection.deepest)
  private var unsent: [UInt8] = []
  private var written: UnsafeMutableRawBufferPointer?
  private var isConnected = false
  private var isEnding = false

  /// Asks for a connection.
  init(to endpoint: Endpoint, on loop: Loop, owner: @escaping (News) -> Void) throws(UVError) {
    self.owner = owner
    switch endpoint {
    case .tcp(let host, let port):
      let address = try Address.resolve(host: host, port: port, on: loop)
      stream = try Stream(.tcp, on: loop)
      try Connection.closed(stream) { (stream) throws(UVError) in try stream.connect(to: address) }
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

  /// Whether a request may be written now.
  var hasRoom: Bool { unsentCount < Connection.comfortable }

  /// Whether the server can read a line, which is known to be JSON. It would answer one that is nested too deep without
  /// its id, and nobody knew which one it was.
  func isReadable(_ line: [UInt8]) -> Bool {
    // Each level takes two bytes.
    if line.count < Connection.deepest * 2 { return true }
    return line.withUnsafeBytes { checker.scan(UnsafeRawBufferPointer(rebasing: $0.dropLast())) } == nil
  }

  /// Sends a line at the end of this turn of the loop.
  func send(_ line: [UInt8]) { unsent += line }

  /// Sends a line that is complete.
  func tell(_ line: RequestLine) { send(line.ended) }

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

  /// Requests may wait for room.
  private func tellRoom(before: Int) {
    guard before >= Connection.comfortable, unsentCount < Connection.comfortable else { return }
    owner(.hasRoom)
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
    if taken == unsent.count { return unsent.removeAll(keepingCapacity: unsent.capacity < Connection.comfortable) }
    // The kernel is full. libuv waits for it, and needs memory that does not move.
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
    owner(.lost(why))
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
    lastHeard = .now
    owner(.connected)
  }

  func received(_ bytes: UnsafeRawBufferPointer, from stream: Stream) {
    lastHeard = .now
    splitter.split(bytes) { line in
      take(line)
      return !stream.isClosing
    }
  }

  private func take(_ line: UnsafeRawBufferPointer) {
    guard let line = ServerLine(line, by: &scanner) else {
      return fail("what answers there does not speak JSON lines: it is no Baton server")
    }
    owner(.received(line))
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
