internal import BatonCore
internal import Logging
public import TLS
internal import UV

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// Encryption: what all encrypted connections of the server share.
extension Server {
  /// The transport of a newcomer at an encrypted place; nil if there is no memory for it.
  func encrypted(_ stream: UV.Stream, _ options: ListeningOptions) -> TLSTransport? {
    guard let tls else { return nil }
    do throws(TLSError) {
      let session = try TLSSession(tls, speaks: options.speaksHTTP ? .http : .baton)
      return TLSTransport(stream, session, server: self)
    } catch {
      noteTLSFailure(error.description, stream.peer, of: stream.peerAddress)
      return nil
    }
  }

  /// What is known of a peer when the handshake is done.
  func facts(of stream: UV.Stream, _ session: TLSSession) -> PeerFacts {
    var facts = facts(of: stream, ListeningOptions())
    facts.takesTokens = true
    facts.certificates = session.peerNames
    facts.authorities = session.peerAuthorities.compactMap { TokenDigest($0) }
    return facts
  }

  /// A handshake is done: the router learns who the peer is.
  func shookHands(_ id: ConnectionID, _ facts: PeerFacts) {
    if router.pointee.asksWho { router.pointee.shookHands(id, facts, at: now) }
    // Lines may wait for it, for instance that the server drains.
    router.pointee.postpone(id)
  }

  /// Gathers bytes, and encrypts them record by record. Returns how many there were.
  func gathering(
    _ buffers: UnsafeBufferPointer<UnsafeRawBufferPointer>, into write: (UnsafeRawBufferPointer) throws(TLSError) -> Int
  ) throws(TLSError) -> Int {
    var total = 0
    var filled = 0
    for buffer in buffers {
      var rest = buffer[...]
      while !rest.isEmpty {
        let part = rest.prefix(TLSSession.recordSize - filled)
        UnsafeMutableRawBufferPointer(rebasing: gathered[filled..<filled + part.count]).copyBytes(from: part)
        filled += part.count
        rest = rest.dropFirst(part.count)
        if filled == TLSSession.recordSize {
          total += try write(UnsafeRawBufferPointer(rebasing: gathered[..<filled]))
          filled = 0
        }
      }
    }
    if filled > 0 { total += try write(UnsafeRawBufferPointer(rebasing: gathered[..<filled])) }
    return total
  }

  /// Something went wrong with a peer's encryption.
  func noteTLSFailure(_ reason: String, _ peer: String, of address: UV.Address?) {
    failures?.note(believes(address) ? .encryptionOfProxy : .encryption, reason, peer, of: address)
  }

  /// For how many seconds the certificate is good, below 0 after its end; nil without one.
  var certificateSeconds: Int? {
    guard let expires = tls?.expires else { return nil }
    return expires - time(nil)
  }

  /// Uses other certificates for connections that come from now on; nil if nothing is encrypted any more.
  public func encrypt(with context: TLSContext?) { tls = context }

  /// Says in the log that the certificate ends soon, or has ended, or why else peers will not connect.
  public func warnOfCertificate() {
    if let doubts = tls?.doubts(at: time(nil)) {
      for doubt in doubts.certificate + doubts.authorities { logger.warning("\(doubt)") }
    }
    guard let seconds = certificateSeconds, seconds < Router.fewDays * 86_400 else { return }
    let what = seconds < 0 ? "has ended: clients refuse it" : "ends soon"
    logger.warning(
      "the server's certificate \(what); put a new one in its place, and let the server read it (reload, or SIGHUP)",
      metadata: ["days": .stringConvertible(seconds / 86_400)])
  }
}
