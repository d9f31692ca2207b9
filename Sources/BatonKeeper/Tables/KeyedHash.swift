package import BatonLasting

/// SipHash-2-4 with 128 bits. Its key is the store's secret, which no peer knows: nobody can make two contents, keys or
/// names with the same digest. Digests are kept instead of bytes, and are the same after a restart.
package struct KeyedHash {
  private var a: UInt64
  private var b: UInt64
  private var c: UInt64
  private var d: UInt64
  private var tail: UInt64 = 0
  private var count: UInt64 = 0

  package init(_ secret: Secret) {
    a = 0x736f_6d65_7073_6575 ^ secret.low
    b = 0x646f_7261_6e64_6f6d ^ secret.high ^ 0xee
    c = 0x6c79_6765_6e65_7261 ^ secret.low
    d = 0x7465_6462_7974_6573 ^ secret.high
  }

  private mutating func mix() {
    a = a &+ b
    b = (b << 13 | b >> 51) ^ a
    a = a << 32 | a >> 32
    c = c &+ d
    d = (d << 16 | d >> 48) ^ c
    a = a &+ d
    d = (d << 21 | d >> 43) ^ a
    c = c &+ b
    b = (b << 17 | b >> 47) ^ c
    c = c << 32 | c >> 32
  }

  private mutating func absorb(_ word: UInt64) {
    d ^= word
    mix()
    mix()
    a ^= word
  }

  package mutating func add(_ byte: UInt8) {
    tail |= UInt64(byte) << (8 * (count & 7))
    count &+= 1
    if count & 7 == 0 {
      absorb(tail)
      tail = 0
    }
  }

  /// Adds a part with its length, so that two parts never run into each other.
  package mutating func add(part bytes: UnsafeRawBufferPointer) {
    add(word: UInt64(bytes.count))
    let words = bytes.count & ~7
    for place in stride(from: 0, to: words, by: 8) {
      add(word: UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)))
    }
    for place in words..<bytes.count { add(bytes[place]) }
  }

  /// The same.
  package mutating func add(part bytes: [UInt8]) { bytes.withUnsafeBytes { add(part: $0) } }

  /// Eight bytes, the lowest one first.
  private mutating func add(word: UInt64) {
    let shift = 8 * (count & 7)
    count &+= 8
    absorb(tail | word << shift)
    tail = shift == 0 ? 0 : word >> (64 - shift)
  }

  package consuming func digest() -> Digest {
    absorb(count << 56 | tail)
    c ^= 0xee
    for _ in 0..<4 { mix() }
    let low = a ^ b ^ c ^ d
    b ^= 0xdd
    for _ in 0..<4 { mix() }
    return Digest(high: low, low: a ^ b ^ c ^ d)
  }

  /// The digest of one part or two.
  package static func digest(_ secret: Secret, _ one: [UInt8], _ two: [UInt8]? = nil) -> Digest {
    var hash = KeyedHash(secret)
    hash.add(part: one)
    if let two { hash.add(part: two) }
    return hash.digest()
  }
}

extension Digest {
  var pair: Pair { Pair(high, low) }
}

/// The digest of the bytes that came last: most messages are of the same chain and the same sender as the one before.
struct LastDigest {
  private var bytes: [UInt8] = []
  private var digest: Digest?

  mutating func of(_ bytes: [UInt8], _ secret: Secret) -> Digest {
    if let digest, bytes == self.bytes { return digest }
    let digest = KeyedHash.digest(secret, bytes)
    (self.bytes, self.digest) = (bytes, digest)
    return digest
  }
}
