#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// Bytes that a child reads from a descriptor of its own: a file that no folder shows, at its beginning.
public final class ChildFile: Sendable {
  /// The descriptor under which the child has it.
  public static let childsNumber: Int32 = 3

  let number: Int32

  /// Writes the bytes into a new file in the folder for temporary files. Throws if there is no room for it.
  public init(_ bytes: [UInt8]) throws(UVError) {
    let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var path = "\(folder)/baton-XXXXXX".utf8CString
    let opened = path.withUnsafeMutableBufferPointer { path in
      let opened = path.baseAddress.map { mkstemp($0) } ?? -1
      if opened >= 0, let base = path.baseAddress { unlink(base) }
      return opened
    }
    guard opened >= 0 else { throw UVError(code: -errno) }
    _ = fcntl(opened, F_SETFD, FD_CLOEXEC)
    number = opened
    let fault = bytes.withUnsafeBytes { all -> Int32 in
      var rest = all[...]
      while !rest.isEmpty {
        let count = write(opened, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return count == 0 ? ENOSPC : errno }
        rest = rest.dropFirst(count)
      }
      return 0
    }
    guard fault == 0 else { throw UVError(code: -fault) }
    lseek(opened, 0, SEEK_SET)
  }

  deinit { close(number) }
}
