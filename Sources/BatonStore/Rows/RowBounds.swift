internal import BatonLasting

/// What a number in a file may be. Whoever has written into the file may have put any there; a disk may give back other
/// bytes than it got, too. What is beyond these bounds is damaged: so nothing that is added to what is within them is too
/// large for a number.
enum RowBounds {
  /// Numbers of rows, and what is compared with them: they are counted from 1 on.
  static let rows = 1...StoredID.mostCount
  /// The last number of an event that may have been used: the server counts on from there, and must not come to the end.
  static let mostReserved = StoredID.mostCount / 2
  /// Milliseconds since 1970.
  static let times = -Int64(StoredID.mostCount)...Int64(StoredID.mostCount)
  /// Tries of a message.
  static let tries = UInt32(0)...1_000_000
}
