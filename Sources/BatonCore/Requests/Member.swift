extension Member {
  /// The set that has only this member.
  @inline(__always)
  package var mask: MemberSet { 1 &<< MemberSet(rawValue) }

  /// The set that has these members.
  static func set(_ members: [Member]) -> MemberSet { members.reduce(0) { $0 | $1.mask } }
}
