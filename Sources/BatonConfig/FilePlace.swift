/// A place in the configuration file: line and column count from 1, columns in characters.
public struct FilePlace: Comparable, Hashable, Sendable, CustomStringConvertible {
  /// The line, from 1.
  public let line: Int
  /// The column, from 1, in characters.
  public let column: Int

  /// A place by its numbers.
  public init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  /// `LINE:COLUMN`.
  public var description: String { "\(line):\(column)" }

  /// Whether one place stands before the other.
  public static func < (left: FilePlace, right: FilePlace) -> Bool {
    (left.line, left.column) < (right.line, right.column)
  }

  /// The place some characters further on in the same line.
  func advanced(by characters: Int) -> FilePlace { FilePlace(line: line, column: column + characters) }
}
