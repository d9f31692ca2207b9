/// The tables, as checksums tell them apart.
enum RowKind {
  static let message: UInt8 = 1
  static let content: UInt8 = 2
  static let state: UInt8 = 3
  static let result: UInt8 = 4
  static let once: UInt8 = 5
  static let value: UInt8 = 6
  static let event: UInt8 = 7
  static let fact: UInt8 = 8
  /// A record of a log, which is no table.
  static let changes: UInt8 = 9
}
