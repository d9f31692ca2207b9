internal import BatonCore
internal import Logging
internal import UV

/// One peer: carries bytes between its transport and the router, and does with the transport what the router wishes.
///
/// It decides nothing about messages. The router is told `closed` only when the transport is fully closed, because the
/// transport may use the memory of unsent bytes until then.
final class PeerConnection {
  let id: ConnectionID
  /// Counts the connections of this server from 1, for the log.
  let number: Int
  /// Where the peer is: an address and port, or `unix`. It is kept, because `inspect` may ask a thousand connections at
  /// once, and each would ask the system. It is also known when the peer has gone.
  let address: String
  private let transport: any Transport
  let server: Server
  // Unchecked for its cost: see `Server.connections`.
  @exclusivity(unchecked) private var isReading = false
  @exclusivity(unchecked) private var hasEnded = false
  /// Whether it waits for its turn to be closed.
  @exclusivity(unchecked) private var isLeaving = false
  private var hasShutDown = false

  /// Bytes of a write that waits for a slow peer: enough to keep the kernel busy, few enough that its end is soon
  /// known.
  private static let slowWriteBytes = 16 << 10
  /// Bytes that one connection gets written in one turn. The rest comes in the next, so that nobody waits long for it.
  private static let bytesPerTurn = 64 << 10

  init(_ id: ConnectionID, number: Int, transport: any Transport, server: Server) {
    self.id = id
    self.number = number
    self.transport = transport
    address = transport.peer
    self.server = server
    transport.attach(self)
    server.logger.debug(
      "connection opened", metadata: ["connection": .stringConvertible(number), "peer": .string(address)])
  }

  // MARK: From the peer

  func received(_ bytes: UnsafeRawBufferPointer) {
    server.router.pointee.received(bytes, from: id, at: server.now)
  }

  func ended() {
    hasEnded = true
    isReading = false
    server.router.pointee.ended(id, at: server.now)
  }

  func failed(_ reason: String) { close(reason) }

  func wrote(_ count: Int) {
    server.router.pointee.wrote(count, to: id, at: server.now)
    // The rest is written in the turn, where the time for writing is counted.
    server.router.pointee.postpone(id)
  }

  func closed() {
    server.forget(self)
  }

  // MARK: To the peer

  /// Writes what is unsent and follows the router's wish, as far as the peer allows it.
  func carryOut(at now: Instant) {
    guard !transport.isClosing, !isLeaving else { return }
    do throws(TransportError) {
      if !transport.isWriting { try writeUnsent(at: now) }
      let wish = server.router.pointee.wish(for: id)
      if wish.ending != .open, !transport.isReady { return close(wish.reason) }
      switch wish.ending {
      case .close: return close(wish.reason)
      case .closeWhenWritten where hasWrittenAll: return close(wish.reason?.rawValue ?? "unknown", inOrder: true)
      case .shutDown where hasWrittenAll && !hasShutDown:
        hasShutDown = true
        try transport.endWriting()
      default: break
      }
      setReading(wish.reading)
    } catch {
      close(error.description)
    }
  }

  private var hasWrittenAll: Bool { !transport.isWriting && server.router.pointee.unsentCount(of: id) == 0 }

  /// Writes until everything is written or the transport takes no more. In the second case a write stays under way.
  private func writeUnsent(at now: Instant) throws(TransportError) {
    guard server.router.pointee.wish(for: id).ending != .close else { return }
    var used = 0
    var written = 0
    repeat {
      if written >= PeerConnection.bytesPerTurn { return server.router.pointee.postpone(id) }
      used = server.router.pointee.unsent(of: id, into: server.buffers)
      guard used > 0 else { return }
      let (buffers, offered) = firstBytes(PeerConnection.bytesPerTurn, of: used)
      let taken = try transport.take(buffers)
      server.router.pointee.wrote(taken, to: id, at: now)
      written += taken
      if taken < offered { return try writeSlowly() }
    } while used == server.buffers.count || written >= PeerConnection.bytesPerTurn
  }

  /// The transport takes no more: begins a write of the first unsent bytes, which goes on as the peer takes them.
  private func writeSlowly() throws(TransportError) {
    let used = server.router.pointee.unsent(of: id, into: server.buffers)
    guard used > 0 else { return }
    try transport.takeAll(firstBytes(PeerConnection.slowWriteBytes, of: used).buffers)
  }

  /// At most `most` bytes of the first `used` buffers of the server.
  private func firstBytes(
    _ most: Int, of used: Int
  ) -> (buffers: UnsafeBufferPointer<UnsafeRawBufferPointer>, count: Int) {
    var bytes = 0
    var count = 0
    while count < used, bytes < most {
      let rest = most - bytes
      if server.buffers[count].count > rest {
        server.buffers[count] = UnsafeRawBufferPointer(rebasing: server.buffers[count].prefix(rest))
      }
      bytes += server.buffers[count].count
      count += 1
    }
    return (UnsafeBufferPointer(rebasing: server.buffers[..<count]), bytes)
  }

  private func setReading(_ wanted: Bool) {
    guard wanted != isReading && !hasEnded else { return }
    isReading = wanted
    do throws(TransportError) { try transport.setReading(wanted) } catch { close(error.description) }
  }

  /// Ends the connection in this turn or in one of the next; the first reason counts.
  func close(_ reason: String, inOrder: Bool = false) {
    guard !transport.isClosing, !isLeaving else { return }
    if server.mayCloseNow { return closeNow(reason, inOrder: inOrder) }
    isLeaving = true
    isReading = false
    try? transport.setReading(false)
    server.closeLater(self, reason, inOrder: inOrder)
  }

  /// Ends the connection at once.
  func closeNow(_ reason: String, inOrder: Bool = false) {
    guard !transport.isClosing else { return }
    // The reason is told now and not kept: an idle connection takes 16 bytes less.
    server.logger.debug(
      "connection closed", metadata: ["connection": .stringConvertible(number), "reason": "\(reason)"])
    if inOrder { transport.closeInOrder() } else { transport.close() }
  }

  /// The transport has ended the connection: the peer has what it came for, or has gone.
  func left() {
    server.logger.debug(
      "connection closed", metadata: ["connection": .stringConvertible(number), "reason": "left"])
    closed()
  }

  private func close(_ reason: CloseReason?) { close(reason?.rawValue ?? "unknown") }
}
