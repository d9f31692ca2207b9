/// What a durable message says. It is in one piece of memory, because it goes from hand to hand. The keeper only carries and
/// compares it.
package struct DurableContent: Equatable, Sendable {
  /// One after the other: topic, mode and meta, as an object of JSON; who sent it, and whether it is traced; its key; its
  /// payload, or nothing if it has none.
  package var bytes: [UInt8] = []
  /// Where the first three of them end.
  package var headEnd = 0
  package var fromEnd = 0
  package var keyEnd = 0
  package var hasKey = false

  package init() {}

  package init(head: [UInt8], from: [UInt8], key: [UInt8]?, payload: [UInt8]) {
    bytes = head + from + (key ?? []) + payload
    (headEnd, fromEnd) = (head.count, head.count + from.count)
    (keyEnd, hasKey) = (fromEnd + (key?.count ?? 0), key != nil)
  }

  /// Topic, mode and meta as they were sent. With chain, key and payload they are what `once` compares.
  package var head: [UInt8] { Array(bytes[..<headEnd]) }

  /// Who sent it, as its offers say. It is not compared.
  package var from: [UInt8] {
    get { Array(bytes[headEnd..<fromEnd]) }
    set { self = DurableContent(head: head, from: newValue, key: key, payload: payload) }
  }

  /// Its key; nil if it has none.
  package var key: [UInt8]? { hasKey ? Array(bytes[fromEnd..<keyEnd]) : nil }

  package var payload: [UInt8] {
    get { Array(bytes[keyEnd...]) }
    set { self = DurableContent(head: head, from: from, key: key, payload: newValue) }
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
