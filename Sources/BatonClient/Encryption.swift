internal import TLS

#if canImport(FoundationEssentials)
  private import FoundationEssentials
#else
  private import Foundation
#endif
#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// The files and the pins that a program names for an encrypted connection.
struct Encryption: Sendable {
  /// PEM: the authorities of the server's certificate, in place of the system's.
  var authorities: String?
  /// PEM: what the server knows this program by, and its private key.
  var certificate: String?
  var key: String?
  /// Public keys of which the server must have one, too: the base64 of the SHA-256 of a SubjectPublicKeyInfo.
  var pins: [String] = []

  /// The public keys that may be pinned: the one in use, and the next one.
  private static let mostPins = 2
  private static let digestBytes = 32

  /// What connections to this place use; nil if it is not encrypted. Reads the files. Throws `badTLS` where they are not
  /// right, or are named for nothing.
  func context(for place: Place) throws(BatonError) -> TLSContext? {
    guard place.isEncrypted else {
      if isNamed {
        throw .badTLS(
          "\(place.text) is not encrypted, and ca, certificate, key and pins are for places that are: write "
            + "tls:HOST:PORT")
      }
      return nil
    }
    if authorities == nil, let path = getenv("BATON_TLS_CA") {
      var named = self
      named.authorities = String(cString: path)
      return try named.context(for: place)
    }
    if let key, certificate == nil {
      throw .badTLS("the private key \(key) needs its certificate: certificate (--tls-certificate)")
    }
    if let certificate, key == nil {
      throw .badTLS("the certificate \(certificate) needs its private key: key (--tls-key)")
    }
    var files = TLSContext.Files()
    (files.authorities, files.certificate, files.key) = (authorities, certificate, key)
    files.pins = try digests()
    do throws(TLSError) {
      let context = try TLSContext(.client, files)
      // It also finds out whether a certificate can be for this host.
      _ = try TLSSession(context, host: place.host)
      return context
    } catch {
      throw .badTLS(error.description)
    }
  }

  private var isNamed: Bool { authorities != nil || certificate != nil || key != nil || !pins.isEmpty }

  private func digests() throws(BatonError) -> [[UInt8]] {
    guard pins.count <= Encryption.mostPins else {
      throw .badTLS("\(pins.count) public keys are pinned; \(Encryption.mostPins) are the most")
    }
    var digests: [[UInt8]] = []
    for pin in pins {
      guard let digest = Data(base64Encoded: pin), digest.count == Encryption.digestBytes else {
        throw .badTLS("'\(pin)' is no pin: the base64 of the SHA-256 of a public key has 44 characters")
      }
      digests.append([UInt8](digest))
    }
    return digests
  }
}

extension TLSError {
  /// What helps, by what OpenSSL and the alerts of TLS say. What comes first counts.
  private static let help: [(sign: String, words: String)] = [
    ("mismatch", "connect to a name or an address that the certificate is for"),
    ("expired", "its operator has to renew it, unless the clock of this machine is wrong"),
    ("not yet valid", "the clock of this machine may be wrong"),
    (
      "public key",
      "if its operator has changed the key, pin the new one (pins, --tls-pin)"
    ),
    ("alert certificate required", "give a client certificate: certificate and key (--tls-certificate, --tls-key)"),
    ("alert unknown ca", "the server does not know the authority of the client certificate"),
    ("alert bad certificate", "the server does not take the client certificate"),
    ("alert no application protocol", "what answers there is no port of Baton for TLS"),
    ("wrong version number", "what answers there does not speak TLS: leave tls: out, or connect to the port for TLS"),
    ("protocol version", "the server does not speak TLS 1.3"),
    ("unsupported protocol", "the server does not speak TLS 1.3"),
    ("certificate", "name the file of its authority with ca (--tls-ca)"),
  ]

  /// What is wrong, and what helps.
  var words: String {
    let told = description.replacing("the certificate does not count", with: "the server's certificate does not count")
    let sign = told.lowercased()
    return TLSError.help.first { sign.contains($0.sign) }.map { "\(told); \($0.words)" } ?? told
  }
}
