/// One JSON value that stands alone and is to become a part of a line, such as the body of a request of HTTP.
///
/// It is read by the same reader as a line, and to the same depth: what is right here is right in the line.
package enum LoneValue {
  /// Finds out whether `text` is exactly one JSON value, perhaps with white space around it. A line feed is never right
  /// in it, so the value has none. The text must be shorter than 4 GiB, and the byte after it in memory must be readable
  /// and must be a line feed.
  ///
  /// - Parameter maximumDepth: levels that the line may be nested, 1 to 10,000. The line's own object counts as 1, so
  ///   that the value may have one level less.
  /// - Returns: where the value stands and its kind, or the first fault.
  package static func read(
    _ text: UnsafeRawBufferPointer, maximumDepth: Int
  ) -> Result<MemberValue, ScanFault> {
    var reading = Reading(maximumDepth: maximumDepth)
    return Result { () throws(ScanFault) in
      while true { if let value = try reading.goOn(in: text, .max) { return value } }
    }
  }

  /// The same with each read checked, and without a byte after the text. It is slower.
  package static func readChecked(
    _ text: UnsafeRawBufferPointer, maximumDepth: Int
  ) -> Result<MemberValue, ScanFault> {
    var reading = Reading(maximumDepth: maximumDepth)
    return Result { () throws(ScanFault) in
      while true { if let value = try reading.goOn(TokenReader(CheckedBytes(text)), .max) { return value } }
    }
  }

  /// The same in steps: a long value is not read at once, so that others can have their turns. Only a string is.
  package struct Reading: ~Copyable {
    private let nesting: Nesting
    /// Where an object or array is read on, and where it began; nil before that.
    private var place: Nesting.Place?
    private var start = 0

    /// Nothing is read yet.
    package init(maximumDepth: Int) { nesting = Nesting(maximumDepth: maximumDepth) }

    /// Reads on: about `most` bytes more, or all that is left of a string. It is the same `text` each time, perhaps at
    /// another place in memory.
    ///
    /// - Returns: the value; nil if it has not ended yet. Throws the first fault. After either, nothing may be read.
    package mutating func goOn(in text: UnsafeRawBufferPointer, _ most: Int) throws(ScanFault) -> MemberValue? {
      precondition(text.count < UInt32.max)
      guard let base = text.baseAddress else { return try goOn(TokenReader(CheckedBytes(text)), most) }
      return try goOn(TokenReader(UncheckedBytes(text, at: base)), most)
    }

    fileprivate mutating func goOn(
      _ reader: TokenReader<some ByteSource>, _ most: Int
    ) throws(ScanFault) -> MemberValue? {
      if place == nil {
        start = reader.skipSpace(from: 0)
        let first = reader.source[start]
        guard first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else {
          let scalar = try reader.scalar(first, from: start)
          return try alone(MemberValue(from: start, to: scalar.end, kind: scalar.kind), reader)
        }
      }
      var place = place ?? Nesting.Place(offset: start)
      let limit = place.offset + min(most, reader.source.count)
      let isWhole = try nesting.skip(reader, from: &place, until: limit)
      self.place = place
      guard isWhole else { return nil }
      let isObject = reader.source[start] == UInt8(ascii: "{")
      return try alone(MemberValue(from: start, to: place.offset, kind: isObject ? .object : .array), reader)
    }

    private func alone(
      _ value: MemberValue, _ reader: TokenReader<some ByteSource>
    ) throws(ScanFault) -> MemberValue {
      let behind = reader.skipSpace(from: Int(value.end))
      guard behind == reader.source.count else { throw reader.fault(.behindObject, at: behind) }
      return value
    }
  }
}
