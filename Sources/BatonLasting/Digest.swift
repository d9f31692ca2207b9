/// 128 random bits that a store keeps from its first day.
package struct Secret: BitwiseCopyable, Equatable, Sendable {
  package var high: UInt64
  package var low: UInt64

  package init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }
}

/// 128 bits that stand for bytes.
package struct Digest: BitwiseCopyable, Hashable, Sendable {
  package var high: UInt64
  package var low: UInt64

  package init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }
}
