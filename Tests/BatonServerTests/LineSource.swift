#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Lines from a descriptor, which it owns.
final class LineSource {
  let descriptor: Int32
  private var bytes: [UInt8] = []

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// The next line without its LF; nil at the end, after an error, or when nothing comes for too long.
  func line() -> String? {
    while true {
      if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
        defer { bytes.removeSubrange(...end) }
        return String(decoding: bytes[..<end], as: UTF8.self)
      }
      var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&wanted, 1, Program.patience) > 0 else { return nil }
      var part = [UInt8](repeating: 0, count: 4096)
      let count = read(descriptor, &part, part.count)
      guard count > 0 else { return nil }
      bytes += part[..<count]
    }
  }
}
