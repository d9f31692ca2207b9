/// What a connection speaks through: bytes in, bytes out, how many were taken, an end.
///
/// A plain socket is the first of its kind. A transport that carries lines in another way (encrypted, or in frames) takes
/// them out of it and puts them into it here, in front of the connection and of the router.
///
/// The transport holds its connection, calls `received`, `ended`, `wrote` and `failed` on it from the loop, and `closed` as
/// the last. It never calls from within a call to itself.
protocol Transport: AnyObject {
  /// Who is at the other end, for the log.
  var peer: String { get }
  /// Whether `close` was called.
  var isClosing: Bool { get }
  /// Whether a `takeAll` is under way.
  var isWriting: Bool { get }

  /// Begins to tell `connection` what happens.
  func attach(_ connection: PeerConnection)

  /// Takes as many bytes as it can at once, and returns how many: 0 if it takes none or a write is under way.
  func take(_ buffers: UnsafeBufferPointer<UnsafeRawBufferPointer>) throws(TransportError) -> Int

  /// Begins a write of all `buffers`. Their memory stays until the connection is told `wrote` or `closed`. There is at
  /// most one write at a time.
  func takeAll(_ buffers: UnsafeBufferPointer<UnsafeRawBufferPointer>) throws(TransportError)

  /// Ends this side after the write that is under way. Call it once.
  func endWriting() throws(TransportError)

  /// Tells the connection what the peer sends, or leaves it where it is.
  func setReading(_ isWanted: Bool) throws(TransportError)

  /// Closes at once, whatever is under way. May be called twice.
  func close()
}

/// Why a transport can go on no longer; the description is for the log.
struct TransportError: Error, CustomStringConvertible {
  let description: String
}
