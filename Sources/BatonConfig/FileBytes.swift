#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// Reads files that people wrote.
package enum FileBytes {
  /// What may be read: at a start whatever gives bytes, and a pipe whose writer comes late is waited for. At a reload it
  /// is files alone: a pipe was used up at the start, and must not let the server wait for somebody.
  package enum Kind: Sendable {
    case anything, regularFile
  }

  /// The bytes of a file; a mistake if it cannot be read or has more. `name` is the file in the mistake's words.
  package static func read(
    _ path: String, _ kind: Kind, named name: String, atMost most: Int, origin: Origin
  ) throws(ConfigMistake) -> [UInt8] {
    // Without O_NONBLOCK the system waits for the writer of a pipe. With it, a pipe without one looks like an empty file.
    let file = open(path, O_RDONLY | O_CLOEXEC | (kind == .regularFile ? O_NONBLOCK : 0))
    guard file >= 0 else { throw ConfigMistake(origin, "\(name) cannot be read: \(reason)") }
    defer { close(file) }
    var facts = stat()
    if kind == .regularFile, fstat(file, &facts) != 0 || facts.st_mode & S_IFMT != S_IFREG {
      throw ConfigMistake(origin, "\(name) is no regular file, and a reload reads nothing else")
    }
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
