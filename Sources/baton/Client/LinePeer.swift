import UV

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A connection that speaks lines as they are, without the client library: it cuts the bytes that come into lines, and writes
/// once a turn. Only its subclasses know what lines mean.
class LinePeer: StreamOwner {
  private let stream: UV.Stream
  private var beginning = LoadBuffer()
  private var output = LoadBuffer()
  /// What the kernel has not taken yet; it stays where it is while a write is under way.
  private var underWay = LoadBuffer()
  private var waitsForFlush = false

  /// Takes over a connection that is being opened.
  init(_ stream: UV.Stream) {
    self.stream = stream
    stream.owner = self
  }

  // MARK: For subclasses

  /// Whether it takes in what the server writes.
  var reads: Bool { true }

  /// The connection is established.
  func opened() {}

  /// Bytes were read now.
  func hears() {}

  /// A line has come, its LF aside.
  func took(_ line: UnsafeRawBufferPointer) {}

  /// Bytes have come; lines by default.
  func took(bytes: UnsafeRawBufferPointer) { takeLines(bytes) }

  /// It has something to send at the end of this turn: then `flush` is to be called.
  func wantsFlush() {}

  /// The connection is lost.
  func lost(_ words: String) {}

  /// Sends bytes at the end of this turn.
  @inline(__always)
  final func say(_ bytes: UnsafeRawBufferPointer) {
    output.append(bytes)
    if waitsForFlush { return }
    waitsForFlush = true
    wantsFlush()
  }

  final func say(_ text: String) {
    var text = text
    text.withUTF8 { say(UnsafeRawBufferPointer($0)) }
  }

  // MARK: Lines

  final func takeLines(_ bytes: UnsafeRawBufferPointer) {
    var start = 0
    if !beginning.isEmpty {
      guard let end = LinePeer.lineEnd(bytes, from: 0) else { return beginning.append(bytes) }
      beginning.append(UnsafeRawBufferPointer(rebasing: bytes[..<end]))
      took(beginning.bytes)
      beginning.clear()
      start = end + 1
    }
    while let end = LinePeer.lineEnd(bytes, from: start) {
      took(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
      start = end + 1
    }
    if start < bytes.count { beginning.append(UnsafeRawBufferPointer(rebasing: bytes[start...])) }
  }

  @inline(__always)
  private static func lineEnd(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
    guard let base = bytes.baseAddress, let end = memchr(base + start, 0x0A, bytes.count - start) else { return nil }
    return UnsafeRawPointer(end) - base
  }

  // MARK: The stream

  final func connected(_ stream: UV.Stream) {
    stream.setNoDelay()
    if reads {
      do throws(UVError) { try stream.startReading() } catch { return failed(stream, error) }
    }
    opened()
  }

  final func received(_ bytes: UnsafeRawBufferPointer, from stream: UV.Stream) {
    hears()
    took(bytes: bytes)
  }

  final func ended(_ stream: UV.Stream) { lost("the server ended a connection; its log says why") }

  final func failed(_ stream: UV.Stream, _ error: UVError) { lost("a connection failed: \(error)") }

  final func closed(_ stream: UV.Stream) {}

  final func close() { stream.close() }

  /// Writes the bytes that wait.
  final func flush() {
    waitsForFlush = false
    guard stream.writing == nil, !stream.isClosing else { return }
    do throws(UVError) {
      let taken = try withOne(output.bytes) { bytes throws(UVError) in try stream.tryWrite(bytes) }
      guard taken < output.count else { return output.clear() }
      output.removeFirst(taken)
      swap(&output, &underWay)
      try withOne(underWay.bytes) { bytes throws(UVError) in try stream.write(bytes) }
    } catch {
      failed(stream, error)
    }
  }

  final func wrote(_ count: Int, to stream: UV.Stream) {
    underWay.clear()
    if !output.isEmpty { flush() }
  }

  private func withOne<Result>(
    _ bytes: UnsafeRawBufferPointer,
    _ body: (UnsafeBufferPointer<UnsafeRawBufferPointer>) throws(UVError) -> Result
  ) throws(UVError) -> Result {
    var one = bytes
    return try withUnsafePointer(to: &one) { pointer throws(UVError) in
      try body(UnsafeBufferPointer(start: pointer, count: 1))
    }
  }
}
