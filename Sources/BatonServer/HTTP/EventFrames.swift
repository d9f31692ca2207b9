/// Makes server-sent events out of lines: `data:` with the line, an `event:` before it where the line is no event, and an
/// `id:` behind it where the event is kept.
struct EventFrames {
  /// Whether the last line has been begun and not ended.
  private(set) var isInLine = false
  /// The beginning of a line that is too short to tell what it is.
  private var beginning: [UInt8] = []
  /// What the numbers of kept events belong to; nil if their places are not told.
  var epoch: [UInt8]?
  private var isEvent = false
  /// Whether a line was an error: then the reader may have lost its topics.
  private(set) var hasRefused = false
  /// Whether the line is the router's word to this door: to which place the reader has come. It gets that place alone.
  private var isPlace = false
  /// The last bytes of a line that has not ended.
  private var tail: [UInt8] = []

  /// The most bytes that are added to so many bytes of lines: the shortest line of the router has twelve bytes, and one
  /// with a number has forty at least.
  static func mostAdded(to count: Int) -> Int { 3 * count + 64 + EventPosition.longestField }
  /// As many bytes as the number of a kept event takes, with its name and the brace behind it.
  private static let longestEnd = 32

  /// What lines that are no events begin with, and the events that they are: an `EventSource` has an `error` of its own.
  private static let named = [("missed", "missed"), ("draining", "draining"), ("error", "refused")].map {
    (Array("{\"op\":\"\($0)\"".utf8), Array("event: \($1)\n".utf8))
  }
  /// As many bytes tell what a line is.
  private static let telling = 16

  /// Writes the events of `buffers` to `room`, which has place for the bytes and `mostAdded` to them. Returns how many
  /// bytes they are.
  mutating func frame(
    _ buffers: UnsafeBufferPointer<UnsafeRawBufferPointer>, into room: UnsafeMutableRawBufferPointer
  ) -> Int {
    var filled = 0
    var place = (buffer: 0, offset: 0)
    while place.buffer < buffers.count {
      guard place.offset < buffers[place.buffer].count else {
        place = (place.buffer + 1, 0)
        continue
      }
      let (end, count, isEnded) = LineFrames.lineEnd(in: buffers, from: place)
      if !isInLine {
        var first = [UInt8](repeating: 0, count: min(count, EventFrames.telling))
        first.withUnsafeMutableBytes { target in
          _ = LineFrames.copy(buffers, from: place, target.count, into: target, at: 0)
        }
        first = beginning + first
        if first.count < EventFrames.telling, !isEnded {
          beginning = first
          return filled
        }
        isEvent = first.starts(with: EventFrames.event)
        isPlace = first.starts(with: EventFrames.place)
        if first.starts(with: EventFrames.error) { hasRefused = true }
        tail = beginning
        if !isPlace {
          filled = EventFrames.begin(first, into: room, at: filled)
          filled = EventFrames.put(beginning, into: room, at: filled)
        }
        beginning = []
      }
      let start = filled
      filled = LineFrames.copy(buffers, from: place, count, into: room, at: filled)
      EventFrames.blankReturns(UnsafeMutableRawBufferPointer(rebasing: room[start..<filled]))
      isInLine = !isEnded
      if epoch != nil {
        tail = (tail + room[start..<filled].suffix(EventFrames.longestEnd)).suffix(EventFrames.longestEnd)
      }
      if isPlace { filled = start }
      if isEnded {
        if !isPlace { filled = EventFrames.put([10], into: room, at: filled) }
        if isEvent || isPlace, let epoch, let seq = EventPosition.seq(atEndOf: tail) {
          filled = EventFrames.put(EventPosition.field(epoch, seq), into: room, at: filled)
        }
        filled = EventFrames.put([10], into: room, at: filled)
      }
      place = isEnded ? (end.buffer, end.offset + 1) : end
    }
    return filled
  }

  /// In such a stream a CR ends a line. In a line of the router it stands between tokens of JSON only, where a space means
  /// the same.
  private static func blankReturns(_ bytes: UnsafeMutableRawBufferPointer) {
    // Each byte is written, so that the compiler takes many at once.
    for at in bytes.indices { bytes[at] = bytes[at] == 13 ? 32 : bytes[at] }
  }

  private static func begin(_ first: [UInt8], into room: UnsafeMutableRawBufferPointer, at filled: Int) -> Int {
    var filled = filled
    for (start, event) in named where first.starts(with: start) { filled = put(event, into: room, at: filled) }
    return put(data, into: room, at: filled)
  }

  private static let event = Array("{\"op\":\"event\"".utf8)
  private static let error = Array("{\"op\":\"error\"".utf8)
  private static let place = Array("{\"op\":\"place\"".utf8)
  private static let data = Array("data: ".utf8)

  private static func put(_ bytes: [UInt8], into room: UnsafeMutableRawBufferPointer, at filled: Int) -> Int {
    UnsafeMutableRawBufferPointer(rebasing: room[filled...]).copyBytes(from: bytes)
    return filled + bytes.count
  }
}
