#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// A lock on the file of a store itself. `FILE.mark` belongs to a name, and the file may be given another one while a server
/// uses it.
///
/// It is of the kind that belongs to an open descriptor (OFD), and on a byte that SQLite does not lock. To close any descriptor
/// of the file lets go the locks that SQLite has in this process: so this one is opened before SQLite opens the file, and closed
/// after it. Where the system has no such locks, there is none.
final class StoreLock {
  private var descriptor: Int32 = -1
  #if os(Linux)
    /// `F_OFD_SETLK`, which Swift does not see: the same on all kinds of machines.
    private static let setLock: Int32 = 37
    private static let getLock: Int32 = 36
    private static let wanted = lock(on: 1 << 61)

    private static func lock(on byte: Int, _ type: Int32 = F_WRLCK) -> flock {
      var lock = flock()
      (lock.l_type, lock.l_whence) = (Int16(type), Int16(SEEK_SET))
      (lock.l_start, lock.l_len) = (byte, 1)
      return lock
    }
  #endif

  /// Whether somebody holds the lock of the file; nil where the system does not tell. It is asked before SQLite opens the
  /// file.
  static func isHeld(on path: String) -> Bool? {
    #if os(Linux)
      return isHeld(wanted, on: path)
    #else
      return nil
    #endif
  }

  /// Whether a program of SQLite, one that keeps no log, writes into the file now (its page "File Locking": RESERVED). It is
  /// asked before SQLite opens the file, as above.
  static func isWritten(_ path: String) -> Bool {
    #if os(Linux)
      return isHeld(lock(on: 0x4000_0001), on: path) ?? false
    #else
      return false
    #endif
  }

  #if os(Linux)
    private static func isHeld(_ lock: flock, on path: String) -> Bool? {
      let descriptor = open(path, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return nil }
      defer { close(descriptor) }
      var lock = lock
      return fcntl(descriptor, getLock, &lock) == 0 ? lock.l_type != Int16(F_UNLCK) : nil
    }
  #endif

  /// `path` is the file; SQLite says what is wrong if it cannot be opened.
  init(on path: String, _ name: String) throws(StoreError) {
    #if os(Linux)
      let opened = open(path, O_RDWR | O_CLOEXEC)
      guard opened >= 0 else { return }
      var lock = Self.wanted
      if fcntl(opened, Self.setLock, &lock) == 0 {
        descriptor = opened
        return
      }
      let reason = errno
      close(opened)
      guard reason == EAGAIN || reason == EACCES else { return }
      throw StoreError(
        "\(name) is in use by another server, which knows it by another name; stop that one, or give this one another file",
        mayPass: true)
    #endif
  }

  deinit { release() }

  /// Gives the lock up. SQLite has closed the file.
  func release() {
    guard descriptor >= 0 else { return }
    #if os(Linux)
      // A process that is being started beside this one has the descriptor, too, for a moment.
      var none = Self.lock(on: Self.wanted.l_start, F_UNLCK)
      _ = fcntl(descriptor, Self.setLock, &none)
    #endif
    close(descriptor)
    descriptor = -1
  }
}
