#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// Keeps other servers from making their sockets in a directory while it is held. A server asks whether a socket is a
/// dead server's and then puts its own in that place; no other server may do the same in between.
///
/// The lock is advisory (`flock`), leaves nothing behind, and ends with the process. If the server cannot get it, the
/// server goes on without it. Then only servers that start at the very same moment can disturb each other.
struct DirectoryLock: ~Copyable {
  private let directory: Int32

  /// Attempts, one in each millisecond. A process that holds the lock for longer is no server.
  private static let patience = 2000

  /// Waits for the directory in which `path` is.
  init(directoryOf path: String) {
    let name = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    directory = open(name, O_RDONLY | O_CLOEXEC)
    guard directory >= 0 else { return }
    for _ in 0..<DirectoryLock.patience {
      if flock(directory, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK { return }
      usleep(1000)
    }
  }

  deinit { if directory >= 0 { close(directory) } }
}
