/// Makes lines of bytes as they come. A line that comes in many pieces is put together once, at its end.
struct LineSplitter {
  private let longest: Int
  private var unfinished: [UInt8] = []

  /// `longest` is the most bytes of a line: no Baton server sends a longer one.
  init(longest: Int = 256 << 20) { self.longest = longest }

  /// Hands over the lines that end in these bytes, without their line feeds, until `take` returns false. Returns whether
  /// what comes can still become a line.
  mutating func split(_ bytes: UnsafeRawBufferPointer, _ take: (UnsafeRawBufferPointer) -> Bool) -> Bool {
    var start = 0
    while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
      let piece = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
      start = end + 1
      if unfinished.isEmpty {
        guard take(piece) else { return true }
      } else {
        // The parser wants the end of the line to be there.
        let line = unfinished + piece + [UInt8(ascii: "\n")]
        unfinished = []
        guard line.withUnsafeBytes({ take(UnsafeRawBufferPointer(rebasing: $0.dropLast())) }) else { return true }
      }
    }
    unfinished += bytes[start...]
    return unfinished.count <= longest
  }
}
