/// Collects bytes and cuts them into lines.
struct LineGatherer {
  private(set) var unfinished: [UInt8] = []

  /// The lines that are complete now, without their ends.
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

  /// The beginning of a line as text, cut between characters.
  static func text(_ line: [UInt8], upTo most: Int) -> String {
    var end = min(line.count, most)
    while end < line.count, end > 0, line[end] & 0xC0 == 0x80 { end -= 1 }
    return String(decoding: line[..<end], as: UTF8.self)
  }

  /// The bytes after the end of the last line; nil if there are none.
  mutating func rest() -> [UInt8]? {
    defer { unfinished = [] }
    return unfinished.isEmpty ? nil : unfinished
  }
}
