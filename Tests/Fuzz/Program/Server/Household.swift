import BatonConfig
import BatonCore
import Foundation
import FuzzKit
import ProgramKit
import TLS

/// What the server that is fuzzed has beside itself: a file with identities and declared chains, a certificate, a store,
/// and the tokens that peers may show.
final class Household {
  private let certificate: OwnCertificate
  /// With it, clients trust the server.
  let context: TLSContext
  /// The tokens of the two identities. Both may do everything: rights have tests of their own.
  let token: String
  let otherToken: String
  /// The token of a third one, which no mutant shows.
  let witnessToken: String

  /// The tokens follow from the seed.
  init(seed: UInt64) throws {
    var luck = SeededGenerator(seed: seed &+ 0xACCE55)
    token = Token(using: &luck).text
    otherToken = Token(using: &luck).text
    witnessToken = Token(using: &luck).text
    certificate = try OwnCertificate()
    var files = TLSContext.Files()
    files.authorities = certificate.pem
    context = try TLSContext(.client, files)
    let text = """
      peers:
        first: { token: '\(TokenDigest(of: token).spelling)', may: [everything] }
        second: { token: '\(TokenDigest(of: otherToken).spelling)', may: [everything] }
        witness: { token: '\(TokenDigest(of: witnessToken).spelling)', may: [everything] }
      chains:
        orders:
          open: true
          links: [{ handler: bill, share: true, timeout_ms: 300 }, { mount: depot }]
        depot: { open: true, links: [{ handler: bill, share: true, timeout_ms: 300 }] }
        \(Self.vault): { links: [{ handler: nobody }] }
      topics: [{ pattern: chat.>, keep: 50 }]

      """
    try text.write(toFile: file, atomically: true, encoding: .utf8)
  }

  /// A declared chain that no transcript names, and that nobody serves.
  static let vault = "vault-of-the-witness"

  /// Small limits: some lines reach them, and neither the store nor memory grows. Messages end soon. On a busy machine,
  /// peers are slow to shake hands and to read why they are closed.
  private static let settings = [
    "handshake_ms=5000", "linger_ms=10000", "max_stored_messages=100", "max_stored_bytes=1000000",
    "max_dead_letters=100", "tries=3",
    "retry_ms=50", "expires_ms=2000", "remembered_ms=2000", "max_retained_topics=100", "max_retained_bytes=1000000",
    "max_history_bytes=200000",
  ]

  private var file: String { certificate.folder + "/baton.yaml" }

  /// The file of the store.
  var store: String { certificate.folder + "/store" }

  /// What the server is started with.
  var options: [String] {
    ["--config", file, "--store", store, "--tls-certificate", certificate.pem, "--tls-key", certificate.key]
      + Self.settings.flatMap { ["--set", $0] }
  }

  /// The line with which somebody says who they are.
  static func hello(_ token: String) -> String { #"{"op":"hello","token":"\#(token)"}"# }
}
