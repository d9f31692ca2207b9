extension LineScanner {
  /// The member that a string of a validated line names, or nil where it is none.
  package func member(named name: MemberValue, in line: UnsafeRawBufferPointer) -> Member? {
    guard name.textCount(in: line) <= MemberKey.maximumCount else { return nil }
    return withUnsafeTemporaryAllocation(byteCount: MemberKey.maximumCount, alignment: 1) { bytes in
      let count = name.copyText(in: line, into: bytes)
      guard let key = MemberKey(bytes[..<count]) else { return nil }
      return members[key]
    }
  }

  /// The members of a line in which `scan` found no fault, one by one as they stand on its top level, repeated and
  /// unknown ones too. It walks over the line anew: for telling what is wrong with it, not for the way of every message.
  package static func membersAsTheyStand(in line: UnsafeRawBufferPointer) -> ObjectMembers {
    ObjectMembers(of: MemberValue(from: 0, to: line.count, kind: .object), in: line)
  }
}
