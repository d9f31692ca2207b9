/// A place in the operator's file: line and column count from 1, columns in characters.
public struct FilePlace: Comparable, Hashable, Sendable, CustomStringConvertible {
  public let line: Int
  public let column: Int

  public init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  /// `LINE:COLUMN`.
  public var description: String { "\(line):\(column)" }

  public static func < (left: FilePlace, right: FilePlace) -> Bool {
    (left.line, left.column) < (right.line, right.column)
  }

  /// The place some characters further on in the same line.
  func advanced(by characters: Int) -> FilePlace { FilePlace(line: line, column: column + characters) }
}
