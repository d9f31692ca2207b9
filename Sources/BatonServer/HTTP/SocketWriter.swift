/// Writes bytes through a transport in their order, and keeps what it does not take at once.
final class SocketWriter {
  private let transport: any Transport
  /// The bytes that the transport has not taken, behind those that it has.
  private var queued: [UInt8] = []
  private var taken = 0

  init(_ transport: any Transport) { self.transport = transport }

  /// The bytes that the transport has not taken.
  var count: Int { queued.count - taken }
  /// Whether the transport has taken everything.
  var isEmpty: Bool { count == 0 }

  /// Writes `bytes` behind all others. Returns whether the transport has taken them.
  func send(_ bytes: UnsafeRawBufferPointer) throws(TransportError) -> Bool {
    // The transport may have something of its own to write.
    guard isEmpty, !transport.isWriting, !bytes.isEmpty else {
      queued.append(contentsOf: bytes)
      return isEmpty
    }
    let count = try transport.take(bytes)
    if count < bytes.count { queued.append(contentsOf: bytes[count...]) }
    return isEmpty
  }

  func send(_ bytes: [UInt8]) throws(TransportError) -> Bool {
    try bytes.withUnsafeBufferPointer { (all) throws(TransportError) in try send(UnsafeRawBufferPointer(all)) }
  }

  /// The transport has taken so many more bytes: the next ones follow. Returns whether it has taken everything.
  func wrote(_ count: Int) throws(TransportError) -> Bool {
    drop(count)
    if !isEmpty, !transport.isWriting {
      drop(
        try queued.withUnsafeBufferPointer { (all) throws(TransportError) in
          try transport.take(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: all[taken...])))
        })
    }
    return isEmpty
  }

  private func drop(_ count: Int) {
    taken += count
    if isEmpty { (queued, taken) = ([], 0) }
  }
}
