/// What a message says: bytes that the keeper only carries and compares. They are in one piece of memory, because they go
/// from hand to hand.
package struct Content: Equatable, Sendable {
  /// Head, sender, key and payload, one after the other, and where the first three of them end.
  package let bytes: [UInt8]
  package let headEnd: Int
  package let fromEnd: Int
  package let keyEnd: Int
  package let hasKey: Bool

  package init(bytes: [UInt8], headEnd: Int, fromEnd: Int, keyEnd: Int, hasKey: Bool) {
    (self.bytes, self.headEnd, self.fromEnd, self.keyEnd) = (bytes, headEnd, fromEnd, keyEnd)
    self.hasKey = hasKey
  }

  package init(head: [UInt8], from: [UInt8], key: [UInt8]?, payload: [UInt8]) {
    let fromEnd = head.count + from.count
    self.init(
      bytes: head + from + (key ?? []) + payload, headEnd: head.count, fromEnd: fromEnd,
      keyEnd: fromEnd + (key?.count ?? 0), hasKey: key != nil)
  }

  /// Topic, mode and meta as they were sent. With chain, key and payload they are what `once` compares.
  package var head: [UInt8] { Array(bytes[..<headEnd]) }

  /// Who sent it, as its offers say. It is not compared.
  package var from: [UInt8] {
    get { Array(bytes[headEnd..<fromEnd]) }
    set { self = Content(head: head, from: newValue, key: key, payload: payload) }
  }

  /// Its key; nil if it has none.
  package var key: [UInt8]? { hasKey ? Array(bytes[fromEnd..<keyEnd]) : nil }

  package var payload: [UInt8] {
    get { Array(bytes[keyEnd...]) }
    set { self = Content(head: head, from: from, key: key, payload: newValue) }
  }

  /// Head, sender, key and payload where they stand, while `body` runs.
  package func withParts<Failure: Error>(
    _ body: (
      _ head: UnsafeRawBufferPointer, _ from: UnsafeRawBufferPointer, _ key: UnsafeRawBufferPointer,
      _ payload: UnsafeRawBufferPointer
    ) throws(Failure) -> Void
  ) throws(Failure) {
    try bytes.withUnsafeBufferPointer { (bytes) throws(Failure) in
      let bytes = UnsafeRawBufferPointer(bytes)
      func part(_ from: Int, _ to: Int) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[from..<to]) }
      try body(part(0, headEnd), part(headEnd, fromEnd), part(fromEnd, keyEnd), part(keyEnd, bytes.count))
    }
  }
}
