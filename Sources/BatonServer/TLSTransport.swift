internal import BatonCore
internal import TLS
internal import UV

/// A TCP stream whose bytes are encrypted.
///
/// What a turn brings is encrypted in one piece. Plain bytes count as taken when the kernel has all of their ciphertext:
/// until then they are unsent. Handshakes run on libuv's threads; nothing is read meanwhile.
final class TLSTransport: Transport {
  private enum Phase {
    case handshake
    case open
    /// The peer speaks plain text. It is told, and what it sends is dropped.
    case refused
  }

  private let stream: UV.Stream
  /// Where the peer is. The system does not know it any more when the peer has gone.
  private let address: UV.Address?
  /// Nil while another thread has it, for a step of the handshake: so nothing else can touch it.
  private var session: TLSSession?
  private unowned let server: Server
  private var owner: (any TransportOwner)?
  private var phase = Phase.handshake
  /// The step of the handshake that runs on another thread.
  private var work: Work?
  private var records = HandshakeRecords()
  /// The end of the handshake's time; nil when it is done.
  private var timer: Timer?
  private var handshakeEnds: Int64 = 0
  private var wantsReading = false
  /// Whether the peer has ended its writing in good order.
  private var hasEnded = false
  /// Ciphertext of the write that is under way; nil while there is none.
  private var writing: UnsafeMutableRawBufferPointer?
  /// The plain bytes in it.
  private var owed = 0
  /// Whether the writing side ends when all is written.
  private var isEnding = false
  private var hasShutDown = false

  /// Bytes that OpenSSL wants to say of itself while the peer does not read: more is no conversation.
  private static let mostOwnBytes = 16 << 10

  init(_ stream: UV.Stream, _ session: TLSSession, server: Server) {
    self.stream = stream
    address = stream.peerAddress
    self.session = session
    self.server = server
    stream.readsLittle = true
  }

  deinit { writing?.deallocate() }

  var peer: String { stream.peer }
  var isClosing: Bool { stream.isClosing }
  var isWriting: Bool { writing != nil }
  var isReady: Bool { phase == .open }

  func handOver(to owner: any TransportOwner) { self.owner = owner }

  func attach(_ owner: any TransportOwner) {
    self.owner = owner
    stream.owner = self
    do throws(UVError) {
      timer = try Timer(on: server.loop) { [unowned self] in handshakeIsLate() }
      let time = Int64(server.handshakeMilliseconds) * 1000
      setTimer(MonotonicClock.microseconds + time)
      try stream.startReading()
    } catch {
      owner.failed(error.description)
    }
  }

  func setReading(_ isWanted: Bool) throws(TransportError) {
    wantsReading = isWanted
    if phase == .open, !hasEnded { try stream.setReading(isWanted) }
  }

  /// A step of a handshake may run on another thread: nothing is fed to it meanwhile.
  func readNow() { if phase == .open, !hasEnded { stream.readNow() } }

  func close() {
    work?.cancel()
    timer?.close()
    timer = nil
    stream.close()
  }

  /// Without close_notify, the peer would take it for a cut. It is told if the kernel has room.
  func closeInOrder() {
    if phase == .open, writing == nil, !isEnding, !isClosing {
      session?.endWriting()
      _ = try? flush(owing: 0)
    }
    close()
  }

  // MARK: Writing

  func take(_ unsent: borrowing Unsent) throws(TransportError) -> Int {
    guard phase == .open, writing == nil, let session else { return 0 }
    var count = 0
    do throws(TLSError) {
      count = try server.gathering(unsent.pieces) { bytes throws(TLSError) in try session.write(bytes) }
    } catch {
      throw TransportError(description: error.description)
    }
    guard try flush(owing: count) else { return 0 }
    return count
  }

  /// Gives the kernel the ciphertext that is to go out. Returns false if it did not take all: the rest is written as the
  /// peer takes it.
  private func flush(owing count: Int) throws(TransportError) -> Bool {
    // What another thread fills is taken when its step has ended.
    guard let session else { return false }
    guard writing == nil else {
      guard session.outgoing.count <= TLSTransport.mostOwnBytes else {
        throw TransportError(description: "the peer does not read what TLS has to say")
      }
      return false
    }
    let bytes = session.takeOutgoing()
    guard !bytes.isEmpty, !hasShutDown else { return true }
    do throws(UVError) {
      let taken = try bytes.withUnsafeBytes { stream.tryWriting($0) }.get()
      guard taken < bytes.count else { return true }
      let rest = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count - taken, alignment: 1)
      rest.copyBytes(from: bytes[taken...])
      (writing, owed) = (rest, count)
      try stream.write(UnsafeRawBufferPointer(rest))
      return false
    } catch {
      throw TransportError(description: error.description)
    }
  }

  func endWriting() throws(TransportError) {
    session?.endWriting()
    isEnding = true
    try flushAndEnd()
  }

  private func flushAndEnd() throws(TransportError) {
    guard try flush(owing: 0), isEnding, !hasShutDown else { return }
    hasShutDown = true
    try stream.endWriting()
  }

  // MARK: Handshake

  private func setTimer(_ end: Int64) {
    handshakeEnds = end
    timer?.set(microseconds: end)
  }

  /// A step that waits for a thread is not the peer's fault: its time is given back when it has ended.
  private func handshakeIsLate() {
    if work != nil { return }
    fail(
      phase == .refused ? "plain text came" : "no handshake within \(server.handshakeMilliseconds) ms (handshake_ms)")
  }

  private func shakeHands(_ session: TLSSession) {
    stream.stopReading()
    let result = HandshakeResult()
    let began = MonotonicClock.microseconds
    self.session = nil
    do throws(UVError) {
      work = try Work.run(on: server.loop) {
        result.progress = session.shakeHands()
      } end: { [self] _ in
        work = nil
        self.session = session
        guard !isClosing else { return }
        setTimer(handshakeEnds + MonotonicClock.microseconds - began)
        handshakeWentOn(result.progress)
      }
    } catch {
      fail(error.description)
    }
  }

  /// Written by one thread and read by another after that.
  private final class HandshakeResult: @unchecked Sendable {
    var progress = TLSSession.Progress.waits
  }

  private func handshakeWentOn(_ progress: TLSSession.Progress) {
    do throws(TransportError) {
      _ = try flush(owing: 0)
      switch progress {
      case .waits where records.areTooMany: fail("the handshake is too long")
      case .waits: try stream.setReading(true)
      case .failed(let error): fail(error.description)
      case .done:
        timer?.close()
        timer = nil
        phase = .open
        if let session { owner?.shookHands(server.facts(of: stream, session)) }
        try stream.setReading(wantsReading)
        decrypt()
      }
    } catch {
      fail(error.description)
    }
  }

  /// What a peer that speaks plain text is told.
  private var plainTextRefusal: [UInt8] {
    if session?.protocolName == .http {
      return HTTPDoor.refusal(
        400, code: .badRequest, message: "this port speaks TLS: write https: in place of http:, or use another port")
    }
    return Array(
      """
      {"op":"error","code":"not_json_lines","message":"this port speaks TLS: connect with tls:HOST:PORT, or with plain \
      lines at another port"}

      """.utf8)
  }

  private func refusePlainText() {
    phase = .refused
    _ = plainTextRefusal.withUnsafeBytes { stream.tryWriting($0) }
    try? stream.shutDown()
    setTimer(MonotonicClock.microseconds + 1_000_000)
    noteFailure("plain text came")
  }

  // MARK: Reading

  /// Hands on what can be decrypted, small records together.
  private func decrypt() {
    while !isClosing, !hasEnded, let owner, let session {
      let memory = server.plainText
      var count = 0
      var reading = TLSSession.Reading.bytes(0)
      while case .bytes(let more) = reading {
        count += more
        if count == memory.count { break }
        reading = session.read(into: UnsafeMutableRawBufferPointer(rebasing: memory[count...]))
      }
      if count > 0 { owner.received(UnsafeRawBufferPointer(rebasing: memory[..<count])) }
      switch reading {
      case .bytes: continue
      case .nothing: return answer()
      case .end:
        hasEnded = true
        // What comes after the end would be kept for nobody.
        stream.stopReading()
        // It may be another one than that which has heard the bytes.
        self.owner?.ended()
        return answer()
      case .failed(let error): return fail(error.description)
      }
    }
  }

  /// Writes what OpenSSL itself wants to say.
  private func answer() {
    do throws(TransportError) { _ = try flush(owing: 0) } catch { fail(error.description) }
  }

  private func fail(_ reason: String) {
    guard !isClosing else { return }
    // The other side is told in the words of TLS, if it takes them at once.
    _ = try? flush(owing: 0)
    if phase != .refused { noteFailure(reason) }
    owner?.failed(reason)
  }

  private func noteFailure(_ reason: String) {
    server.noteTLSFailure(reason, owner?.address ?? address?.description ?? peer, of: address)
  }
}

extension TLSTransport: StreamOwner {
  func received(_ bytes: UnsafeRawBufferPointer, from stream: UV.Stream) {
    switch phase {
    case .refused: return
    case .handshake:
      // It is not read from meanwhile.
      guard let session else { return fail("bytes came within a step of the handshake") }
      if records.bytes == 0, let first = bytes.first, first != TLSTransport.handshakeRecord {
        return refusePlainText()
      }
      session.feed(bytes)
      if records.take(bytes) { shakeHands(session) } else if records.areTooMany { fail("the handshake is too long") }
    case .open where !hasEnded:
      session?.feed(bytes)
      decrypt()
    case .open: return
    }
  }

  /// The first byte of a handshake.
  private static let handshakeRecord: UInt8 = 0x16

  func ended(_ stream: UV.Stream) {
    guard !hasEnded else { return }
    switch phase {
    case .refused: owner?.failed("plain text came")
    case .handshake: fail("the peer left in the handshake")
    // Whoever cuts the wire must not pass for a peer that has said all.
    case .open: fail("cut without close_notify")
    }
  }

  func wrote(_ count: Int, to stream: UV.Stream) {
    writing?.deallocate()
    writing = nil
    let told = owed
    owed = 0
    do throws(TransportError) {
      try flushAndEnd()
    } catch {
      fail(error.description)
    }
    if !isClosing, phase == .open { owner?.wrote(told) }
  }

  func failed(_ stream: UV.Stream, _ error: UVError) { owner?.failed(error.description) }

  func closed(_ stream: UV.Stream) {
    writing?.deallocate()
    writing = nil
    owner?.closed()
    owner = nil
  }
}
