internal import COpenSSL

/// One encrypted connection, without a socket: ciphertext goes in and out as bytes.
///
/// It is used by one thread at a time. A handshake's step may run on another thread while nothing else touches it.
public final class TLSSession: @unchecked Sendable {
  /// OpenSSL's own; tests use it for what a good peer does not do.
  let session: OpaquePointer
  private let context: TLSContext
  /// Ciphertext that came and was not read yet, from `read` on.
  private var incoming: [UInt8] = []
  private var taken = 0
  /// Ciphertext that is to go out.
  public private(set) var outgoing: [UInt8] = []
  /// Whether the handshake is done.
  public private(set) var isEstablished = false
  /// Messages of TLS itself that came after the handshake. Each costs a few microseconds.
  private var ownMessages = 0
  /// Bytes of ciphertext that have come.
  private var fed = 0
  /// A peer may renew its keys so often from the start.
  private static let freeOwnMessages = 100
  /// And once more for each so many bytes: who lives long and renews now and then is not cut.
  private static let bytesPerOwnMessage = 64 << 10

  private var hasTooManyOwnMessages: Bool {
    ownMessages > TLSSession.freeOwnMessages + fed / TLSSession.bytesPerOwnMessage
  }

  /// The most bytes of one record.
  public static let recordSize = 16 << 10

  /// What is spoken over the session. A client that names protocols (ALPN) has to name this one.
  public enum ProtocolName: Sendable {
    /// Lines.
    case baton
    /// HTTP/1.1.
    case http

    var bytes: [UInt8] { Array((self == .baton ? "baton" : "http/1.1").utf8) }
  }

  /// What a server speaks.
  public let protocolName: ProtocolName

  /// A session before its handshake. A client names the host that the server's certificate must be for; it speaks lines.
  public init(
    _ context: TLSContext, host: String? = nil, speaks protocolName: ProtocolName = .baton
  ) throws(TLSError) {
    self.protocolName = protocolName
    ERR_clear_error()
    guard let method = TLSSession.method, let bio = BIO_new(method) else {
      throw TLSError.latest("OpenSSL has no memory")
    }
    guard let session = SSL_new(context.context) else {
      BIO_free(bio)
      throw TLSError.latest("OpenSSL has no memory")
    }
    // From here on `deinit` frees both.
    self.session = session
    self.context = context
    BIO_set_data(bio, Unmanaged.passUnretained(self).toOpaque())
    BIO_set_init(bio, 1)
    SSL_set_bio(session, bio, bio)
    SSL_set_msg_callback(session) { isWritten, _, kind, _, _, _, data in
      guard isWritten == 0, kind == SSL3_RT_HANDSHAKE, let data else { return }
      let session = Unmanaged<TLSSession>.fromOpaque(data).takeUnretainedValue()
      if session.isEstablished { session.ownMessages += 1 }
    }
    copenssl_set_message_object(session, Unmanaged.passUnretained(self).toOpaque())
    if context.side == .server {
      SSL_set_accept_state(session)
    } else {
      SSL_set_connect_state(session)
      guard let host, TLSSession.check(host, in: session) else {
        throw TLSError("the host \(host ?? "") is no name that a certificate could be for")
      }
    }
  }

  deinit { SSL_free(session) }

  private static func check(_ host: String, in session: OpaquePointer) -> Bool {
    let parameters = SSL_get0_param(session)
    // A zone says which way an address is reached, and stands in no certificate.
    if X509_VERIFY_PARAM_set1_ip_asc(parameters, String(host.prefix { $0 != "%" })) == 1 { return true }
    ERR_clear_error()
    SSL_set_hostflags(session, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
    return SSL_set1_host(session, host) == 1 && copenssl_set_host(session, host) == 1
  }

  // MARK: Ciphertext

  /// Ciphertext has come.
  public func feed(_ bytes: UnsafeRawBufferPointer) {
    if taken == incoming.count {
      incoming.removeAll(keepingCapacity: false)
      taken = 0
    }
    incoming.append(contentsOf: bytes)
    fed += bytes.count
  }

  /// The ciphertext that is to go out, which is forgotten here.
  public func takeOutgoing() -> [UInt8] {
    defer { outgoing = [] }
    return outgoing
  }

  /// Whether ciphertext has come that was not read.
  public var hasIncoming: Bool { taken < incoming.count }

  // MARK: Handshake

  /// How a call went on.
  public enum Progress: Equatable, Sendable {
    case done
    /// It needs more from the other side.
    case waits
    case failed(TLSError)
  }

  /// Goes on with the handshake, as far as what has come lets it. It takes up to a millisecond.
  public func shakeHands() -> Progress {
    ERR_clear_error()
    let result = SSL_do_handshake(session)
    guard result == 1 else { return progress(result) }
    guard isPinned else {
      // Nothing of this side is for whoever that is, such as its certificate.
      outgoing = []
      return .failed(TLSError("the server's public key is none of those that are pinned"))
    }
    isEstablished = true
    return .done
  }

  private func progress(_ result: Int32) -> Progress {
    switch SSL_get_error(session, result) {
    case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .waits
    case SSL_ERROR_ZERO_RETURN: return .failed(TLSError("the other side ended the encryption"))
    default: return .failed(reason)
    }
  }

  private var reason: TLSError {
    if hasTooManyOwnMessages {
      ERR_clear_error()
      return TLSError("the other side renews its keys and says little else")
    }
    let verified = SSL_get_verify_result(session)
    if verified != Int(X509_V_OK) {
      ERR_clear_error()
      let whose = context.side == .client ? "server's" : "client's"
      let why = String(cString: X509_verify_cert_error_string(verified))
      return TLSError("the \(whose) certificate does not count: \(why)")
    }
    return TLSError.latest("TLS failed")
  }

  private var isPinned: Bool {
    guard !context.pins.isEmpty else { return true }
    guard let certificate = SSL_get1_peer_certificate(session) else { return false }
    defer { X509_free(certificate) }
    var bytes: UnsafeMutablePointer<UInt8>?
    let count = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &bytes)
    guard count > 0, let bytes else { return false }
    defer { CRYPTO_free(bytes, #file, #line) }
    var digest = [UInt8](repeating: 0, count: 32)
    copenssl_sha256(bytes, Int(count), &digest)
    return context.pins.contains(digest)
  }

  // MARK: Plain text

  /// What reading brought.
  public enum Reading: Equatable, Sendable {
    case bytes(Int)
    /// Nothing is left for now.
    case nothing
    /// The other side has ended its writing in good order.
    case end
    case failed(TLSError)
  }

  /// Decrypts what has come into `buffer`.
  public func read(into buffer: UnsafeMutableRawBufferPointer) -> Reading {
    ERR_clear_error()
    let count = SSL_read(session, buffer.baseAddress, Int32(clamping: buffer.count))
    if count > 0 { return .bytes(Int(count)) }
    switch SSL_get_error(session, count) {
    case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .nothing
    case SSL_ERROR_ZERO_RETURN: return .end
    default: return .failed(reason)
    }
  }

  /// Encrypts `bytes`, at most one record of them. Returns how many.
  public func write(_ bytes: UnsafeRawBufferPointer) throws(TLSError) -> Int {
    guard !bytes.isEmpty else { return 0 }
    ERR_clear_error()
    let count = SSL_write(session, bytes.baseAddress, Int32(clamping: min(bytes.count, TLSSession.recordSize)))
    guard count > 0 else { throw reason }
    return Int(count)
  }

  /// Ends this side's writing in good order: close_notify.
  public func endWriting() {
    ERR_clear_error()
    if isEstablished { _ = SSL_shutdown(session) }
    ERR_clear_error()
  }

  // MARK: The other side

  /// The alternative names in the other side's certificate: `dns:web.example` in lower case, `uri:…`; none if it has no
  /// certificate. A name with a NUL or another control character is none.
  public var peerNames: [String] {
    guard let certificate = SSL_get1_peer_certificate(session) else { return [] }
    defer { X509_free(certificate) }
    guard let names = copenssl_names(certificate) else { return [] }
    defer { GENERAL_NAMES_free(names) }
    var found: [String] = []
    var index: Int32 = 0
    while found.count < TLSSession.mostNames {
      var bytes: UnsafePointer<UInt8>?
      var count: Int32 = 0
      let kind = copenssl_name(names, index, &bytes, &count)
      if kind < 0 { break }
      index += 1
      guard kind > 0, let bytes, count > 0, count <= 255 else { continue }
      let text = UnsafeBufferPointer(start: bytes, count: Int(count))
      guard text.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { continue }
      let name = String(decoding: text, as: UTF8.self)
      found.append(kind == 1 ? "dns:\(name.lowercased())" : "uri:\(name)")
    }
    return found
  }

  /// By which of the context's authorities the other side's certificate was accepted: the SHA-256 of their certificates.
  /// None if it has no certificate.
  public var peerAuthorities: [[UInt8]] {
    SSL_get0_verified_chain(session).map(TLSContext.digests)?.filter(context.authorities.contains) ?? []
  }

  /// When the other side's certificate ends, in seconds since 1970; nil without one.
  public var peerExpires: Int? {
    guard let certificate = SSL_get1_peer_certificate(session) else { return nil }
    defer { X509_free(certificate) }
    return TLSContext.end(of: certificate)
  }

  /// The names of one certificate that are looked at.
  private static let mostNames = 100

  // MARK: The pipe between OpenSSL and this object

  private func give(_ target: UnsafeMutablePointer<CChar>, _ most: Int) -> Int {
    let count = min(most, incoming.count - taken)
    incoming.withUnsafeBytes { bytes in
      UnsafeMutableRawBufferPointer(start: target, count: count).copyBytes(from: bytes[taken..<taken + count])
    }
    taken += count
    if taken == incoming.count {
      incoming = []
      taken = 0
    }
    return count
  }

  nonisolated(unsafe) private static let method: OpaquePointer? = {
    let method = BIO_meth_new(BIO_get_new_index() | Int32(BIO_TYPE_SOURCE_SINK), "baton")
    BIO_meth_set_read(method) { bio, target, most in
      guard let bio, let data = BIO_get_data(bio), let target, most > 0 else { return -1 }
      copenssl_clear_retry(bio)
      let session = Unmanaged<TLSSession>.fromOpaque(data).takeUnretainedValue()
      if session.hasTooManyOwnMessages { return -1 }
      guard session.hasIncoming else {
        copenssl_retry_read(bio)
        return -1
      }
      return Int32(session.give(target, Int(most)))
    }
    BIO_meth_set_write(method) { bio, bytes, count in
      guard let bio, let data = BIO_get_data(bio), let bytes, count > 0 else { return 0 }
      copenssl_clear_retry(bio)
      let session = Unmanaged<TLSSession>.fromOpaque(data).takeUnretainedValue()
      session.outgoing.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: Int(count)))
      return count
    }
    BIO_meth_set_ctrl(method) { _, command, _, _ in command == BIO_CTRL_FLUSH ? 1 : 0 }
    return method
  }()
}
