internal import COpenSSL

/// SHA-256, as it stands in the record: 64 digits.
enum Digests {
  static let count = 32
  /// What stands in the place of the hash of a line before the first one.
  static let zeros = [UInt8](repeating: UInt8(ascii: "0"), count: 64)

  /// The digest of bytes, as digits.
  static func hex(of bytes: UnsafeRawBufferPointer) -> [UInt8] {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count) { digest in
      copenssl_sha256(bytes.baseAddress, bytes.count, digest.baseAddress)
      return hex(digest)
    }
  }

  static func hex(of bytes: ArraySlice<UInt8>) -> [UInt8] { bytes.withUnsafeBytes { hex(of: $0) } }
  static func hex(of bytes: [UInt8]) -> [UInt8] { bytes.withUnsafeBytes { hex(of: $0) } }

  static func hex(_ bytes: some Collection<UInt8>) -> [UInt8] {
    var digits: [UInt8] = []
    digits.reserveCapacity(bytes.count * 2)
    for byte in bytes {
      digits.append(digit(byte >> 4))
      digits.append(digit(byte & 15))
    }
    return digits
  }

  static func digit(_ value: UInt8) -> UInt8 { value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10 }
}

extension RecordOptions {
  /// The SHA-256 of a file's bytes, in hex.
  package static func digest(of bytes: [UInt8]) -> String { String(decoding: Digests.hex(of: bytes), as: UTF8.self) }
}
