internal import COpenSSL

/// A key of Ed25519 that signs heads, or that checks their signatures.
///
/// `@unchecked Sendable` because OpenSSL's key is used for reading alone.
package final class RecordKey: @unchecked Sendable {
  private let key: OpaquePointer
  /// The SHA-256 of the public key as DER, in hex: what a head names it by.
  package let name: String

  /// A private key, or a public one, as PEM. Throws a sentence about what is wrong with it; `path` is named in it.
  package init(pem: [UInt8], path: String, isPrivate: Bool) throws(RecordError) {
    let found = pem.withUnsafeBytes { bytes -> OpaquePointer? in
      guard let bio = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count)) else { return nil }
      defer { BIO_free(bio) }
      // A key with a password asks nobody for it.
      return isPrivate
        ? PEM_read_bio_PrivateKey(bio, nil, { _, _, _, _ in -1 }, nil) : PEM_read_bio_PUBKEY(bio, nil, nil, nil)
    }
    ERR_clear_error()
    guard let found else {
      throw RecordError(
        isPrivate
          ? "\(path) is no private key as PEM without a password; make one: openssl genpkey -algorithm ed25519"
          : "\(path) is no public key as PEM; make it of the private one: openssl pkey -in record.key -pubout")
    }
    guard EVP_PKEY_get_base_id(found) == EVP_PKEY_ED25519 else {
      EVP_PKEY_free(found)
      throw RecordError("\(path) is a key of another kind than Ed25519; make one: openssl genpkey -algorithm ed25519")
    }
    key = found
    var memory: UnsafeMutablePointer<UInt8>?
    let count = i2d_PUBKEY(found, &memory)
    let bytes = memory.map { Array(UnsafeBufferPointer(start: $0, count: Int(max(0, count)))) } ?? []
    CRYPTO_free(memory, nil, 0)
    name = String(decoding: Digests.hex(of: bytes), as: UTF8.self)
  }

  deinit { EVP_PKEY_free(key) }

  /// The signature of a text, in base64.
  func sign(_ text: [UInt8]) -> String? {
    guard let context = EVP_MD_CTX_new() else { return nil }
    defer { EVP_MD_CTX_free(context) }
    var signature = [UInt8](repeating: 0, count: 64)
    var count = signature.count
    guard EVP_DigestSignInit(context, nil, nil, nil, key) == 1,
      EVP_DigestSign(context, &signature, &count, text, text.count) == 1, count == 64
    else { return nil }
    return Base64.text(of: signature)
  }

  /// Whether a signature in base64 is one of this key for a text.
  func hasSigned(_ text: [UInt8], _ signature: String) -> Bool {
    guard let bytes = Base64.bytes(of: signature), bytes.count == 64, let context = EVP_MD_CTX_new() else {
      return false
    }
    defer { EVP_MD_CTX_free(context) }
    let isGood =
      EVP_DigestVerifyInit(context, nil, nil, nil, key) == 1
      && EVP_DigestVerify(context, bytes, bytes.count, text, text.count) == 1
    ERR_clear_error()
    return isGood
  }
}

/// Base64 with `=` at the end, in one spelling.
enum Base64 {
  static func text(of bytes: [UInt8]) -> String {
    var text = [UInt8](repeating: 0, count: (bytes.count + 2) / 3 * 4 + 1)
    let count = EVP_EncodeBlock(&text, bytes, Int32(clamping: bytes.count))
    return String(decoding: text.prefix(Int(count)), as: UTF8.self)
  }

  /// Nil if it is none, or another spelling.
  static func bytes(of text: String) -> [UInt8]? {
    let given = Array(text.utf8)
    guard !given.isEmpty, given.count % 4 == 0, given.count <= 1024 else { return nil }
    var bytes = [UInt8](repeating: 0, count: given.count / 4 * 3)
    guard EVP_DecodeBlock(&bytes, given, Int32(given.count)) == bytes.count else { return nil }
    bytes.removeLast(given.suffix(2).count { $0 == UInt8(ascii: "=") })
    return self.text(of: bytes) == text ? bytes : nil
  }
}
