internal import COpenSSL

/// A key of Ed25519 that is made of its seed (RFC 8032).
public final class SeedKey {
  private let key: OpaquePointer

  /// Nil if the seed has not 32 bytes.
  public init?(_ seed: [UInt8]) {
    guard seed.count == 32, let key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, seed, seed.count) else {
      return nil
    }
    self.key = key
  }

  deinit { EVP_PKEY_free(key) }

  /// The public key: 32 bytes.
  public var publicBytes: [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 32)
    var count = bytes.count
    return EVP_PKEY_get_raw_public_key(key, &bytes, &count) == 1 ? bytes : []
  }

  /// The signature of bytes: 64 bytes; nil if there is no memory for it.
  public func signature(of bytes: [UInt8]) -> [UInt8]? {
    guard let context = EVP_MD_CTX_new() else { return nil }
    defer { EVP_MD_CTX_free(context) }
    var signature = [UInt8](repeating: 0, count: 64)
    var count = signature.count
    guard EVP_DigestSignInit(context, nil, nil, nil, key) == 1,
      EVP_DigestSign(context, &signature, &count, bytes, bytes.count) == 1
    else { return nil }
    return signature
  }
}
