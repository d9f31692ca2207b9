import Foundation

/// A certificate for this machine that is its own authority, in a folder of its own, which goes with the last reference.
package final class OwnCertificate {
  package let folder = freshPath()
  package var pem: String { folder + "/server.pem" }
  package var key: String { folder + "/server.key" }

  /// Makes it, with OpenSSL's own tool.
  package init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try renew()
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// Makes another one with another key in its place. Who trusts the old one does not trust it.
  package func renew() throws {
    let words = [
      "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 9 -subj /CN=localhost",
      "-addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout \(key) -out \(pem)",
    ]
    let status = try Program(shell: words.joined(separator: " ")).wait()
    if status != 0 { throw Deviation("openssl makes no certificate: it ends with \(status)") }
  }
}
