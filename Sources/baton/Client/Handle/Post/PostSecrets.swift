import TLS

#if canImport(FoundationEssentials)
  private import FoundationEssentials
#else
  private import Foundation
#endif

/// The secrets with which posts are signed, as Standard Webhooks says. Several make several signatures, so that a
/// receiver may learn a new one before the old one goes.
struct PostSecrets: Sendable {
  /// Why a file has no secrets.
  struct Fault: Error { let words: String }

  private let keys: [[UInt8]]

  private static let prefix = "whsec_"
  /// How many bytes a secret may have: at least what nobody guesses.
  private static let sizes = 24...64
  private static let most = 8

  /// Takes the bytes of a file with a secret in each line. Blank lines are passed over.
  init(_ bytes: [UInt8], of file: String) throws(Fault) {
    var keys: [[UInt8]] = []
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      let text = line.filter { !$0.isWhitespace }
      if !text.isEmpty { keys.append(try Self.key(text, at: "\(file), line \(index + 1)")) }
    }
    let make = "this makes one: echo whsec_$(openssl rand -base64 32)"
    guard !keys.isEmpty else { throw Fault(words: "\(file) has no secret; \(make)") }
    guard keys.count <= Self.most else {
      throw Fault(words: "\(file) has \(keys.count) secrets; \(Self.most) are enough")
    }
    self.keys = keys
  }

  /// A secret of a line. The words of a fault never have it.
  private static func key(_ text: String, at place: String) throws(Fault) -> [UInt8] {
    guard text.hasPrefix(prefix), let data = Data(base64Encoded: String(text.dropFirst(prefix.count))) else {
      throw Fault(
        words: "\(place): a secret is \(prefix) and base64, such as this makes: echo whsec_$(openssl rand -base64 32)")
    }
    guard sizes.contains(data.count) else {
      throw Fault(
        words: "\(place): the secret has \(data.count) bytes; it must have \(sizes.lowerBound) to \(sizes.upperBound)")
    }
    return Array(data)
  }

  /// The value of `webhook-signature`.
  func signature(id: String, timestamp: String, body: [UInt8]) -> String {
    let signed = Array("\(id).\(timestamp).".utf8) + body
    return keys.map { "v1," + Data(MessageCode.code(of: signed, key: $0)).base64EncodedString() }
      .joined(separator: " ")
  }
}
