#if canImport(FoundationEssentials)
  private import FoundationEssentials
#else
  private import Foundation
#endif

/// What a NATS server says of itself.
public struct NATSInfo: Decodable, Equatable, Sendable {
  /// The server's version, such as `2.15.1`.
  public let version: String
  /// The most bytes of one message.
  public let maxPayload: Int?
  /// The name of its cluster; nil if it is alone.
  public let cluster: String?
  /// Whether it keeps streams.
  public let jetstream: Bool?
  /// What a client with a key is to sign.
  let nonce: String?
  let tlsRequired: Bool?
  let tlsAvailable: Bool?
  /// Whether it ends soon (lame duck mode), and clients are to go to another one.
  let ldm: Bool?

  enum CodingKeys: String, CodingKey {
    case version, cluster, jetstream, nonce, ldm
    case maxPayload = "max_payload"
    case tlsRequired = "tls_required"
    case tlsAvailable = "tls_available"
  }

  /// Reads the JSON of INFO; nil if it is none.
  init?(_ json: [UInt8]) {
    guard let info = try? JSONDecoder().decode(NATSInfo.self, from: Data(json)) else { return nil }
    self = info
  }

  /// Whether its version is this one or later. What is no number in it counts as 0.
  public func isAtLeast(_ major: Int, _ minor: Int, _ patch: Int) -> Bool {
    let parts = version.split(whereSeparator: { ".-+".contains($0) }).prefix(3).map { Int($0) ?? 0 }
    let own = parts + Array(repeating: 0, count: 3 - parts.count)
    return !own.lexicographicallyPrecedes([major, minor, patch])
  }
}

/// What a client says of itself in CONNECT.
struct NATSGreeting: Encodable {
  var verbose = false
  var pedantic = false
  var headers = true
  var no_responders = true
  var `protocol` = 1
  var lang = "swift"
  var name: String
  var version: String
  var tls_required: Bool
  var user: String?
  var pass: String?
  var auth_token: String?
  var nkey: String?
  var jwt: String?
  var sig: String?

  /// The line, with its end.
  var line: [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return Array("CONNECT ".utf8) + ((try? encoder.encode(self)).map { Array($0) } ?? []) + Array("\r\n".utf8)
  }
}
