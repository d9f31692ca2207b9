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
  /// The connection broke.
  func failed(_ error: UVError)
  /// The stream is closed. Nothing follows.
  func closed()
}

/// A connection to the server. It cuts what comes into lines, and keeps what it writes until the kernel has taken it.
///
/// It is not a `Peer`, because a `Peer` blocks. Here one thread has dozens of connections, which all send, read and
/// leave at random.
final class LineStream: StreamOwner {
  weak var owner: (any LineStreamOwner)?
  private let stream: UV.Stream
  private var isConnected = false
  private var unfinished: [UInt8] = []
  private let memory: UnsafeMutableRawBufferPointer

  /// The most bytes that one write can take.
  static let writeSize = 64 << 10

  /// Connects to a place of this machine as start-up prints it: `tcp 127.0.0.1:PORT` or `unix PATH`.
  init(_ place: String, on loop: Loop) throws {
    memory = .allocate(byteCount: Self.writeSize, alignment: 16)
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

  deinit { memory.deallocate() }

  /// True while a write is under way: the next one has to wait for `wrote`.
  var isWriting: Bool { stream.writing != nil }

  /// Writes at most `writeSize` bytes.
  func write(_ bytes: ArraySlice<UInt8>) {
    guard !stream.isClosing else { return }
    memory.copyBytes(from: bytes)
    let buffer = UnsafeRawBufferPointer(rebasing: memory[..<bytes.count])
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
    attempt { () throws(UVError) in try stream.shutDown() }
  }

  func close() { stream.close() }

  /// Does the action, or tells the owner that the connection is broken.
  private func attempt(_ action: () throws(UVError) -> Void) {
    do throws(UVError) { try action() } catch { owner?.failed(error) }
  }

  // MARK: From the stream

  func connected(_ stream: UV.Stream) {
    isConnected = true
    stream.setNoDelay()
    setReading(true)
    owner?.connected()
  }

  func received(_ bytes: UnsafeRawBufferPointer, from stream: UV.Stream) {
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

  func ended(_ stream: UV.Stream) { owner?.ended() }

  func wrote(_ count: Int, to stream: UV.Stream) { owner?.wrote() }

  func failed(_ stream: UV.Stream, _ error: UVError) { owner?.failed(error) }

  func closed(_ stream: UV.Stream) { owner?.closed() }
}
