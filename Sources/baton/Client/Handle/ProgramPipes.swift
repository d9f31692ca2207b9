import UV

/// Reads what a program writes. Lives on its loop's thread.
final class ProgramOutput: StreamOwner {
  private let stream: UV.Stream
  private let take: ([UInt8]) -> Void

  init(_ stream: UV.Stream, take: @escaping ([UInt8]) -> Void) throws(UVError) {
    self.stream = stream
    self.take = take
    stream.owner = self
    try stream.startReading()
  }

  /// Takes what has been written by now, and closes: a program may leave others behind that keep the pipe open.
  func finish() {
    stream.takeAtHand()
    stream.close()
  }

  func received(_ bytes: UnsafeRawBufferPointer, from stream: UV.Stream) { take(Array(bytes)) }
  func ended(_ stream: UV.Stream) { stream.close() }
  func failed(_ stream: UV.Stream, _ error: UVError) { stream.close() }
  func wrote(_ count: Int, to stream: UV.Stream) {}
  func closed(_ stream: UV.Stream) {}
}

/// Writes what a program reads. Lives on its loop's thread.
final class ProgramInput: StreamOwner {
  private let stream: UV.Stream
  private var unsent: [UInt8] = []
  private var written: UnsafeMutableRawBufferPointer?
  private var isEnding = false

  init(_ stream: UV.Stream) {
    self.stream = stream
    stream.owner = self
  }

  /// Bytes that the program has not read yet, those aside that the kernel keeps for it.
  var unsentCount: Int { unsent.count + (written?.count ?? 0) }

  /// Writes; who does not read any more is told nothing.
  func send(_ bytes: [UInt8]) {
    guard !stream.isClosing, !isEnding else { return }
    unsent += bytes
    flush()
  }

  /// Ends the program's input once everything is written.
  func end() {
    isEnding = true
    flush()
  }

  func close() { stream.close() }

  private func flush() {
    guard !stream.isClosing, stream.writing == nil else { return }
    guard !unsent.isEmpty else {
      if isEnding { stream.close() }
      return
    }
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: unsent.count, alignment: 1)
    bytes.copyBytes(from: unsent)
    unsent = []
    written = bytes
    withUnsafeTemporaryAllocation(of: UnsafeRawBufferPointer.self, capacity: 1) { buffers in
      buffers.initializeElement(at: 0, to: UnsafeRawBufferPointer(bytes))
      do { try stream.write(UnsafeBufferPointer(buffers)) } catch { stream.close() }
    }
  }

  private func free() {
    written?.deallocate()
    written = nil
  }

  func wrote(_ count: Int, to stream: UV.Stream) {
    free()
    flush()
  }

  func failed(_ stream: UV.Stream, _ error: UVError) { stream.close() }
  func closed(_ stream: UV.Stream) { free() }
  func received(_ bytes: UnsafeRawBufferPointer, from stream: UV.Stream) {}
  func ended(_ stream: UV.Stream) {}
}
