#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// Small files in which the system tells about itself.
enum SystemFile {
  /// The first 16 KiB of a file; nil if it cannot be read.
  static func text(_ path: String) -> String? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var count = 0
    let size = 16 << 10
    let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, initialized in
      count = read(file, buffer.baseAddress, size)
      initialized = max(count, 0)
    }
    return count < 0 ? nil : String(decoding: bytes, as: UTF8.self)
  }

  /// The number with which the file begins.
  static func number(_ path: String) -> Int? {
    text(path)?.split(whereSeparator: \.isWhitespace).first.flatMap { Int($0) }
  }
}
