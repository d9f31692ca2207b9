import Foundation
import ProgramKit
import TLS

/// What all lives have in common: two certificates, the clients that trust both, and a token.
final class Household: Sendable {
  private let folders: [String]
  /// What goes with the last reference.
  nonisolated(unsafe) private let certificates: [OwnCertificate]
  let context: TLSContext

  /// The token of the identity `web`, and what the configuration file has of it.
  static let token = "baton_" + String(repeating: "A", count: 43) + "000000"
  private static let digest = "0b809e3fff358a6b8da3b0e39c482c4cd7ed221e92132310e3edc16b2006adca"

  init() throws {
    certificates = [try OwnCertificate(), try OwnCertificate()]
    folders = certificates.map(\.folder)
    let authorities = certificates[0].folder + "/authorities.pem"
    try certificates.map { try String(contentsOfFile: $0.pem, encoding: .utf8) }.joined()
      .write(toFile: authorities, atomically: true, encoding: .utf8)
    var files = TLSContext.Files()
    files.authorities = authorities
    context = try TLSContext(.client, files)
  }

  /// Makes the folder of one life, with the configuration file in it. Returns the file.
  func furnish(_ folder: String) throws -> String {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try install(0, in: folder)
    let file = folder + "/baton.yaml"
    try """
    tls: { certificate: server.pem, key: server.key, clients: server.pem }
    peers:
      web: { token: 'sha256:\(Household.digest)', may: [everything] }
      anonymous: { may: [everything] }

    """.write(toFile: file, atomically: true, encoding: .utf8)
    return file
  }

  /// Puts one of the certificates into a life's folder.
  func install(_ number: Int, in folder: String) throws {
    for name in ["server.pem", "server.key"] {
      let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(folders[number])/\(name)"))
      try bytes.write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
    }
  }
}
