internal import TLS

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// What an encrypted connection needs, and what is wrong with it: the files and pins that a program names.
struct Encryption: Sendable {
  var ca: String?
  var certificate: String?
  var key: String?
  var pins: [String] = []

  /// The public keys that may be pinned: the one in use, and the next one.
  private static let mostPins = 2

  /// What connections to those of these places use that are encrypted; nil if none is. Reads the files. Throws `badTLS` where
  /// they are not right, or are named for nothing.
  func context(for endpoints: [Endpoint]) throws(BatonError) -> TLSContext? {
    if hasFiles || !pins.isEmpty, let place = endpoints.first(where: { !$0.isEncrypted })?.text {
      throw .badTLS(
        "\(place) is not encrypted, and ca, certificate, key and pins are for places that are: write tls:HOST:PORT")
    }
    guard endpoints.contains(where: \.isEncrypted) else { return nil }
    if let certificate, key == nil {
      throw .badTLS("the certificate \(certificate) needs its private key: key (--tls-key)")
    }
    if let key, certificate == nil {
      throw .badTLS("the private key \(key) needs its certificate: certificate (--tls-certificate)")
    }
    var files = TLSContext.Files()
    (files.authorities, files.certificate, files.key) = (authorities, certificate, key)
    files.pins = try digests
    do throws(TLSError) { return try TLSContext(.client, files) } catch { throw .badTLS(error.description) }
  }

  /// The same for a connection after a loss: certificates are renewed while programs run. Where the files are not right
  /// just now, they count as they were.
  func renewed(for endpoints: [Endpoint], _ context: TLSContext?) -> TLSContext? {
    guard hasFiles || authorities != nil, let new = try? self.context(for: endpoints) else { return context }
    return new
  }

  /// The file of the authorities. The variable is for all programs, also those whose place is not encrypted.
  private var authorities: String? {
    ca ?? getenv("BATON_TLS_CA").map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  private var hasFiles: Bool { ca != nil || certificate != nil || key != nil }

  private var digests: [[UInt8]] {
    get throws(BatonError) {
      guard pins.count <= Encryption.mostPins else {
        throw .badTLS("\(pins.count) public keys are pinned; \(Encryption.mostPins) are the most")
      }
      var digests: [[UInt8]] = []
      for pin in pins {
        guard let digest = TLSContext.Files.digest(ofPin: pin) else {
          throw .badTLS("\"\(pin)\" is no pin: the base64 of the SHA-256 of a public key has 44 characters")
        }
        digests.append(digest)
      }
      return digests
    }
  }

  // MARK: What is wrong

  /// What helps, by the words of what is wrong. What comes first counts.
  private static let help: [(signs: [String], words: String)] = [
    (
      ["alert certificate required"], "give a client certificate: certificate and key (--tls-certificate, --tls-key)"
    ),
    (["alert unknown ca"], "the server does not know the authority of the client certificate"),
    (["alert", "certificate"], "the server does not take the client certificate"),
    (["alert no application protocol"], "what answers there is no port of Baton for TLS"),
    (["protocol version"], "the server does not speak TLS 1.3"),
    (["unsupported protocol"], "the server does not speak TLS 1.3"),
    (["wrong version number"], "what answers there does not speak TLS: leave tls: out, or connect to the port for TLS"),
    (["mismatch"], "connect to a name or an address that the certificate is for"),
    (["expired"], "its operator has to renew it, unless the clock of this machine is wrong"),
    (["not yet valid"], "the clock of this machine may be wrong"),
    (["issuer"], "name the file of its authority with ca (--tls-ca)"),
    (["self-signed"], "name the file of its authority with ca (--tls-ca)"),
    (["first certificate"], "name the file of its authority with ca (--tls-ca)"),
    (["pinned"], "if its operator has changed the key, pin the new one (pins, --tls-pin)"),
  ]

  /// What is wrong with a connection, and what helps.
  static func words(_ error: TLSError) -> String {
    let what = error.description
    let known = help.first { entry in entry.signs.allSatisfy { what.lowercased().contains($0) } }
    return known.map { "\(what); \($0.words)" } ?? what
  }
}

extension TLSSession {
  /// Encrypts all of it.
  func encrypt(_ bytes: [UInt8]) throws {
    try bytes.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty { rest = rest.dropFirst(try write(UnsafeRawBufferPointer(rebasing: rest))) }
    }
  }

  /// Hands on what can be decrypted, as long as `take` returns true. Returns why nothing more comes; nil if more may.
  func decrypt(_ take: (UnsafeRawBufferPointer) -> Bool) -> String? {
    withUnsafeTemporaryAllocation(byteCount: TLSSession.recordSize, alignment: 1) { buffer in
      while true {
        switch read(into: buffer) {
        case .bytes(let count): if !take(UnsafeRawBufferPointer(rebasing: buffer[..<count])) { return nil }
        case .nothing: return nil
        case .end: return "the server has closed the connection"
        case .failed(let error): return Encryption.words(error)
        }
      }
    }
  }
}

extension BatonError {
  /// What is wrong with the encryption of a server that is there, and what helps, if that is known; nil if it is
  /// something else.
  package var faultOfEncryption: (what: String, help: String?)? {
    guard case .unreachable(let why) = self else { return nil }
    guard ["the server's certificate ", "the server's public key ", "TLS failed"].contains(where: why.hasPrefix) else {
      return nil
    }
    guard let end = why.firstIndex(of: ";") else { return (why, nil) }
    return (String(why[..<end]), String(why[end...].dropFirst(2)))
  }
}
