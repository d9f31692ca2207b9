import TLS

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

  /// Reads a file with a secret in each line. Blank lines are passed over.
  init(file: String) throws(Fault) {
    guard let bytes = Self.read(file) else { throw Fault(words: Self.complaint(aboutFile: file) ?? "\(file) is empty") }
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

  // MARK: Files

  /// Why a file cannot be read; nil if it can.
  static func complaint(aboutFile path: String) -> String? {
    guard let file = fopen(path, "r") else { return "\(path) cannot be read: \(String(cString: strerror(errno)))" }
    defer { fclose(file) }
    // A folder can be opened, and not read.
    return fgetc(file) == EOF && ferror(file) != 0 ? "\(path) cannot be read: \(String(cString: strerror(errno)))" : nil
  }

  /// The first 64 KiB of a file; nil if it cannot be read.
  private static func read(_ path: String) -> [UInt8]? {
    guard complaint(aboutFile: path) == nil, let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    return [UInt8](unsafeUninitializedCapacity: 64 << 10) { $1 = fread($0.baseAddress, 1, $0.count, file) }
  }
}
