import BatonCore
import Testing

/// Which part of the messages a message is in (contract, section 5, `percent`).
@Suite("Buckets") struct BucketTests {
  @Test(
    "Keys and walks have the buckets that the contract names",
    arguments: [
      ("ann", 47), ("bob", 4), ("eve", 90), ("ä", 35), ("1", 83), ("2", 37), ("3", 11),
    ])
  func named(text: String, bucket: Int) { #expect(Bucket.of(text.utf8) == bucket) }

  @Test("The check value of CRC-32 is that of zlib") func check() { #expect(CRC32.of("123456789".utf8) == 0xCBF4_3926) }
}
