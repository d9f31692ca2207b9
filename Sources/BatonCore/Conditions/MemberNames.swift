/// The names of members that are looked for, as a tree. Each has a number.
protocol MemberNames: ~Copyable {
  /// The bytes with which names below this one begin.
  func firstBytes(below above: Int) -> FirstBytes

  /// Whether names below this one are looked for.
  func hasNames(below above: Int) -> Bool

  /// The first of the names below this one that the name that was read last looks like; nil if there is none.
  func first(below above: Int, _ name: borrowing NameFolding) -> Int?

  /// The next one that looks like it.
  func next(behind number: Int, below above: Int, _ name: borrowing NameFolding) -> Int?

  /// Whether the name that was read last is this one, byte for byte.
  func isExactly(_ number: Int, _ name: borrowing NameFolding) -> Bool
}
