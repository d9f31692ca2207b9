extension Condition {
  /// Reads a condition in a line that was found to be right. `identity` says whether it may speak of the sender's identity.
  package static func read(
    _ value: MemberValue, in line: UnsafeRawBufferPointer, identity: Bool
  ) throws(ConditionFault) -> Condition {
    try ConditionReader.read(value, in: line, identity: identity)
  }
}
