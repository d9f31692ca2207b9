internal import HTTP

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// Makes text messages of a WebSocket out of lines: a frame of each line, without its LF.
///
/// A line may be longer than what is framed at once. Its frame says its whole length first, and its bytes follow as
/// they come: nothing is kept of it.
struct LineFrames {
  /// The bytes of the latest line that have not come, without its LF; nil if it has ended.
  private var missing: Int?

  /// Whether a frame has been begun and not ended. Nothing else may come between.
  var isInFrame: Bool { missing != nil }

  /// Writes the frames of `buffers` to `room`, which has place for twice the bytes and 64 more: a frame has a head of up to
  /// ten bytes, and the shortest line of the router has twelve. Returns how many bytes they are. `length` tells the bytes before the next LF, of a line that begins so many bytes behind the start
  /// of `buffers` and does not end in them.
  mutating func frame(
    _ buffers: UnsafeBufferPointer<UnsafeRawBufferPointer>, into room: UnsafeMutableRawBufferPointer,
    length: (_ start: Int) -> Int
  ) -> Int {
    var filled = 0
    var passed = 0
    var place = (buffer: 0, offset: 0)
    while place.buffer < buffers.count {
      guard place.offset < buffers[place.buffer].count else {
        place = (place.buffer + 1, 0)
        continue
      }
      let (end, count, isEnded) = LineFrames.lineEnd(in: buffers, from: place)
      if missing == nil {
        let whole = isEnded ? count : length(passed)
        filled += FrameWriter.textHead(of: whole, into: UnsafeMutableRawBufferPointer(rebasing: room[filled...]))
        missing = whole
      }
      filled = LineFrames.copy(buffers, from: place, count, into: room, at: filled)
      missing = isEnded ? nil : missing.map { $0 - count }
      passed += count + 1
      place = isEnded ? (end.buffer, end.offset + 1) : end
    }
    return filled
  }

  /// Finds the LF that ends a line, or the end of everything. `count` is the number of bytes before it.
  @inline(__always)
  static func lineEnd(
    in buffers: UnsafeBufferPointer<UnsafeRawBufferPointer>, from start: (buffer: Int, offset: Int)
  ) -> (end: (buffer: Int, offset: Int), count: Int, isEnded: Bool) {
    var (buffer, offset) = start
    var count = 0
    while buffer < buffers.count {
      let left = buffers[buffer].count - offset
      if left > 0, let base = buffers[buffer].baseAddress, let found = memchr(base + offset, 10, left) {
        let more = UnsafeRawPointer(found) - (base + offset)
        return ((buffer, offset + more), count + more, true)
      }
      count += left
      buffer += 1
      offset = 0
    }
    return ((buffer, 0), count, false)
  }

  /// Copies `count` bytes that stand at `start` and behind it. Returns the end of what is filled then.
  @inline(__always)
  static func copy(
    _ buffers: UnsafeBufferPointer<UnsafeRawBufferPointer>, from start: (buffer: Int, offset: Int), _ count: Int,
    into room: UnsafeMutableRawBufferPointer, at filled: Int
  ) -> Int {
    var (buffer, offset) = start
    var left = count
    var filled = filled
    precondition(filled + count <= room.count, "the frames have outgrown their room")
    while left > 0 {
      let part = min(left, buffers[buffer].count - offset)
      if part > 0, let target = room.baseAddress, let source = buffers[buffer].baseAddress {
        memcpy(target + filled, source + offset, part)
      }
      filled += part
      left -= part
      buffer += 1
      offset = 0
    }
    return filled
  }
}
