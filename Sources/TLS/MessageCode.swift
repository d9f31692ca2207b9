internal import COpenSSL

/// Codes of bytes, by SHA-256.
public enum MessageCode {
  /// The SHA-256 of bytes.
  public static func digest(of bytes: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
    copenssl_sha256(bytes, bytes.count, &digest)
    return digest
  }

  /// What only somebody with the key can make of bytes (HMAC-SHA256, RFC 2104).
  public static func code(of bytes: [UInt8], key: [UInt8]) -> [UInt8] {
    let block = 64
    let short = key.count > block ? digest(of: key) : key
    let whole = short + [UInt8](repeating: 0, count: block - short.count)
    return digest(of: whole.map { $0 ^ 0x5C } + digest(of: whole.map { $0 ^ 0x36 } + bytes))
  }
}
