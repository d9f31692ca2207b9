#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// The file of a Unix socket at which this process listens: who may use it, whether it is stale, and its removal.
struct UnixSocketFile {
  let path: String
  private let device: dev_t
  private let inode: ino_t

  /// The socket that was just bound at `path`; from now on only its owner may use it, or those whom `mode` and `group`
  /// let. Returns nil if that cannot be done, and removes the file.
  init?(restricting path: String, mode: UInt16? = nil, group: UInt32? = nil) {
    var about = stat()
    let isGiven = group.map { chown(path, uid_t.max, $0) == 0 } ?? true
    guard isGiven, chmod(path, mode_t(mode ?? 0o600)) == 0, lstat(path, &about) == 0 else {
      unlink(path)
      return nil
    }
    self.path = path
    device = about.st_dev
    inode = about.st_ino
  }

  /// Lets others use the socket from now on; `old` is the mode that it has. Returns false if that cannot be done; then it
  /// is as before. The file of another server that has the place by now stays as it is.
  func restrict(from old: UInt16?, to mode: UInt16?, group: UInt32?) -> Bool {
    var about = stat()
    guard lstat(path, &about) == 0, about.st_dev == device, about.st_ino == inode else { return true }
    // In between only those may who may before and after.
    let (old, new) = (mode_t(old ?? 0o600), mode_t(mode ?? 0o600))
    if chmod(path, old & new) == 0, chown(path, uid_t.max, group ?? getegid()) == 0, chmod(path, new) == 0 {
      return true
    }
    _ = chown(path, uid_t.max, about.st_gid)
    _ = chmod(path, old)
    return false
  }

  /// Whether nothing is at the path any more, or something else: somebody removed the file, and nobody can connect.
  var isGone: Bool {
    var about = stat()
    guard lstat(path, &about) == 0 else { return errno == ENOENT || errno == ENOTDIR }
    return about.st_dev != device || about.st_ino != inode
  }

  /// Removes the file, unless another server's file has its place by now. Call it while the socket still listens: until
  /// then no server takes the file for a dead server's.
  func remove() {
    var about = stat()
    if lstat(path, &about) == 0, about.st_dev == device, about.st_ino == inode { unlink(path) }
  }

  /// Removes the socket file of a server that died: a socket at which nobody listens. Everything else stays.
  static func removeIfStale(_ path: String) {
    if isSocket(path) && isRefused(path) { unlink(path) }
  }

  /// Whether there is a socket at the path, dead or alive.
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
    // If the socket's queue is full, a blocking connect would wait.
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
