internal import TLS

#if canImport(FoundationEssentials)
  private import FoundationEssentials
#else
  private import Foundation
#endif

/// A key by which a user shows NATS who it is (NKey): a seed in base 32, `SU` and 56 more signs. It signs what the server gives
/// for that, and is never sent itself.
public struct NATSKey: Equatable, Sendable {
  private let seed: [UInt8]

  /// Nil if it is no seed of a user.
  public init?(_ text: String) {
    guard let bytes = NATSKey.bytes(of: text), bytes.count == 36, NATSKey.check(bytes.dropLast(2)) == bytes.suffix(2),
      bytes[0] & 0xF8 == NATSKey.seedKind, (bytes[0] & 7) << 5 | bytes[1] >> 3 == NATSKey.userKind
    else { return nil }
    seed = Array(bytes[2..<34])
  }

  /// The public key, as NATS knows the user: `U` and 55 more signs.
  var name: String? {
    guard let key = SeedKey(seed) else { return nil }
    let bytes = [NATSKey.userKind] + key.publicBytes
    return NATSKey.text(of: bytes + NATSKey.check(bytes[...]))
  }

  /// The signature of what the server gives, in base 64 as addresses have it.
  func signature(of nonce: String) -> String? {
    guard let signature = SeedKey(seed)?.signature(of: Array(nonce.utf8)) else { return nil }
    let text = Data(signature).base64EncodedString()
    return String(text.filter { $0 != "=" }.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
  }

  /// What the first bytes say: a seed, of a user.
  private static let seedKind: UInt8 = 18 << 3
  private static let userKind: UInt8 = 20 << 3

  /// CRC-16 (XMODEM), its lower byte first.
  private static func check(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var sum: UInt16 = 0
    for byte in bytes {
      sum ^= UInt16(byte) << 8
      for _ in 0..<8 { sum = sum & 0x8000 != 0 ? sum << 1 ^ 0x1021 : sum << 1 }
    }
    return [UInt8(sum & 0xFF), UInt8(sum >> 8)]
  }

  private static let signs = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

  private static func bytes(of text: String) -> [UInt8]? {
    var (bytes, bits, count): ([UInt8], UInt32, UInt32) = ([], 0, 0)
    for sign in text.utf8 {
      guard let value = signs.firstIndex(of: sign) else { return nil }
      (bits, count) = (bits << 5 | UInt32(value), count + 5)
      guard count >= 8 else { continue }
      count -= 8
      bytes.append(UInt8(truncatingIfNeeded: bits >> count))
    }
    return bytes
  }

  private static func text(of bytes: [UInt8]) -> String {
    var (text, bits, count): ([UInt8], UInt32, UInt32) = ([], 0, 0)
    for byte in bytes {
      (bits, count) = (bits << 8 | UInt32(byte), count + 8)
      while count >= 5 {
        count -= 5
        text.append(signs[Int(bits >> count & 31)])
      }
    }
    if count > 0 { text.append(signs[Int(bits << (5 - count) & 31)]) }
    return String(decoding: text, as: UTF8.self)
  }
}
