import ArgumentParser
import BatonConfig
import BatonRecord
import TLS

/// What only whoever has the link knows: 256 random bits, of which the desk keeps the SHA-256.
struct ApprovalSecret: Sendable {
  private let digest: [UInt8]

  init(_ text: String) { digest = MessageCode.digest(of: Array(text.utf8)) }

  /// A new text of 43 characters: what is random in a token.
  static func text() -> String { String(Token().text.dropFirst("baton_".count).prefix(43)) }

  /// Fits nothing that anybody can send.
  static let none = ApprovalSecret("")

  /// Whether a text is the secret, in a time that does not depend on how much of it is right.
  func fits(_ text: String) -> Bool {
    zip(digest, ApprovalSecret(text).digest).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0 && !text.isEmpty
  }
}

/// What a person types behind a link.
struct ApprovalPIN: Sendable {
  private let secret: ApprovalSecret

  init(_ text: String) { secret = ApprovalSecret(text) }

  /// Reads a file. Throws a `ValidationError` where it has no PIN, or where others can read it.
  init(file: String) throws {
    try expectPrivate(file, "--pin-file")
    let text = String(decoding: try contents(ofFile: file), as: UTF8.self).filter { !$0.isWhitespace }
    guard (4...64).contains(text.count), text.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) else {
      throw ValidationError("--pin-file: \(file) has no PIN; it is 4 to 64 digits or letters")
    }
    self.init(text)
  }

  func fits(_ text: String) -> Bool { secret.fits(text) }
}

/// Throws a `ValidationError` where others than its user can read a file.
func expectPrivate(_ file: String, _ option: String) throws {
  if let complaint = SecretFile.complaint(of: file) { throw ValidationError("\(option): \(complaint)") }
}
