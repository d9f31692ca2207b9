/// A message that has ended, as the record is told it: one piece of memory, which goes from the router to the thread that
/// writes. Texts are as the router has them; nothing of them is read before that thread.
package struct RecordedEnd: Sendable {
  /// The parts, in the order in which they stand in `bytes`.
  package enum Part: Int, CaseIterable, Sendable {
    /// Names, without quotes.
    case chain, identity
    /// Strings of JSON; empty if they are not there.
    case topic, from, traceparent, by, key
    /// Entries of JSON, joined by commas.
    case steps, said
    /// JSON as it came; empty if it is not there.
    case payload, meta
    /// The payload that a link gave in its place; empty if none did.
    case after
    /// What links gave: for each the number of its step, the number of bytes, and the bytes (`Rewriting`).
    case rewritten
  }

  /// What is a number or a word of the contract.
  package struct Head: Sendable {
    package var walk = 0
    package var version: Int?
    /// Which of the operator's files was in force when the message entered: 0 at the start, one more with each reload.
    package var file = 0
    package var door: StaticString?
    package var isBroadcast = false
    package var isAll = false
    package var stored: [UInt8] = []
    package var attempt = 0
    package var isFinal = false
    package var status: StaticString = ""
    package var cause: StaticString?
    package var hops = 0
    package var isAgain = false
    package var microseconds = 0
    package var keyWait: Int?
    package var isTruncated = false

    package init() {}
  }

  package let head: Head
  package let bytes: [UInt8]
  private static let lengths = Part.allCases.count * 4

  /// `parts` has as many as there are, in their order.
  package init(_ head: Head, _ parts: [UnsafeRawBufferPointer]) {
    self.head = head
    let count = parts.reduce(Self.lengths) { $0 + $1.count }
    bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, used in
      let memory = UnsafeMutableRawBufferPointer(buffer)
      var offset = Self.lengths
      for (number, part) in parts.enumerated() {
        memory.storeBytes(of: UInt32(truncatingIfNeeded: part.count), toByteOffset: number * 4, as: UInt32.self)
        UnsafeMutableRawBufferPointer(rebasing: memory[offset..<offset + part.count]).copyMemory(from: part)
        offset += part.count
      }
      used = count
    }
  }

  /// The same parts with another head.
  package init(_ head: Head, _ other: RecordedEnd) { (self.head, bytes) = (head, other.bytes) }

  /// The bytes of a part.
  package func part(_ part: Part) -> ArraySlice<UInt8> {
    bytes.withUnsafeBytes { all in
      func length(_ number: Int) -> Int { Int(all.load(fromByteOffset: number * 4, as: UInt32.self)) }
      let start = (0..<part.rawValue).reduce(Self.lengths) { $0 + length($1) }
      return bytes[start..<start + length(part.rawValue)]
    }
  }
}

/// What a link gave in place of a payload, in `RecordedEnd.Part.rewritten`.
package enum Rewriting {
  /// The bytes before each: the number of the step, and the number of bytes.
  package static let head = 8
  /// In place of the number of bytes: there was no room for them.
  package static let leftOut = UInt32.max

  /// Each, in order; `bytes` is nil where there was no room.
  package static func all(in part: ArraySlice<UInt8>) -> [(step: Int, bytes: ArraySlice<UInt8>?)] {
    var found: [(step: Int, bytes: ArraySlice<UInt8>?)] = []
    var at = part.startIndex
    while at + head <= part.endIndex {
      let step = number(part, at)
      let count = number(part, at + 4)
      at += head
      guard count != leftOut else {
        found.append((Int(step), nil))
        continue
      }
      let end = min(part.endIndex, at + Int(count))
      found.append((Int(step), part[at..<end]))
      at = end
    }
    return found
  }

  private static func number(_ part: ArraySlice<UInt8>, _ at: Int) -> UInt32 {
    (0..<4).reduce(0) { $0 | UInt32(part[at + $1]) << UInt32($1 * 8) }
  }
}

/// What the router hands to the record, in order.
package enum RecordItem: Sendable {
  /// A message has ended.
  case end(RecordedEnd)
  /// A stored message is a dead letter from now on.
  case dead(stored: [UInt8], chain: [UInt8], tries: Int, cause: StaticString)
  /// So many ends were not recorded, because too many lines waited; the first one came so many microseconds before.
  case missed(Int, ago: Int)
}
