internal import TLS
internal import UV

/// One connection to one NATS server: it connects, encrypts where that is wanted, says who it is, and carries words.
///
/// It makes no second attempt: who has it does. It lives on the thread of its loop.
final class NATSLine: StreamOwner {
  /// What its owner is told. Nothing comes after `ended`.
  enum News {
    /// The server knows this client, and hears it.
    case open(NATSInfo)
    case message(NATSMessage)
    /// The server refuses something and goes on: a right is missing.
    case refused(String)
    /// The connection is over; why.
    case ended(String)
  }

  private enum Phase { case connecting, greeting, handshake, asking, open, over }

  private let place: NATSPlace
  private let plan: NATSPlan
  private let loop: Loop
  private let tell: (News) -> Void
  private var phase = Phase.connecting
  private var search: AddressSearch?
  private var left: ArraySlice<Address> = []
  private var stream: UV.Stream?
  private var session: TLSSession?
  private var reader = NATSReader()
  private var info: NATSInfo?
  private var unsent: [UInt8] = []
  private var timer: Timer?
  /// When the oldest PING without an answer was sent, in microseconds of the monotonic clock; nil: all are answered.
  private var asked: Int64?
  /// How long it took to answer the latest PING, in milliseconds; nil before the first one.
  private(set) var milliseconds: Int?

  /// Milliseconds until a server has said INFO; from one for encryption alone none comes, and the handshake begins.
  private static let infoTime: Int64 = 500
  /// Milliseconds until a connection is open, from one PING to the next, and until one has to be answered.
  private static let openTime: Int64 = 4000
  private static let pingTime: Int64 = 2000
  private static let pongTime: Int64 = 4000
  /// The most bytes that wait to be written.
  private static let mostUnsent = 32 << 20

  init(to place: NATSPlace, _ plan: NATSPlan, on loop: Loop, tell: @escaping (News) -> Void) throws(UVError) {
    (self.place, self.plan, self.loop, self.tell) = (place, plan, loop, tell)
    timer = try Timer(on: loop) { [unowned self] in timeIsOver() }
    wait(NATSLine.openTime)
    do throws(UVError) {
      if let address = try? Address(numericHost: place.host, port: place.port) {
        left = [address]
        try connectNext()
      } else {
        search = try AddressSearch(host: place.host, port: place.port, on: loop) { [weak self] in self?.take($0) }
      }
    } catch {
      close()
      throw error
    }
  }

  /// Ends it. Its owner is told nothing.
  func close() {
    phase = .over
    search?.cancel()
    search = nil
    timer?.close()
    stream?.close()
    (stream, session, unsent) = (nil, nil, [])
  }

  private func end(_ why: String) {
    guard phase != .over else { return }
    close()
    tell(.ended(why))
  }

  private func wait(_ milliseconds: Int64) {
    timer?.set(microseconds: MonotonicClock.microseconds + milliseconds * 1000)
  }

  // MARK: Connecting

  private func take(_ found: Result<[Address], UVError>) {
    search = nil
    guard phase == .connecting else { return }
    do throws(UVError) {
      left = try found.get()[...]
      try connectNext()
    } catch {
      end("\(error)")
    }
  }

  private func connectNext() throws(UVError) {
    guard let address = left.popFirst() else { return }
    let stream = try UV.Stream(.tcp, on: loop)
    do throws(UVError) { try stream.connect(to: address) } catch {
      stream.close()
      if left.isEmpty { throw error }
      return try connectNext()
    }
    stream.owner = self
    self.stream = stream
  }

  func connected(_ stream: UV.Stream) {
    stream.setNoDelay()
    stream.setKeepAlive(seconds: 10)
    phase = .greeting
    wait(place.isEncrypted ? NATSLine.infoTime : NATSLine.openTime)
    do throws(UVError) { try stream.startReading() } catch { end("\(error)") }
  }

  private func timeIsOver() {
    switch phase {
    case .greeting where place.isEncrypted: beginHandshake()
    case .connecting, .greeting, .handshake, .asking: end("it does not answer")
    case .open: pingAgain()
    case .over: break
    }
  }

  // MARK: Encryption

  private func beginHandshake() {
    guard let context = plan.tls else { return end("it wants encryption, and this client has none") }
    phase = .handshake
    wait(NATSLine.openTime)
    do throws(TLSError) { session = try TLSSession(context, host: place.host) } catch { return end("\(error)") }
    shakeHands()
  }

  private func shakeHands() {
    guard let session else { return }
    let progress = session.shakeHands()
    unsent += session.takeOutgoing()
    switch progress {
    case .waits: flush()
    case .failed(let error):
      flush()
      end("\(error)")
    case .done:
      flush()
      if info != nil { greet() } else { phase = .greeting }
      decrypt()
    }
  }

  private func decrypt() {
    guard let session else { return }
    withUnsafeTemporaryAllocation(byteCount: TLSSession.recordSize, alignment: 16) { buffer in
      while phase != .over {
        switch session.read(into: buffer) {
        case .bytes(let count): take(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        case .nothing: return
        case .end: return end("it has closed the connection")
        case .failed(let error): return end("\(error)")
        }
      }
    }
  }

  // MARK: Words

  private func take(_ bytes: UnsafeRawBufferPointer) {
    reader.feed(bytes)
    do throws(NATSReader.Fault) {
      while phase != .over, let word = try reader.next() { take(word) }
    } catch {
      end(error.what)
    }
  }

  private func take(_ word: NATSReader.Word) {
    switch word {
    case .info(let json): take(info: json)
    case .ping: send("PONG\r\n")
    case .pong: answered()
    case .message(let message): if phase == .open { tell(.message(message)) }
    case .error(let what):
      // A missing right ends nothing. What else a server complains about, it ends the connection for.
      if phase == .open, what.lowercased().hasPrefix("permissions violation") {
        tell(.refused(what))
      } else {
        end(what)
      }
    }
  }

  private func take(info json: [UInt8]) {
    guard let info = NATSInfo(json) else { return end("what it says of itself cannot be read") }
    self.info = info
    if info.ldm == true { return end("it ends soon") }
    guard phase == .greeting else { return }
    if session == nil, place.isEncrypted || info.tlsRequired == true {
      guard info.tlsRequired == true || info.tlsAvailable == true else {
        return end("it has no encryption, and tls:// wants it")
      }
      return beginHandshake()
    }
    greet()
  }

  private func greet() {
    phase = .asking
    wait(NATSLine.openTime)
    var greeting = NATSGreeting(name: plan.name, version: plan.version, tls_required: session != nil)
    switch plan.credentials {
    case .user(let user, let password): (greeting.user, greeting.pass) = (user, password)
    case .token(let token): greeting.auth_token = token
    case .key(let key, let proof):
      guard let nonce = info?.nonce else { return end("it gives nothing to sign: it knows no keys of users") }
      (greeting.nkey, greeting.jwt) = (proof == nil ? key.name : nil, proof)
      greeting.sig = key.signature(of: nonce)
    case nil: break
    }
    send(greeting.line)
    ping()
  }

  private func ping() {
    asked = asked ?? MonotonicClock.microseconds
    send("PING\r\n")
  }

  private func answered() {
    if let asked { milliseconds = Int((MonotonicClock.microseconds - asked) / 1000) }
    asked = nil
    guard phase == .asking, let info else { return }
    phase = .open
    wait(NATSLine.pingTime)
    tell(.open(info))
  }

  private func pingAgain() {
    if let asked, MonotonicClock.microseconds - asked >= NATSLine.pongTime * 1000 { return end("it does not answer") }
    ping()
    wait(NATSLine.pingTime)
  }

  // MARK: Bytes

  func send(_ text: String) { send(Array(text.utf8)) }

  /// Sends all of it, in the order of the calls.
  func send(_ bytes: [UInt8]) {
    guard phase != .over else { return }
    guard let session, session.isEstablished else {
      unsent += bytes
      return flush()
    }
    bytes.withUnsafeBytes { all in
      var rest = all[...]
      do throws(TLSError) {
        while !rest.isEmpty { rest = rest.dropFirst(try session.write(UnsafeRawBufferPointer(rebasing: rest))) }
      } catch {
        end("\(error)")
      }
    }
    unsent += session.takeOutgoing()
    flush()
  }

  private func flush() {
    guard let stream, !stream.isWriting, !stream.isClosing, !unsent.isEmpty else {
      if unsent.count > NATSLine.mostUnsent { end("it does not read") }
      return
    }
    let bytes = unsent
    unsent = []
    bytes.withUnsafeBytes { all in
      do throws(UVError) { try stream.write(copyOf: all) } catch { end("\(error)") }
    }
  }

  // MARK: StreamOwner

  func received(_ bytes: UnsafeRawBufferPointer, from stream: UV.Stream) {
    guard stream === self.stream else { return }
    guard let session else { return take(bytes) }
    session.feed(bytes)
    if session.isEstablished { decrypt() } else { shakeHands() }
  }

  func ended(_ stream: UV.Stream) { if stream === self.stream { end("it has closed the connection") } }

  func wrote(_ count: Int, to stream: UV.Stream) { if stream === self.stream { flush() } }

  func failed(_ stream: UV.Stream, _ error: UVError) {
    guard stream === self.stream else { return }
    stream.close()
    self.stream = nil
    guard phase == .connecting, !left.isEmpty else { return end("\(error)") }
    do throws(UVError) { try connectNext() } catch { end("\(error)") }
  }

  func closed(_ stream: UV.Stream) {}
}
