/// The CRC-32 of IEEE 802.3, as zlib has it.
package enum CRC32 {
  /// Bit by bit: what is summed up is short.
  package static func of(_ bytes: some Sequence<UInt8>) -> UInt32 {
    var sum: UInt32 = .max
    for byte in bytes {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    }
    return ~sum
  }
}
