extension Condition {
  /// Reads a condition in a line that was found to be right. `identity` says whether it may speak of the sender's identity.
  package static func read(
    _ value: MemberValue, in line: UnsafeRawBufferPointer, identity: Bool
  ) throws(ConditionFault) -> Condition {
    try ConditionReader.read(value, in: line, identity: identity)
  }

  /// The same for one value of JSON, which stands in one line.
  package static func read(json: [UInt8], identity: Bool) throws(ConditionFault) -> Condition {
    let line = json + [UInt8(ascii: "\n")]
    let read = line.withUnsafeBytes { bytes -> Result<Condition, ConditionFault> in
      let text = UnsafeRawBufferPointer(rebasing: bytes.dropLast())
      guard case .success(let value) = LoneValue.read(text, maximumDepth: 1000) else {
        return .failure(ConditionFault(place: "", text: "is not one JSON value"))
      }
      return Result { () throws(ConditionFault) in try Condition.read(value, in: text, identity: identity) }
    }
    return try read.get()
  }
}

/// A condition that several hold: a link's settings are copied often.
package final class LinkCondition: Equatable, Sendable {
  package let condition: Condition

  package init(_ condition: Condition) { self.condition = condition }

  /// What it counts like patterns: one for each 64 bytes begun.
  package var weight: Int { (condition.spelling.count + 63) / 64 }

  /// Spelled in the same way.
  package static func == (left: LinkCondition, right: LinkCondition) -> Bool {
    left === right || left.condition.spelling == right.condition.spelling
  }
}
