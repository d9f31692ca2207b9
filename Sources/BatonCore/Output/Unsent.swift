/// The first unsent bytes of a connection, in pieces, where they are. They are there for the length of one call: so this can
/// neither be copied nor kept.
public struct Unsent: ~Copyable {
  /// The pieces in their order.
  public let pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>
  /// The number of their bytes.
  public let count: Int
  /// What the line is that ends with them, at a door of HTTP; nil if none does, and at other doors.
  package let mark: LineMark?
  /// All that is unsent.
  private let outbox: UnsafePointer<Outbox>?

  /// Bytes that are no connection's.
  public init(_ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>) {
    self.pieces = pieces
    count = pieces.reduce(0) { $0 + $1.count }
    (mark, outbox) = (nil, nil)
  }

  init(
    _ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>, count: Int, mark: LineMark?, of outbox: UnsafePointer<Outbox>
  ) {
    (self.pieces, self.count, self.mark, self.outbox) = (pieces, count, mark, outbox)
  }

  /// The bytes of the line that begins so many bytes behind the first one, without its LF. It may end behind what is shown.
  package func lengthOfLine(from start: Int) -> Int { outbox?.pointee.lengthOfLine(from: start) ?? 0 }
}
