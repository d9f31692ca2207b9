extension LineScanner {
  /// The member that a string of a validated line names; nil if it is not the name of a member.
  package func member(named name: MemberValue, in line: UnsafeRawBufferPointer) -> Member? {
    guard name.textCount(in: line) <= MemberKey.maximumCount else { return nil }
    return withUnsafeTemporaryAllocation(byteCount: MemberKey.maximumCount, alignment: 1) { bytes in
      let count = name.copyText(in: line, into: bytes)
      guard let key = MemberKey(bytes[..<count]) else { return nil }
      return members[key]
    }
  }

  /// The members on the top level of a line in which `scan` found no fault, in their order. Repeated and unknown ones
  /// are included. It reads the line a second time, so it is for lines that are refused, not for every message.
  package static func membersAsTheyStand(in line: UnsafeRawBufferPointer) -> ObjectMembers {
    ObjectMembers(of: MemberValue(from: 0, to: line.count, kind: .object), in: line)
  }
}
