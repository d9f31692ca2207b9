/// Makes lines out of bytes as they come.
struct LineGatherer {
  private(set) var unfinished: [UInt8] = []

  /// The lines that are whole now, without their ends.
  mutating func take(_ bytes: [UInt8]) -> [[UInt8]] {
    var lines: [[UInt8]] = []
    var start = 0
    while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
      lines.append(unfinished + bytes[start..<end])
      unfinished = []
      start = end + 1
    }
    unfinished += bytes[start...]
    return lines
  }

  /// What stands behind the last line's end; nil where nothing does.
  mutating func rest() -> [UInt8]? {
    defer { unfinished = [] }
    return unfinished.isEmpty ? nil : unfinished
  }
}
