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

  /// Reads what is in the pipe now, and closes it: other programs that it started may keep the pipe open.
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

  /// How many bytes the program has not read yet, without those in the kernel's buffer.
  var unsentCount: Int { unsent.count + (written?.count ?? 0) }

  /// Writes bytes. Does nothing if the program no longer reads.
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
