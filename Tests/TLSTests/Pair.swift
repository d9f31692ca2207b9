import ProgramKit
import TLS

/// Both sides of one connection, and the wire between them.
struct Pair {
  let client: TLSSession
  let server: TLSSession

  init(
    server: TLSContext.Files? = nil, client: TLSContext.Files? = nil, host: String = "localhost"
  ) throws {
    self.server = try TLSSession(TLSContext(.server, server ?? .server()))
    self.client = try TLSSession(TLSContext(.client, client ?? .client()), host: host)
  }

  /// Carries what is said until nobody says more, in pieces of so many bytes, and lets both sides go on with the
  /// handshake after each. Returns how far the client and the server have come.
  @discardableResult
  func shakeHands(grain: Int = 1 << 20) -> (client: TLSSession.Progress, server: TLSSession.Progress) {
    var ends = (client: client.shakeHands(), server: TLSSession.Progress.waits)
    while true {
      let hello = client.takeOutgoing()
      for piece in hello.pieces(of: grain) {
        server.feed(piece)
        if ends.server == .waits { ends.server = server.shakeHands() }
      }
      let answer = server.takeOutgoing()
      for piece in answer.pieces(of: grain) {
        client.feed(piece)
        if ends.client == .waits { ends.client = client.shakeHands() }
      }
      if hello.isEmpty, answer.isEmpty { return ends }
    }
  }
}

extension TLSContext.Files {
  /// A server's, with the certificate of this name.
  static func server(_ name: String = "server", clients: String? = nil, isRequired: Bool = false) throws -> Self {
    let made = try Certificates.shared()
    var files = TLSContext.Files()
    files.certificate = made.path("\(name).pem")
    files.key = made.path("server.key")
    files.authorities = clients.map { made.path("\($0).pem") }
    files.requiresCertificate = isRequired
    return files
  }

  /// A server's whose certificate has no names: that of an authority.
  static func nameless() throws -> Self {
    var files = TLSContext.Files()
    files.certificate = try Certificates.shared().path("authority.pem")
    files.key = try Certificates.shared().path("authority.key")
    return files
  }

  /// A client's, with a certificate if it has a name. Its pins are those of the keys with these names.
  static func client(_ name: String? = nil, authority: String? = "authority", pins: [String] = []) throws -> Self {
    let made = try Certificates.shared()
    var files = TLSContext.Files()
    files.authorities = authority.map { made.path("\($0).pem") }
    files.certificate = name.map { made.path("\($0).pem") }
    files.key = name.map { made.path("\($0).key") }
    files.pins = try pins.compactMap { TLSContext.Files.digest(ofPin: try made.pin($0)) }
    return files
  }
}

extension TLSSession {
  func feed(_ bytes: [UInt8]) { bytes.withUnsafeBytes { feed($0) } }

  /// Encrypts all of it, and returns the ciphertext.
  func encrypt(_ bytes: [UInt8]) throws -> [UInt8] {
    var rest = bytes[...]
    while !rest.isEmpty { rest = rest.dropFirst(try rest.withUnsafeBytes { try write($0) }) }
    return takeOutgoing()
  }

  /// What can be decrypted now, and why it ends there.
  func decrypt(most: Int = TLSSession.recordSize) -> (bytes: [UInt8], end: Reading) {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: most)
    while true {
      let reading = buffer.withUnsafeMutableBytes { read(into: $0) }
      guard case .bytes(let count) = reading else { return (bytes, reading) }
      bytes += buffer[..<count]
    }
  }
}

extension TLSSession.Progress {
  /// What is wrong; empty if nothing is.
  var fault: String { if case .failed(let error) = self { error.description } else { "" } }
}

extension TLSSession.Reading {
  /// What is wrong; empty if nothing is.
  var fault: String { if case .failed(let error) = self { error.description } else { "" } }
}

extension [UInt8] {
  /// The same bytes, cut.
  func pieces(of count: Int) -> [[UInt8]] {
    stride(from: 0, to: self.count, by: count).map { Array(self[$0..<Swift.min($0 + count, self.count)]) }
  }
}
