#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// What has to be known and done about a Unix socket's file beside listening.
enum UnixSocketFile {
  /// Removes the socket file of a server that died: one that nobody listens at. Everything else stays.
  static func removeIfStale(_ path: String) {
    if isSocket(path) && isRefused(path) { unlink(path) }
  }

  /// Whether a socket, dead or alive, is at the path.
  static func isSocket(_ path: String) -> Bool {
    var about = stat()
    return lstat(path, &about) == 0 && about.st_mode & S_IFMT == S_IFSOCK
  }

  /// Lets only the file's owner connect; false where that cannot be done.
  static func restrict(_ path: String) -> Bool { chmod(path, 0o600) == 0 }

  private static func isRefused(_ path: String) -> Bool {
    #if canImport(Darwin)
      let asker = socket(AF_UNIX, SOCK_STREAM, 0)
    #else
      let asker = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    #endif
    guard asker >= 0 else { return false }
    defer { close(asker) }
    // A socket whose queue is full would make the question wait.
    _ = fcntl(asker, F_SETFL, O_NONBLOCK)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(asker, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    return result != 0 && errno == ECONNREFUSED
  }
}
