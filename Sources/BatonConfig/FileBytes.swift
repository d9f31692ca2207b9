#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// Reads files that people wrote.
enum FileBytes {
  /// The bytes of a file; a mistake if it cannot be read or has more. `name` is the file in the mistake's words.
  static func read(_ path: String, named name: String, atMost most: Int, origin: Origin) throws(ConfigMistake)
    -> [UInt8]
  {
    // A pipe that nobody writes to must not let the reader wait for somebody.
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { throw ConfigMistake(origin, "\(name) cannot be read: \(reason)") }
    defer { close(file) }
    _ = fcntl(file, F_SETFL, O_RDONLY)
    var bytes = [UInt8](repeating: 0, count: most + 1)
    var length = 0
    while length < bytes.count {
      let count = bytes.withUnsafeMutableBytes { part in
        Self.read(file, into: UnsafeMutableRawBufferPointer(rebasing: part[length...]))
      }
      guard count >= 0 else {
        if errno == EINTR { continue }
        throw ConfigMistake(origin, "\(name) cannot be read: \(reason)")
      }
      if count == 0 { break }
      length += count
    }
    guard length <= most else { throw ConfigMistake(origin, "\(name) has more than \(most) bytes") }
    return Array(bytes[..<length])
  }

  private static func read(_ file: Int32, into part: UnsafeMutableRawBufferPointer) -> Int {
    #if canImport(Darwin)
      Darwin.read(file, part.baseAddress, part.count)
    #else
      Glibc.read(file, part.baseAddress, part.count)
    #endif
  }

  private static var reason: String { String(cString: strerror(errno)) }
}
