package import BatonLasting

/// How results are spelled. The keeper reads none of them.
package struct ResultSpelling: Sendable {
  /// Makes a result short for which there is no room: what it says without what may be long.
  let shorten: @Sendable ([UInt8]) -> [UInt8]
  /// The result of a message whose bytes are damaged, with the number of its last try.
  let damaged: @Sendable (StoredID, UInt32) -> [UInt8]

  /// The result of a message of which no try has an end that counts.
  let none: @Sendable (StoredID) -> [UInt8]

  package init(
    shorten: @escaping @Sendable ([UInt8]) -> [UInt8], damaged: @escaping @Sendable (StoredID, UInt32) -> [UInt8],
    none: @escaping @Sendable (StoredID) -> [UInt8]
  ) {
    (self.shorten, self.damaged, self.none) = (shorten, damaged, none)
  }
}
