internal import BatonCore

/// A token: what a peer shows to be known. `baton_`, 256 random bits as 43 characters, and a checksum of 6.
///
/// The prefix and the checksum let programs that look for secrets in files know it. The server does not look at them:
/// it compares the SHA-256 of the whole text only.
public struct Token: Sendable {
  /// The whole token.
  public let text: String

  static let prefix = "baton_"
  /// What every token looks like, as a regular expression.
  public static let expression = "baton_[A-Za-z0-9_-]{43}[0-9A-Za-z]{6}"

  /// A new token from four random numbers.
  public init(using luck: inout some RandomNumberGenerator) {
    let random = Token.base64((0..<4).flatMap { _ in Token.bytes(of: luck.next()) })
    text = Token.prefix + random + Token.checksum(of: random)
  }

  /// A new token from the system's random numbers.
  public init() {
    var luck = SystemRandomNumberGenerator()
    self.init(using: &luck)
  }

  /// Whether a text is a token with the right checksum.
  public static func isToken(_ text: String) -> Bool {
    let rest = text.dropFirst(prefix.count)
    guard text.hasPrefix(prefix), rest.utf8.count == 49, rest.utf8.allSatisfy(alphabet.contains) else { return false }
    return checksum(of: String(rest.prefix(43))) == rest.suffix(6)
  }

  // MARK: Its parts

  private static let digits = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  private static func bytes(of number: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
  }

  /// Base64 for URLs, without padding.
  private static func base64(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    var (bits, count): (UInt32, UInt32) = (0, 0)
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      count += 8
      while count >= 6 {
        count -= 6
        text.append(alphabet[Int(bits >> count & 63)])
      }
    }
    if count > 0 { text.append(alphabet[Int(bits << (6 - count) & 63)]) }
    return String(decoding: text, as: UTF8.self)
  }

  /// The CRC-32 of a text as six digits to the base of 62.
  private static func checksum(of text: String) -> String {
    var rest = CRC32.of(text.utf8)
    var sum: [UInt8] = []
    for _ in 0..<6 {
      sum.append(digits[Int(rest % 62)])
      rest /= 62
    }
    return String(decoding: sum.reversed(), as: UTF8.self)
  }
}
