import BatonConfig
import BatonCore
import Foundation
import FuzzKit
import ProgramKit
import TLS

/// What the server that is fuzzed has beside itself: a file with identities, a certificate, and the tokens that peers
/// may show.
final class Household {
  private let certificate: OwnCertificate
  /// With it, clients trust the server.
  let context: TLSContext
  /// The tokens of the two identities. Both may do everything: rights have tests of their own.
  let token: String
  let otherToken: String

  /// The tokens follow from the seed.
  init(seed: UInt64) throws {
    var luck = SeededGenerator(seed: seed &+ 0xACCE55)
    token = Token(using: &luck).text
    otherToken = Token(using: &luck).text
    certificate = try OwnCertificate()
    var files = TLSContext.Files()
    files.authorities = certificate.pem
    context = try TLSContext(.client, files)
    let peers = """
      peers:
        first: { token: '\(TokenDigest(of: token).spelling)', may: [everything] }
        second: { token: '\(TokenDigest(of: otherToken).spelling)', may: [everything] }

      """
    try peers.write(toFile: file, atomically: true, encoding: .utf8)
  }

  private var file: String { certificate.folder + "/baton.yaml" }

  /// What the server is started with.
  var options: [String] {
    ["--config", file, "--tls-certificate", certificate.pem, "--tls-key", certificate.key]
  }

  /// The line with which somebody says who they are.
  static func hello(_ token: String) -> String { #"{"op":"hello","token":"\#(token)"}"# }
}
