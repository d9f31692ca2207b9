import TLS
import UV

/// What a stream of lines tells its owner. All calls come from the loop.
protocol LineStreamOwner: AnyObject {
  /// The connection is open.
  func connected()
  /// A line has come, without its LF.
  func received(_ line: [UInt8])
  /// Everything that was given to `write` has left.
  func wrote()
  /// The server has shut down its writing side.
  func ended()
  /// The server has ended an encrypted connection without a word, as if it were cut.
  func cut()
  /// The connection broke.
  func failed(_ reason: String)
  /// The stream is closed. Nothing follows.
  func closed()
}

extension LineStreamOwner {
  func cut() { ended() }
}

/// A connection to the server, encrypted if it is told so. It cuts what comes into lines, and keeps what it writes until
/// the kernel has taken it.
///
/// It is not a `Peer`, because a `Peer` blocks. Here one thread has dozens of connections, which all send, read and
/// leave at random.
final class LineStream: StreamOwner {
  weak var owner: (any LineStreamOwner)?
  /// The most bytes that go to the kernel at once.
  var grain = Int.max
  /// One byte of the next ciphertext is to be another.
  var isToBeDamaged = false
  private let stream: UV.Stream
  private let session: TLSSession?
  private var isConnected = false
  private var hasEnded = false
  private var isEnding = false
  private var unfinished: [UInt8] = []
  /// Bytes that the kernel does not have yet, and those of the write that is under way.
  private var waiting: [UInt8] = []
  private let memory: UnsafeMutableRawBufferPointer
  private let plainText = UnsafeMutableRawBufferPointer.allocate(byteCount: TLSSession.recordSize, alignment: 16)

  /// The most bytes that one write can take.
  static let writeSize = 64 << 10

  /// Connects to a place of this machine as start-up prints it: `tcp 127.0.0.1:PORT`, `tls …` or `unix PATH`. With a
  /// context the connection is encrypted.
  init(_ place: String, _ context: TLSContext? = nil, on loop: Loop) throws {
    memory = .allocate(byteCount: Self.writeSize, alignment: 16)
    session = try context.map { context throws(TLSError) in try TLSSession(context, host: "localhost") }
    let isUnix = place.hasPrefix("unix ")
    stream = try UV.Stream(isUnix ? .unix : .tcp, on: loop)
    stream.owner = self
    if isUnix {
      stream.connect(toPath: String(place.dropFirst("unix ".count)))
    } else {
      let port = place.split(separator: ":").last.flatMap { UInt16($0) } ?? 0
      try stream.connect(to: Address(numericHost: "127.0.0.1", port: port))
    }
  }

  deinit {
    memory.deallocate()
    plainText.deallocate()
  }

  /// True while a write is under way: the next one has to wait for `wrote`.
  var isWriting: Bool { stream.writing != nil }

  /// Writes at most `writeSize` bytes.
  func write(_ bytes: ArraySlice<UInt8>) {
    guard !stream.isClosing else { return }
    guard let session else {
      waiting += bytes
      return push()
    }
    var rest = bytes
    while !rest.isEmpty {
      do {
        rest = rest.dropFirst(try rest.withUnsafeBytes { try session.write($0) })
      } catch {
        owner?.failed("\(error)")
        return
      }
    }
    push()
  }

  /// Gives the kernel what waits, as much as goes at once.
  private func push() {
    guard !isWriting, !stream.isClosing else { return }
    var news = session?.takeOutgoing() ?? []
    if isToBeDamaged, !news.isEmpty {
      isToBeDamaged = false
      news[news.count / 2] ^= 0x24
    }
    waiting += news
    guard !waiting.isEmpty else {
      if isEnding { attempt { () throws(UVError) in try stream.shutDown() } }
      isEnding = false
      return
    }
    let count = min(waiting.count, grain, Self.writeSize)
    memory.copyBytes(from: waiting[..<count])
    waiting.removeFirst(count)
    let buffer = UnsafeRawBufferPointer(rebasing: memory[..<count])
    attempt { () throws(UVError) in
      try withUnsafePointer(to: buffer) { pointer throws(UVError) in
        try stream.write(UnsafeBufferPointer(start: pointer, count: 1))
      }
    }
  }

  /// From now on lines are read, or left in the network.
  func setReading(_ reading: Bool) {
    guard isConnected, !stream.isClosing else { return }
    if reading { attempt { () throws(UVError) in try stream.startReading() } } else { stream.stopReading() }
  }

  /// Shuts down the writing side.
  func halfClose() {
    guard !stream.isClosing else { return }
    session?.endWriting()
    isEnding = true
    push()
  }

  /// Writes the first half of what these bytes take encrypted, and closes.
  func breakOff(within bytes: ArraySlice<UInt8>) {
    guard let session, !stream.isClosing else { return close() }
    _ = try? bytes.withUnsafeBytes { try session.write($0) }
    let record = session.takeOutgoing()
    if !isWriting { _ = record.prefix(record.count / 2).withUnsafeBytes { stream.tryWriting($0) } }
    close()
  }

  func close() { stream.close() }

  /// Does the action, or tells the owner that the connection is broken.
  private func attempt(_ action: () throws(UVError) -> Void) {
    do throws(UVError) { try action() } catch { owner?.failed(error.description) }
  }

  // MARK: From the stream

  func connected(_ stream: UV.Stream) {
    stream.setNoDelay()
    attempt { () throws(UVError) in try stream.startReading() }
    if session == nil { open() } else { shakeHands() }
  }

  private func open() {
    isConnected = true
    owner?.connected()
  }

  private func shakeHands() {
    guard let session else { return }
    let progress = session.shakeHands()
    push()
    switch progress {
    case .waits: break
    case .done:
      open()
      decrypt()
    case .failed(let error): owner?.failed(error.description)
    }
  }

  func received(_ bytes: UnsafeRawBufferPointer, from stream: UV.Stream) {
    guard let session else { return take(bytes) }
    session.feed(bytes)
    if session.isEstablished { decrypt() } else { shakeHands() }
  }

  private func decrypt() {
    while let session, !stream.isClosing, !hasEnded {
      switch session.read(into: plainText) {
      case .bytes(let count): take(UnsafeRawBufferPointer(rebasing: plainText[..<count]))
      case .nothing: return push()
      case .end:
        hasEnded = true
        owner?.ended()
      case .failed(let error):
        owner?.failed(error.description)
        return
      }
    }
  }

  private func take(_ bytes: UnsafeRawBufferPointer) {
    var rest = bytes[...]
    while let end = rest.firstIndex(of: 0x0A) {
      let line = unfinished + rest[..<end]
      unfinished = []
      rest = rest[(end + 1)...]
      owner?.received(line)
      if stream.isClosing { return }
    }
    unfinished += rest
  }

  func ended(_ stream: UV.Stream) {
    guard !hasEnded else { return }
    if session == nil { owner?.ended() } else { owner?.cut() }
  }

  func wrote(_ count: Int, to stream: UV.Stream) {
    push()
    if isConnected, !isWriting { owner?.wrote() }
  }

  func failed(_ stream: UV.Stream, _ error: UVError) { owner?.failed(error.description) }

  func closed(_ stream: UV.Stream) { owner?.closed() }
}
