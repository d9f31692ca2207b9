#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// The file of a Unix socket at which this process listens, and what has to be known and done about it.
struct UnixSocketFile {
  let path: String
  private let device: dev_t
  private let inode: ino_t

  /// The socket just bound at `path`, from now on for its owner alone; nil where that cannot be done, and then the
  /// file is gone.
  init?(restricting path: String) {
    var about = stat()
    guard chmod(path, 0o600) == 0, lstat(path, &about) == 0 else {
      unlink(path)
      return nil
    }
    self.path = path
    device = about.st_dev
    inode = about.st_ino
  }

  /// Removes the file, unless it is another's by now. To be called while the socket still listens: nobody takes it for
  /// a dead one's until then.
  func remove() {
    var about = stat()
    if lstat(path, &about) == 0, about.st_dev == device, about.st_ino == inode { unlink(path) }
  }

  /// Removes the socket file of a server that died: one that nobody listens at. Everything else stays.
  static func removeIfStale(_ path: String) {
    if isSocket(path) && isRefused(path) { unlink(path) }
  }

  /// Whether a socket, dead or alive, is at the path.
  static func isSocket(_ path: String) -> Bool {
    var about = stat()
    return lstat(path, &about) == 0 && about.st_mode & S_IFMT == S_IFSOCK
  }

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
