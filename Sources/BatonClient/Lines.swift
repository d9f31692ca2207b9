/// Makes lines of bytes as they come. A line that comes in many pieces is put together once, at its end.
struct LineSplitter {
  private var unfinished: [UInt8] = []

  /// Hands over the lines that end in these bytes, without their line feeds, until `take` returns false.
  mutating func split(_ bytes: UnsafeRawBufferPointer, _ take: (UnsafeRawBufferPointer) -> Bool) {
    var start = 0
    while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
      let piece = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
      start = end + 1
      if unfinished.isEmpty {
        guard take(piece) else { return }
      } else {
        // The parser wants the end of the line to be there.
        let line = unfinished + piece + [UInt8(ascii: "\n")]
        unfinished = []
        guard line.withUnsafeBytes({ take(UnsafeRawBufferPointer(rebasing: $0.dropLast())) }) else { return }
      }
    }
    unfinished += bytes[start...]
  }
}
