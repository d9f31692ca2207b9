internal import BatonCore
internal import TLS
internal import UV

/// Makes lines of the bytes that come. Gathers the lines that are to be sent, and writes them once per turn of the
/// loop, encrypted if the place is. It lives on the thread of the loop.
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
  static var checker: LineScanner { LineScanner(maximumDepth: deepest) }
  static let tooDeep = BatonError.refused(
    code: "too_deep", message: "nested more than \(deepest) deep; flatten it or send it as a string")

  /// When bytes came last.
  private(set) var lastHeard = ContinuousClock.now
  /// How long a line the server takes, once it has said so.
  private(set) var maxLine = Int.max
  /// What tells the server's start from all others, once it has said so.
  private(set) var serverStart: String?
  private let owner: (News) -> Void
  /// Until it is connected.
  private var reaching: Attempt?
  /// Nil until it is connected.
  private var stream: Stream?
  /// The encryption; nil if there is none.
  private let tls: TLSSession?
  private var flushing: Hook?
  /// The end of the attempt's time; nil once the server has said `welcome`.
  private var attempt: Timer?
  /// When the server must have said `welcome`, on the clock of timers.
  private let heardUntil: Int64
  private var splitter = LineSplitter()
  /// Reads what comes.
  private var scanner = LineScanner(maximumDepth: 10_000)
  /// Looks over what is sent.
  private var checker = Connection.checker
  /// Lines that are to be encrypted.
  private var plain: [UInt8] = []
  /// Bytes that are to be written.
  private var unsent: [UInt8] = []
  private var written: UnsafeMutableRawBufferPointer?
  private var isEnding = false
  private var isClosed = false

  /// Why nothing can be asked for, in words.
  struct Failure: Error {
    let why: String
  }

  /// Asks for a connection, which is encrypted if the place is. After these times it is lost if it does not stand, or if the
  /// server has not said `welcome`.
  init(
    to endpoint: Endpoint, _ encryption: TLSContext?, within times: (connecting: Duration, hearing: Duration),
    on loop: Loop, owner: @escaping (News) -> Void
  ) throws(Failure) {
    self.owner = owner
    let now = MonotonicClock.microseconds
    heardUntil = now + Int64(times.hearing.milliseconds) * 1000
    do {
      tls = try endpoint.isEncrypted ? encryption.map { try TLSSession($0, host: endpoint.host) } : nil
      reaching = try Attempt(to: endpoint.socket, on: loop) { [weak self] in self?.reach($0) }
    } catch {
      throw Failure(why: "\(error)")
    }
    do throws(UVError) {
      let timer = try Timer(on: loop) { [weak self] in
        self.map { $0.fail("no answer within \($0.stream == nil ? times.connecting : times.hearing)") }
      }
      timer.set(microseconds: now + Int64(times.connecting.milliseconds) * 1000)
      attempt = timer
    } catch {
      reaching?.close()
      throw Failure(why: error.description)
    }
  }

  /// The server says what it is: the attempt has come to its end.
  func welcomed(_ line: ServerLine) {
    attempt?.close()
    attempt = nil
    serverStart = line.text("start")
    maxLine = line.integer("max_line", from: 1) ?? maxLine
  }

  /// Bytes that the kernel has not taken yet.
  var unsentCount: Int { plain.count + unsent.count + (written?.count ?? 0) }

  /// When the server's certificate ends, in seconds since 1970; nil without one.
  var certificateEnd: Int? { tls?.peerExpires }

  /// Whether a request may be written now.
  var hasRoom: Bool { unsentCount < Connection.comfortable }

  /// Whether the server can read a line, which is known to be JSON. It would answer one that is nested too deep without
  /// its id, and nobody knew which one it was.
  func isReadable(_ line: [UInt8]) -> Bool { Connection.isReadable(line, by: &checker) }

  private static func isReadable(_ line: [UInt8], by checker: inout LineScanner) -> Bool {
    // Each level takes two bytes.
    if line.count < deepest * 2 { return true }
    return line.withUnsafeBytes { checker.scan(UnsafeRawBufferPointer(rebasing: $0.dropLast())) } == nil
  }

  /// Why the server must not get this line as an answer: for people, and for whoever has sent the message.
  func fault(ofAnswer line: [UInt8]) -> String? { Connection.fault(ofAnswer: line, most: maxLine, by: &checker) }

  /// The same for a server that takes lines of so many bytes.
  static func fault(ofAnswer line: [UInt8], most: Int, by checker: inout LineScanner) -> String? {
    guard line.count <= most else { return "the answer has \(line.count) bytes; the server takes \(most)" }
    return isReadable(line, by: &checker) ? nil : "the answer is \(tooDeep)"
  }

  /// Sends a line at the end of this turn of the loop.
  func send(_ line: [UInt8]) {
    if Debug.isOn { Debug.show("→", line) }
    if tls == nil { unsent += line } else { plain += line }
  }

  /// Sends a line that is complete.
  func tell(_ line: RequestLine) { send(line.ended) }

  /// Closes once everything is written.
  func end() {
    isEnding = true
    flush()
  }

  /// Closes now.
  func close() {
    if let tls, let stream, !isClosed {
      // The goodbye of TLS, or what is wrong in its words, if the kernel takes it at once.
      tls.endWriting()
      _ = tls.takeOutgoing().withUnsafeBytes { stream.tryWriting($0) }
    }
    isClosed = true
    reaching?.close()
    stream?.close()
    flushing?.close()
    attempt?.close()
  }

  private func flush() {
    guard let stream, !isClosed else { return }
    let before = unsentCount
    do {
      if stream.writing == nil {
        try encrypt()
        if !unsent.isEmpty { try writeUnsent(to: stream) }
      }
    } catch {
      return failed("\(error)")
    }
    if isEnding, unsentCount == 0 { close() }
    tellRoom(before: before)
  }

  /// Requests may wait for room.
  private func tellRoom(before: Int) {
    guard before >= Connection.comfortable, unsentCount < Connection.comfortable else { return }
    owner(.hasRoom)
  }

  /// Makes ciphertext of the lines, and of what TLS itself has to say.
  private func encrypt() throws {
    guard let tls else { return }
    if tls.isEstablished {
      try tls.encrypt(plain)
      plain.removeAll(keepingCapacity: plain.capacity < Connection.comfortable)
    }
    unsent += tls.takeOutgoing()
  }

  private func writeUnsent(to stream: Stream) throws(UVError) {
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

  /// The socket takes no more. The server may have said before why.
  private func failed(_ why: String) {
    stream?.takeAtHand()
    if !isClosed { fail(why) }
  }

  private func shakeHands(_ tls: TLSSession) {
    switch tls.shakeHands() {
    case .waits: return
    case .failed(let error): fail(Encryption.words(error))
    case .done:
      stand()
      decrypt(tls)
    }
  }

  private func decrypt(_ tls: TLSSession) {
    let end = tls.decrypt { bytes in
      split(bytes)
      return !isClosed
    }
    if let end, !isClosed { fail(end) }
  }

  private func reach(_ result: Result<Stream, UVError>) {
    reaching = nil
    switch result {
    case .success(let stream): begin(stream)
    case .failure(let error): fail(error.description)
    }
  }

  private func begin(_ stream: Stream) {
    self.stream = stream
    stream.owner = self
    attempt?.set(microseconds: heardUntil)
    stream.setNoDelay()
    stream.setKeepAlive(seconds: 60)
    do throws(UVError) {
      flushing = try Hook(.beforeWaiting, on: stream.loop) { [unowned self] in flush() }
      try stream.startReading()
    } catch {
      return fail(error.description)
    }
    if let tls { shakeHands(tls) } else { stand() }
  }

  /// Lines may go both ways.
  private func stand() {
    lastHeard = .now
    owner(.connected)
  }

  // MARK: StreamOwner

  func received(_ bytes: UnsafeRawBufferPointer, from stream: Stream) {
    lastHeard = .now
    guard let tls else { return split(bytes) }
    tls.feed(bytes)
    if tls.isEstablished { decrypt(tls) } else { shakeHands(tls) }
  }

  private func split(_ bytes: UnsafeRawBufferPointer) {
    let isLine = splitter.split(bytes) { line in
      take(line)
      return !isClosed
    }
    if !isLine, !isClosed { fail("what answers there sends a line without an end: it is no Baton server") }
  }

  private func take(_ line: UnsafeRawBufferPointer) {
    guard let line = ServerLine(line, by: &scanner) else {
      return fail(
        line.starts(with: "HTTP/".utf8)
          ? "what answers there speaks HTTP; a Baton server takes lines at another port, 22866 if it does not say otherwise"
          : "what answers there does not speak JSON lines: it is no Baton server")
    }
    if Debug.isOn { Debug.show("←", line.whole.bytes) }
    owner(.received(line))
  }

  func ended(_ stream: Stream) {
    let isCut = tls?.isEstablished == true
    fail(isCut ? "the connection was cut, without the goodbye of TLS" : "the server has closed the connection")
  }

  func wrote(_ count: Int, to stream: Stream) {
    let before = unsentCount
    written?.deallocate()
    written = nil
    flush()
    tellRoom(before: before)
  }

  func failed(_ stream: Stream, _ error: UVError) { failed(error.description) }

  func closed(_ stream: Stream) {
    written?.deallocate()
    written = nil
  }
}
