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
    let isGiven = group.map { lchown(path, uid_t.max, $0) == 0 } ?? true
    guard isGiven, Self.setMode(of: path, to: mode_t(mode ?? 0o600)), lstat(path, &about) == 0 else {
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
    if Self.setMode(of: path, to: old & new), lchown(path, uid_t.max, group ?? getegid()) == 0,
      Self.setMode(of: path, to: new)
    {
      return true
    }
    _ = lchown(path, uid_t.max, about.st_gid)
    _ = Self.setMode(of: path, to: old)
    return false
  }

  /// Sets the mode of the file, and of nothing else: whoever may write in its folder may have put a link there meanwhile.
  private static func setMode(of path: String, to mode: mode_t) -> Bool {
    if fchmodat(AT_FDCWD, path, mode, AT_SYMLINK_NOFOLLOW) == 0 { return true }
    // Of a link the system says this, too, and of everything where it is too old, or has no /proc.
    return errno == ENOTSUP && isSocket(path) && chmod(path, mode) == 0
  }

  /// Whether nothing is at the path any more, or something else: somebody removed the file, and nobody can connect.
  var isGone: Bool {
    var about = stat()
    guard lstat(path, &about) == 0 else { return errno == ENOENT || errno == ENOTDIR }
    return about.st_dev != device || about.st_ino != inode
  }

  /// Removes the file, unless another configuration file has its place by now. Call it while the socket still listens: until
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
