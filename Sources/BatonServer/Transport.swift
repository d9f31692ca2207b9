internal import BatonCore
internal import UV

/// What a connection speaks through: bytes in, bytes out, how many were taken, an end.
///
/// A plain socket is the first transport. Another one may carry lines encrypted or in frames. It unwraps and wraps the
/// bytes itself, so that the connection and the router see plain bytes only.
///
/// The transport holds its owner. From the loop it calls `received`, `ended`, `wrote` and `failed` on it, and `closed`
/// last. It never calls them from within a call to itself.
protocol Transport: AnyObject {
  /// The address of the other end, for the log and for `inspect`. It is asked for once.
  var peer: String { get }
  /// Whether `close` was called.
  var isClosing: Bool { get }
  /// Whether bytes wait that it could not take at once.
  var isWriting: Bool { get }

  /// Whether it takes bytes. A transport that is not ready yet ends without having written anything.
  var isReady: Bool { get }

  /// The most bytes that it is given to take at once.
  var mostAtOnce: Int { get }

  /// Begins to tell `owner` what happens. Called once.
  func attach(_ owner: any TransportOwner)

  /// Tells another owner what happens from now on, and nothing more to the one before.
  func handOver(to owner: any TransportOwner)

  /// Takes as many of the bytes as it can at once, and returns how many: 0 if it takes none, or `isWriting`. If it is ready and
  /// does not take all, it tells its owner `wrote` when it takes more.
  func take(_ unsent: borrowing Unsent) throws(TransportError) -> Int

  /// Ends this side after the write that is under way. Call it once.
  func endWriting() throws(TransportError)

  /// Begins to read what the peer sends and to tell the connection, or stops reading.
  func setReading(_ isWanted: Bool) throws(TransportError)

  /// Tells the connection what has come already, and nobody has read. What a transport does of itself, it may leave for later.
  func readNow()

  /// Closes at once, even if a write is under way. May be called twice.
  func close()

  /// Closes when all is written. A transport that can tell an end from a cut says that this is the end.
  func closeInOrder()
}

extension Transport {
  /// Takes what stands in one piece.
  func take(_ bytes: UnsafeRawBufferPointer) throws(TransportError) -> Int {
    try withUnsafePointer(to: bytes) { (one) throws(TransportError) in
      try take(Unsent(UnsafeBufferPointer(start: one, count: 1)))
    }
  }

  var mostAtOnce: Int { 64 << 10 }
  func readNow() {}
  func closeInOrder() { close() }
}

/// Who speaks through a transport: the connection of a peer, or a door in front of one.
protocol TransportOwner: StreamOwner {
  /// Where the peer is, for the log.
  var address: String { get }

  /// Bytes have come. They are valid only during the call.
  func received(_ bytes: UnsafeRawBufferPointer)
  /// The peer has ended its writing.
  func ended()
  /// Of the bytes that it could not take at once, it has taken so many more.
  func wrote(_ count: Int)
  /// The transport cannot go on. The owner closes it.
  func failed(_ reason: String)
  /// The transport is closed to the end.
  func closed()
  /// The encryption has begun. `facts` are what is known of the peer now.
  func shookHands(_ facts: PeerFacts)
}

/// What a libuv stream calls. It is spelled out where each call counts: see `PeerConnection`.
extension TransportOwner {
  func received(_ bytes: UnsafeRawBufferPointer, from stream: UV.Stream) { received(bytes) }
  func ended(_ stream: UV.Stream) { ended() }
  func wrote(_ count: Int, to stream: UV.Stream) { wrote(count) }
  func failed(_ stream: UV.Stream, _ error: UVError) { failed(error.description) }
  func closed(_ stream: UV.Stream) { closed() }
}

/// Why a transport cannot go on; the description is for the log.
struct TransportError: Error, CustomStringConvertible {
  let description: String
}
