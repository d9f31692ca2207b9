import ArgumentParser

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// Standard input. Reading blocks the main thread, which has nothing else to do: all other work is done on other
/// threads.
@MainActor enum StandardInput {
  /// The most bytes of one line, or of the whole input: far more than any server accepts.
  nonisolated static let most = 64 << 20
  private static var bytes: [UInt8] = []
  private static var read = 0
  private static var hasEnded = false

  /// Whether it is a pipe, a socket or a file, which programs give to each other; not a terminal, and not `/dev/null`.
  nonisolated static var isPiped: Bool {
    var facts = stat()
    guard fstat(STDIN_FILENO, &facts) == 0 else { return false }
    return [S_IFIFO, S_IFSOCK, S_IFREG].contains(facts.st_mode & S_IFMT)
  }

  /// The next line without its end; nil at the end.
  static func line() throws -> [UInt8]? {
    var searched = read
    while true {
      if let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        let line = bytes[read..<end]
        read = end + 1
        return Array(line.last == UInt8(ascii: "\r") ? line.dropLast() : line)
      }
      if hasEnded {
        defer { read = bytes.count }
        return read < bytes.count ? Array(bytes[read...]) : nil
      }
      bytes.removeSubrange(..<read)
      read = 0
      searched = bytes.count
      try readOn()
    }
  }

  /// Everything up to the end.
  static func all() throws -> [UInt8] {
    while !hasEnded { try readOn() }
    defer { read = bytes.count }
    return Array(bytes[read...])
  }

  private static func readOn() throws {
    guard bytes.count <= most else {
      throw ValidationError("standard input has more than \(most >> 20) MiB in one piece")
    }
    hasEnded = try !appendPart(from: STDIN_FILENO, named: "standard input", to: &bytes)
  }
}

/// The content of a file. Throws a `ValidationError` if it cannot be read, or has more than standard input may have.
func contents(ofFile path: String) throws -> [UInt8] {
  let file = open(path, O_RDONLY | O_CLOEXEC)
  guard file >= 0 else { throw ValidationError("\(path) cannot be read: \(String(cString: strerror(errno)))") }
  defer { close(file) }
  var bytes: [UInt8] = []
  while try appendPart(from: file, named: path, to: &bytes) {
    guard bytes.count <= StandardInput.most else {
      throw ValidationError("\(path) has more than \(StandardInput.most >> 20) MiB")
    }
  }
  return bytes
}

/// Replaces the content of a file. Throws a `ValidationError` if it cannot be written.
func write(_ text: String, toFile path: String) throws {
  let file = fopen(path, "w")
  let isWritten = file.map { fputs(text + "\n", $0) >= 0 } ?? false
  let isClosed = file.map { fclose($0) == 0 } ?? false
  guard isWritten, isClosed else {
    throw ValidationError("\(path) cannot be written: \(String(cString: strerror(errno)))")
  }
}

/// Reads once; false at the end.
private func appendPart(from file: Int32, named name: String, to bytes: inout [UInt8]) throws -> Bool {
  try withUnsafeTemporaryAllocation(byteCount: 65536, alignment: 1) { part in
    while true {
      let count = read(file, part.baseAddress, part.count)
      if count >= 0 {
        bytes += UnsafeRawBufferPointer(part)[..<count]
        return count > 0
      }
      guard errno == EINTR else {
        throw ValidationError("\(name) cannot be read: \(String(cString: strerror(errno)))")
      }
    }
  }
}
