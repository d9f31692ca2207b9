#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// Small files in which the system tells about itself.
enum SystemFile {
  /// The first bytes of a file; nil if it cannot be read.
  static func text(_ path: String, atMost size: Int = 16 << 10) -> String? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var isRead = true
    let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, initialized in
      // Some of these files come in pieces of a page.
      while let start = buffer.baseAddress, initialized < size {
        let count = read(file, start + initialized, size - initialized)
        isRead = count >= 0 || initialized > 0
        guard count > 0 else { return }
        initialized += count
      }
    }
    return isRead ? String(decoding: bytes, as: UTF8.self) : nil
  }

  /// The number with which the file begins.
  static func number(_ path: String) -> Int? {
    text(path)?.split(whereSeparator: \.isWhitespace).first.flatMap { Int($0) }
  }
}
