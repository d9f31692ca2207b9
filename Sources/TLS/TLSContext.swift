internal import COpenSSL

/// What all sessions of one side have in common: certificates, keys, authorities. It does not change; after a reload
/// there is a new one.
public final class TLSContext: @unchecked Sendable {
  /// The side that sessions are for.
  public enum Side: Sendable {
    case server, client
  }

  /// The files that a side needs; all are PEM.
  public struct Files: Equatable, Sendable {
    /// The side's certificate, with those between it and its authority behind it.
    public var certificate: String?
    /// The certificate's private key, without a passphrase.
    public var key: String?
    /// The authorities whose certificates count at the other side. A client without them uses the system's.
    public var authorities: String?
    /// A server: whether a client must have a certificate.
    public var requiresCertificate = false
    /// A client: the SHA-256 of public keys of which the server must have one, beside all other checks; at most two.
    public var pins: [[UInt8]] = []

    /// No files.
    public init() {}

    /// The digest that a pin spells in base64; nil if it spells none of SHA-256.
    public static func digest(ofPin text: String) -> [UInt8]? {
      let (text, padding) = (Array(text.utf8), UInt8(ascii: "="))
      guard text.firstIndex(of: padding) == 43, text.count == 44 else { return nil }
      var digest = [UInt8](repeating: 0, count: 33)
      guard EVP_DecodeBlock(&digest, text, 44) == 33 else { return nil }
      // OpenSSL writes a byte for the padding, too.
      return digest.dropLast()
    }
  }

  let context: OpaquePointer
  let side: Side
  let pins: [[UInt8]]
  /// A server: the SHA-256 of each certificate of its authorities.
  public let authorities: Set<[UInt8]>
  /// When the side's certificate ends, in seconds since 1970; nil without one.
  public let expires: Int?

  /// Reads the files. Throws if one of them is not there, or not right, or if they do not fit together.
  public init(_ side: Side, _ files: Files) throws(TLSError) {
    ERR_clear_error()
    guard let context = SSL_CTX_new(side == .server ? TLS_server_method() : TLS_client_method()) else {
      throw TLSError.latest("OpenSSL does not start")
    }
    self.context = context
    self.side = side
    pins = files.pins
    var expires: Int?
    do throws(TLSError) {
      guard copenssl_restrict(context) == 1 else { throw TLSError.latest("OpenSSL does not know TLS 1.3") }
      if let certificate = files.certificate {
        expires = try TLSContext.use(certificate, key: files.key, in: context)
      } else if side == .server {
        throw TLSError("a server needs a certificate: tls.certificate, or --tls-certificate")
      }
      try TLSContext.trust(files, side, in: context)
      try TLSContext.chooseProtocol(side, in: context)
    } catch {
      SSL_CTX_free(context)
      throw error
    }
    self.expires = expires
    authorities = side == .server ? TLSContext.authorities(of: SSL_CTX_get_cert_store(context)) : []
    if side == .server { try tryHandshake() }
  }

  /// A client that takes every server.
  private init() throws(TLSError) {
    ERR_clear_error()
    guard let context = SSL_CTX_new(TLS_client_method()) else { throw TLSError.latest("OpenSSL does not start") }
    self.context = context
    side = .client
    pins = []
    authorities = []
    expires = nil
    guard copenssl_restrict(context) == 1 else { throw TLSError.latest("OpenSSL does not know TLS 1.3") }
  }

  /// Shakes hands with itself. Files may fit together and yet no client can ever connect, for instance because TLS 1.3
  /// has no signatures with such a key.
  private func tryHandshake() throws(TLSError) {
    let (server, client) = (try TLSSession(self), try TLSSession(TLSContext(), host: "localhost"))
    guard case .waits = client.shakeHands() else { throw TLSError("OpenSSL begins no handshake") }
    client.takeOutgoing().withUnsafeBytes { server.feed($0) }
    let progress = server.shakeHands()
    server.takeOutgoing().withUnsafeBytes { client.feed($0) }
    // A client is done when it knows the server, whatever the server may want to know of it.
    if client.shakeHands() == .done { return }
    guard case .failed(let error) = progress else { throw TLSError("no client can connect with this certificate") }
    throw TLSError("no client can connect with this certificate: \(error)")
  }

  deinit { SSL_CTX_free(context) }

  private static func use(_ certificate: String, key: String?, in context: OpaquePointer) throws(TLSError) -> Int? {
    ERR_clear_error()
    // A passphrase would be asked for at the terminal, and a server cannot answer.
    SSL_CTX_set_default_passwd_cb(context) { _, _, _, _ in 0 }
    guard SSL_CTX_use_certificate_chain_file(context, certificate) == 1 else {
      throw TLSError.latest("cannot read the certificate \(certificate)")
    }
    guard let key else { throw TLSError("the certificate \(certificate) needs its private key: tls.key, or --tls-key") }
    guard SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) == 1 else {
      let how = "both must be PEM, the key without a passphrase, and belong together"
      throw TLSError.latest("cannot use the certificate \(certificate) with the private key \(key) (\(how))", in: key)
    }
    guard SSL_CTX_check_private_key(context) == 1 else {
      throw TLSError("the private key \(key) does not belong to the certificate \(certificate)", in: key)
    }
    return SSL_CTX_get0_certificate(context).flatMap(TLSContext.end)
  }

  /// When a certificate ends, in seconds since 1970.
  static func end(of certificate: OpaquePointer) -> Int? {
    TLSContext.seconds(X509_get0_notAfter(certificate))
  }

  private static func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int? {
    var (days, seconds): (Int32, Int32) = (0, 0)
    guard let time, let epoch = ASN1_TIME_set(nil, 0) else { return nil }
    defer { ASN1_STRING_free(epoch) }
    guard ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else { return nil }
    return Int(days) * 86_400 + Int(seconds)
  }

  /// A server: why its peers will not connect although its files fit together, but that its certificate has ended
  /// (`expires`), by the files that are wrong. `now` is in seconds since 1970.
  public func doubts(at now: Int) -> (certificate: [String], authorities: [String]) {
    defer { ERR_clear_error() }
    return (doubtsOfCertificate(at: now), doubtsOfAuthorities(at: now))
  }

  private func doubtsOfCertificate(at now: Int) -> [String] {
    guard let certificate = SSL_CTX_get0_certificate(context) else { return [] }
    var reasons: [String] = []
    if let begin = TLSContext.seconds(X509_get0_notBefore(certificate)), begin > now {
      let hours = (begin - now + 3599) / 3600
      reasons.append(
        "it begins in \(hours) \(hours == 1 ? "hour" : "hours"); wait, see this machine's clock, or use another one")
    }
    if X509_check_purpose(certificate, X509_PURPOSE_SSL_SERVER, 0) == 0 {
      reasons.append(
        "it is not made for servers; its extendedKeyUsage needs serverAuth, and its keyUsage digitalSignature")
    }
    if X509_get_extension_flags(certificate) & UInt32(EXFLAG_CRITICAL) != 0 {
      reasons.append("it has a critical extension that OpenSSL does not know")
    }
    if X509_get_ext_by_NID(certificate, NID_subject_alt_name, -1) < 0 {
      reasons.append("it names no host (subjectAltName), and they look for the host's name, unless they have a pin")
    }
    return reasons.map { "clients refuse the server's certificate: \($0)" }
  }

  private func doubtsOfAuthorities(at now: Int) -> [String] {
    guard let all = X509_STORE_get1_all_certs(SSL_CTX_get_cert_store(context)) else { return [] }
    defer { copenssl_free_list(all) }
    var (place, ended) = (Int32(0), 0)
    while let authority = copenssl_certificate(all, place) {
      if let end = TLSContext.end(of: authority), end < now { ended += 1 }
      place += 1
    }
    guard ended > 0 else { return [] }
    return [
      "\(ended) of \(place) certificates of tls.clients \(ended == 1 ? "has" : "have") ended: no client certificate of "
        + "\(ended == 1 ? "it" : "them") counts"
    ]
  }

  /// The SHA-256 of each certificate in a file of authorities; none if there is no such file.
  public static func authorities(in path: String) -> Set<[UInt8]> {
    defer { ERR_clear_error() }
    guard let store = X509_STORE_new() else { return [] }
    defer { X509_STORE_free(store) }
    return X509_STORE_load_file(store, path) == 1 ? authorities(of: store) : []
  }

  private static func authorities(of store: OpaquePointer?) -> Set<[UInt8]> {
    guard let all = X509_STORE_get1_all_certs(store) else { return [] }
    defer { copenssl_free_list(all) }
    return Set(digests(of: all))
  }

  /// The SHA-256 of each certificate in a list of OpenSSL's.
  static func digests(of certificates: OpaquePointer) -> [[UInt8]] {
    var (all, digest) = ([[UInt8]](), [UInt8](repeating: 0, count: 32))
    while copenssl_digest(certificates, Int32(all.count), &digest) == 1 { all.append(digest) }
    return all
  }

  private static func trust(_ files: Files, _ side: Side, in context: OpaquePointer) throws(TLSError) {
    if let authorities = files.authorities {
      guard SSL_CTX_load_verify_locations(context, authorities, nil) == 1 else {
        throw TLSError.latest("cannot read the authorities \(authorities)", in: authorities)
      }
      // Clients are told whose certificates count.
      if side == .server {
        guard let names = SSL_load_client_CA_file(authorities) else {
          throw TLSError.latest("cannot read the authorities \(authorities)", in: authorities)
        }
        SSL_CTX_set_client_CA_list(context, names)
      }
    } else if side == .client {
      guard SSL_CTX_set_default_verify_paths(context) == 1 else {
        throw TLSError.latest("cannot read the system's authorities")
      }
    } else if files.requiresCertificate {
      throw TLSError("to require client certificates, say whose count: tls.clients, or --tls-clients")
    }
    if side == .client {
      SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
    } else if files.authorities != nil {
      let required = files.requiresCertificate ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0
      SSL_CTX_set_verify(context, SSL_VERIFY_PEER | required, nil)
    }
  }

  private static func chooseProtocol(_ side: Side, in context: OpaquePointer) throws(TLSError) {
    guard side == .server else {
      let name = TLSSession.ProtocolName.baton.bytes
      let list = [UInt8(name.count)] + name
      guard SSL_CTX_set_alpn_protos(context, list, UInt32(list.count)) == 0 else {
        throw TLSError.latest("OpenSSL has no memory")
      }
      return
    }
    SSL_CTX_set_alpn_select_cb(
      context,
      { session, chosen, count, offered, length, _ in
        guard let offered, let bio = SSL_get_rbio(session), let data = BIO_get_data(bio) else {
          return SSL_TLSEXT_ERR_ALERT_FATAL
        }
        let wanted = Unmanaged<TLSSession>.fromOpaque(data).takeUnretainedValue().protocolName.bytes
        var at = 0
        while at < Int(length) {
          let size = Int(offered[at])
          guard at + 1 + size <= Int(length) else { return SSL_TLSEXT_ERR_ALERT_FATAL }
          if (0..<size).map({ offered[at + 1 + $0] }) == wanted {
            chosen?.pointee = offered + at + 1
            count?.pointee = UInt8(size)
            return SSL_TLSEXT_ERR_OK
          }
          at += 1 + size
        }
        return SSL_TLSEXT_ERR_ALERT_FATAL
      }, nil)
  }
}
