#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// The question on standard input.
enum HookReading {
  /// The most bytes of a question.
  static let most = 4 << 20

  /// Why it cannot be read.
  struct Fault: Error {
    let words: String
  }

  /// Reads to the end, also what is too long: an agent that cannot write all of its question runs the tool.
  static func question() throws(Fault) -> [UInt8] {
    var bytes: [UInt8] = []
    var isTooLong = false
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 1)
    defer { piece.deallocate() }
    while true {
      let count = read(STDIN_FILENO, piece.baseAddress, piece.count)
      if count > 0 {
        if bytes.count + count > most { isTooLong = true }
        if !isTooLong { bytes += piece.prefix(count) }
      } else if count == 0 {
        if isTooLong { throw Fault(words: "the question has more than \(most) bytes") }
        return bytes
      } else if errno == EAGAIN {
        var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        _ = poll(&input, 1, -1)
      } else if errno != EINTR {
        throw Fault(words: "the question cannot be read: \(String(cString: strerror(errno)))")
      }
    }
  }
}
