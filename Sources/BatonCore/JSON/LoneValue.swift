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
    precondition(text.count < UInt32.max)
    do {
      guard let base = text.baseAddress else {
        return .success(try value(TokenReader(CheckedBytes(text)), maximumDepth: maximumDepth))
      }
      return .success(try value(TokenReader(UncheckedBytes(text, at: base)), maximumDepth: maximumDepth))
    } catch {
      return .failure(error)
    }
  }

  /// The same with each read checked, and without a byte after the text. It is slower.
  package static func readChecked(
    _ text: UnsafeRawBufferPointer, maximumDepth: Int
  ) -> Result<MemberValue, ScanFault> {
    do {
      return .success(try value(TokenReader(CheckedBytes(text)), maximumDepth: maximumDepth))
    } catch {
      return .failure(error)
    }
  }

  private static func value(
    _ reader: TokenReader<some ByteSource>, maximumDepth: Int
  ) throws(ScanFault) -> MemberValue {
    let start = reader.skipSpace(from: 0)
    let first = reader.source[start]
    let value: MemberValue
    if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
      let end = try Nesting(maximumDepth: maximumDepth).skip(reader, from: start)
      value = MemberValue(from: start, to: end, kind: first == UInt8(ascii: "{") ? .object : .array)
    } else {
      let scalar = try reader.scalar(first, from: start)
      value = MemberValue(from: start, to: scalar.end, kind: scalar.kind)
    }
    let behind = reader.skipSpace(from: Int(value.end))
    guard behind == reader.source.count else { throw reader.fault(.behindObject, at: behind) }
    return value
  }
}
