public import BatonCore
internal import COpenSSL

extension TokenDigest {
  /// The SHA-256 of a token's text.
  public init(of token: UnsafeRawBufferPointer) {
    let digest = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32) { digest in
      copenssl_sha256(token.baseAddress, token.count, digest.baseAddress)
      return TokenDigest(digest)
    }
    guard let digest else { preconditionFailure("a SHA-256 has 32 bytes") }
    self = digest
  }

  /// The SHA-256 of a token's text.
  public init(of token: String) {
    var token = token
    self = token.withUTF8 { TokenDigest(of: UnsafeRawBufferPointer($0)) }
  }

  /// As the configuration file spells it: `sha256:` and 64 digits.
  public var spelling: String { TokenDigest.prefix + bytes.map(TokenDigest.hexadecimal).joined() }

  /// Reads `sha256:` and 64 digits; nil for anything else.
  public init?(spelling: String) {
    let digits = spelling.utf8.dropFirst(TokenDigest.prefix.utf8.count)
    guard spelling.hasPrefix(TokenDigest.prefix), digits.count == 64 else { return nil }
    var bytes: [UInt8] = []
    var high: UInt8?
    for digit in digits {
      guard let value = TokenDigest.value(of: digit) else { return nil }
      if let left = high {
        bytes.append(left << 4 | value)
        high = nil
      } else {
        high = value
      }
    }
    self.init(bytes)
  }

  static let prefix = "sha256:"

  private var bytes: [UInt8] {
    (0..<4).flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: words[word] >> (56 - 8 * UInt64($0))) } }
  }

  private static func hexadecimal(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16)
    return byte < 16 ? "0" + digits : digits
  }

  private static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
