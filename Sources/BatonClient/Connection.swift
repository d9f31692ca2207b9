internal import BatonCore
internal import TLS
internal import UV

/// Makes lines of the bytes that come. Gathers the lines that are to be sent, and writes them once per turn of the
/// loop. It lives on the thread of the loop. Where the place is encrypted, all bytes go through a session of TLS.
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
  /// The same, encrypted, and what TLS itself has to say.
  private var sealed: [UInt8] = []
  private var written: UnsafeMutableRawBufferPointer?
  /// Nil if the connection is not encrypted.
  private let session: TLSSession?
  /// For an encrypted connection: the time until it has begun.
  private var patience: Timer?
  private var isConnected = false
  private var isEnding = false

  /// How long an encrypted connection may take to begin.
  private static let handshakeSeconds: Int64 = 10

  /// Asks for a connection. With a session, it will be encrypted.
  init(
    to endpoint: Endpoint, _ session: TLSSession?, on loop: Loop, owner: @escaping (News) -> Void
  ) throws(UVError) {
    self.owner = owner
    self.session = session
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
    guard session != nil else { return }
    let patience = try Timer(on: loop) { [unowned self] in
      fail("no answer within \(Connection.handshakeSeconds) s; does a port of Baton for TLS answer there?")
    }
    patience.set(microseconds: MonotonicClock.microseconds + Connection.handshakeSeconds * 1_000_000)
    self.patience = patience
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
  var unsentCount: Int { unsent.count + sealed.count + (written?.count ?? 0) }

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
    if let session, isConnected, !stream.isClosing, written == nil {
      // Otherwise the server takes it for a cut. It is told if the kernel has room.
      session.endWriting()
      _ = session.takeOutgoing().withUnsafeBytes { stream.tryWriting($0) }
    }
    patience?.close()
    patience = nil
    stream.close()
    flushing?.close()
  }

  private func flush() {
    guard isConnected, !stream.isClosing else { return }
    let before = unsentCount
    do throws(UVError) {
      if let session {
        try seal(with: session)
        try write(&sealed)
      } else {
        try write(&unsent)
      }
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

  /// Encrypts what is to be sent, unless the kernel has not taken what was encrypted before.
  private func seal(with session: TLSSession) throws(UVError) {
    guard sealed.isEmpty, written == nil else { return }
    do throws(TLSError) {
      var from = 0
      while from < unsent.count {
        let count = unsent.withUnsafeBytes { bytes in
          Result { () throws(TLSError) in try session.write(UnsafeRawBufferPointer(rebasing: bytes[from...])) }
        }
        from += try count.get()
      }
    } catch {
      return fail(error.words)
    }
    unsent.removeAll(keepingCapacity: unsent.capacity < Connection.comfortable)
    sealed = session.takeOutgoing()
  }

  private func write(_ bytes: inout [UInt8]) throws(UVError) {
    guard !bytes.isEmpty, written == nil, !stream.isClosing else { return }
    let taken = try bytes.withUnsafeBytes { stream.tryWriting($0) }.get()
    if taken == bytes.count { return bytes.removeAll(keepingCapacity: bytes.capacity < Connection.comfortable) }
    // The kernel is full. libuv waits for it, and needs memory that does not move.
    let rest = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count - taken, alignment: 1)
    rest.copyBytes(from: bytes[taken...])
    bytes.removeAll()
    written = rest
    try stream.write(UnsafeRawBufferPointer(rest))
  }

  private func fail(_ why: String) {
    close()
    owner(.lost(why))
  }

  // MARK: StreamOwner

  func connected(_ stream: Stream) {
    stream.setNoDelay()
    stream.setKeepAlive(seconds: 60)
    do throws(UVError) {
      flushing = try Hook(.beforeWaiting, on: stream.loop) { [unowned self] in flush() }
      try stream.startReading()
    } catch {
      return fail(error.description)
    }
    if let session { shakeHands(session) } else { open() }
  }

  private func open() {
    isConnected = true
    lastHeard = .now
    owner(.connected)
  }

  func received(_ bytes: UnsafeRawBufferPointer, from stream: Stream) {
    lastHeard = .now
    guard let session else { return split(bytes) }
    session.feed(bytes)
    if !isConnected { shakeHands(session) }
    if isConnected { unseal(with: session) }
  }

  private func split(_ bytes: UnsafeRawBufferPointer) {
    splitter.split(bytes) { line in
      take(line)
      return !stream.isClosing
    }
  }

  /// Goes on with the handshake, and says what TLS has to say.
  private func shakeHands(_ session: TLSSession) {
    let progress = session.shakeHands()
    sealed += session.takeOutgoing()
    do throws(UVError) { try write(&sealed) } catch { return fail(error.description) }
    switch progress {
    case .waits: break
    case .failed(let error): fail(error.words)
    case .done:
      patience?.close()
      patience = nil
      open()
    }
  }

  /// Decrypts what has come. What follows a cut is not taken.
  private func unseal(with session: TLSSession) {
    withUnsafeTemporaryAllocation(byteCount: TLSSession.recordSize, alignment: 1) { buffer in
      while !stream.isClosing {
        switch session.read(into: buffer) {
        case .bytes(let count): split(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        case .nothing: return
        case .end: return fail("the server has closed the connection")
        case .failed(let error): return fail(error.words)
        }
      }
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
