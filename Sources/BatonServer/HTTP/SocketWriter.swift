/// Writes bytes through a transport in their order, and keeps what it does not take at once.
final class SocketWriter {
  private let transport: any Transport
  /// The bytes that are being written: they stay where they are until that is done.
  private var written: UnsafeMutableRawBufferPointer?
  /// The bytes that come behind them.
  private var queued: [UInt8] = []

  init(_ transport: any Transport) { self.transport = transport }

  deinit { written?.deallocate() }

  /// The bytes that the transport has not taken.
  var count: Int { (written?.count ?? 0) + queued.count }
  /// Whether the transport has taken everything.
  var isEmpty: Bool { written == nil && queued.isEmpty }

  /// Writes `bytes` behind all others. Returns whether the transport has taken them.
  func send(_ bytes: UnsafeRawBufferPointer) throws(TransportError) -> Bool {
    // The transport may have something of its own to write.
    guard isEmpty, !transport.isWriting else {
      queued.append(contentsOf: bytes)
      return false
    }
    return try give(bytes)
  }

  func send(_ bytes: [UInt8]) throws(TransportError) -> Bool {
    var failure: TransportError?
    let isTaken = bytes.withUnsafeBytes { raw in
      do throws(TransportError) {
        return try send(raw)
      } catch {
        failure = error
        return false
      }
    }
    if let failure { throw failure }
    return isTaken
  }

  /// The transport's write is done: the next bytes follow. Returns whether it has taken everything.
  func wrote() throws(TransportError) -> Bool {
    written?.deallocate()
    written = nil
    guard !queued.isEmpty else { return true }
    guard !transport.isWriting else { return false }
    let next = queued
    queued = []
    return try send(next)
  }

  private func give(_ bytes: UnsafeRawBufferPointer) throws(TransportError) -> Bool {
    guard !bytes.isEmpty else { return true }
    let taken = try withUnsafePointer(to: bytes) { (one) throws(TransportError) in
      try transport.take(UnsafeBufferPointer(start: one, count: 1))
    }
    guard taken < bytes.count else { return true }
    let rest = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count - taken, alignment: 1)
    rest.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[taken...]))
    written = rest
    try withUnsafePointer(to: UnsafeRawBufferPointer(rest)) { (one) throws(TransportError) in
      try transport.takeAll(UnsafeBufferPointer(start: one, count: 1))
    }
    return false
  }
}
