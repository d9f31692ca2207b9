import Foundation

/// Certificates for the tests of this process, which OpenSSL makes when they are first needed.
/// `Clients/conformance/certificates` says which there are.
package struct Certificates: Sendable {
  private let folder: String

  private static let made = Result { try Certificates() }

  /// Those that all tests share; no test changes them.
  package static func shared() throws -> Certificates { try made.get() }

  private init() throws {
    folder = freshPath() + ".certificates"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    atexit {
      if let made = try? Certificates.shared() { try? FileManager.default.removeItem(atPath: made.folder) }
    }
    let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let maker = Process()
    maker.executableURL = package.appending(path: "Clients/conformance/certificates")
    maker.arguments = [folder]
    try maker.run()
    maker.waitUntilExit()
    guard maker.terminationStatus == 0 else { throw Deviation("OpenSSL makes no certificates") }
  }

  /// The path of a file: `server.pem`.
  package func path(_ name: String) -> String { "\(folder)/\(name)" }

  /// The pin of a key: `server`.
  package func pin(_ name: String) throws -> String {
    try String(contentsOfFile: path("\(name).pin"), encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// The file that makes a server use `server.pem`, for `--config`; it also has these lines.
  package func serverFile(_ lines: String = "", clients: Bool = false) throws -> String {
    let path = freshPath() + ".yaml"
    let authorities = clients ? ", clients: \(self.path("authority.pem"))" : ""
    try """
    tls: { certificate: \(self.path("server.pem")), key: \(self.path("server.key"))\(authorities) }
    \(lines.contains("peers:") ? lines : lines + "\nopen: local")

    """.write(toFile: path, atomically: false, encoding: .utf8)
    return path
  }
}
