internal import BatonCore
internal import Logging
internal import UV

/// One peer: carries bytes between its transport and the router, and does with the transport what the router wishes.
///
/// It decides nothing about messages.
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
  func carryOut() { follow(show { take($0) }) }

  /// The most bytes that its transport is given to take at once.
  var mostAtOnce: Int { transport.mostAtOnce }

  /// Shows the first unsent bytes, without waiting for the turn.
  @discardableResult
  func show(_ take: (borrowing Unsent) -> Int?) -> Router.Written {
    server.router.pointee.write(to: id, atMost: mostAtOnce, in: server.pieces, at: server.now, take)
  }

  /// Hands bytes to the transport. Returns how many it has taken; nil if it takes none now.
  func take(_ unsent: borrowing Unsent) -> Int? {
    guard !transport.isClosing, !isLeaving, !transport.isWriting else { return nil }
    do throws(TransportError) {
      return try transport.take(unsent)
    } catch {
      // A call to the router is under way.
      server.failure = error
      return nil
    }
  }

  /// Does what the router wishes, once the bytes were shown.
  func follow(_ written: Router.Written) {
    if server.failure != nil { return closeForFailure() }
    guard !transport.isClosing, !isLeaving else { return }
    if written.wish.ending != .open, end(written) { return }
    setReading(written.wish.reading)
  }

  private func closeForFailure() {
    let failure = server.failure
    server.failure = nil
    if let failure { close(failure.description) }
  }

  /// Goes on towards the end. Returns whether the connection is closed.
  private func end(_ written: Router.Written) -> Bool {
    let (wish, isWritten) = (written.wish, !written.hasUnsent && !transport.isWriting)
    if wish.ending == .close || !transport.isReady {
      close(wish.reason)
      return true
    }
    guard isWritten else { return false }
    if wish.ending == .closeWhenWritten {
      close(wish.reason?.rawValue ?? "unknown", inOrder: true)
      return true
    }
    guard !hasShutDown else { return false }
    hasShutDown = true
    do throws(TransportError) {
      try transport.endWriting()
      return false
    } catch {
      close(error.description)
      return true
    }
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

  /// Says a last line, where a line may begin. Nothing follows it.
  func sayLast(_ line: [UInt8]) {
    guard transport.isReady, !transport.isClosing, !transport.isWriting, !(transport is HTTPExchange) else { return }
    var isBetweenLines = true
    show { unsent in
      if let next = unsent.pieces.first { isBetweenLines = next.starts(with: PeerConnection.beginningOfLine) }
      return nil
    }
    if isBetweenLines { line.withUnsafeBytes { _ = try? transport.take($0) } }
  }

  /// What each line of the server begins with.
  private static let beginningOfLine = Array("{\"op\":\"".utf8)

  /// The transport has ended the connection: the peer has what it came for, or has gone.
  func left() {
    server.logger.debug(
      "connection closed", metadata: ["connection": .stringConvertible(number), "reason": "left"])
    closed()
  }

  private func close(_ reason: CloseReason?) { close(reason?.rawValue ?? "unknown") }
}
