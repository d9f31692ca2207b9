#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// The file `FILE.mark` beside a store: a lock that one server holds as long as it lives, and the random mark of its start.
///
/// A store whose own mark is another one is not the one that this machine wrote last: it was restored, or copied. What it
/// remembers of the file is more than its bytes: also its inode and when it was changed last (ctime), which no copy keeps.
final class StoreMark {
  private var descriptor: Int32
  private let path: String
  /// Whether the file was made just now, and nothing is in it.
  private var isEmpty = false

  /// Takes the lock. `store` is the store's path. `otherwise`: what else to do if a server has it.
  init(of store: String, otherwise: String = ", or give this one another file") throws(StoreError) {
    path = store + ".mark"
    descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    isEmpty = descriptor >= 0
    // It is a file, or nothing of that name: `StorePath` has looked.
    if descriptor < 0, errno == EEXIST { descriptor = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) }
    guard descriptor >= 0 else {
      let reason = errno
      let advice =
        [EMFILE, ENFILE].contains(reason)
        ? StorePath.moreFiles
        : StoreError.mayPass(reason)
          ? "see that its disk is there and has room, also for files (df -i)"
          : "let this user read and write it and in its folder"
      throw StoreError(
        "\(path) cannot be opened: \(systemWords(reason)); a store needs this file beside it: \(advice)",
        mayPass: StoreError.mayPass(reason))
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let reason = errno
      close(descriptor)
      // Whoever has the lock has the file, too.
      descriptor = -1
      if reason == EWOULDBLOCK {
        throw StoreError(
          "\(store) is in use by another server, or baton store compact is at work; stop that one" + otherwise,
          mayPass: true)
      }
      throw StoreError("\(path) cannot be locked: \(systemWords(reason)); put the store on a disk of this machine")
    }
  }

  deinit { release() }

  /// Whether somebody holds the lock of the store of this path; nil if this user may not know.
  static func isHeld(of store: String) -> Bool? {
    let descriptor = open(store + ".mark", O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return errno == ENOENT ? false : nil }
    defer { close(descriptor) }
    return flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
  }

  /// Gives the lock up. Of a start that was refused no file stays.
  func release() {
    guard descriptor >= 0 else { return }
    if isEmpty { unlink(path) }
    // A process that is being started beside this one has the descriptor, too, for a moment.
    flock(descriptor, LOCK_UN)
    close(descriptor)
    descriptor = -1
  }

  /// The mark, and what the system says of its file; nil if it cannot be read.
  func read() -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    var about = stat()
    guard count >= 0, fstat(descriptor, &about) == 0 else { return nil }
    #if canImport(Darwin)
      let changed = about.st_ctimespec
    #else
      let changed = about.st_ctim
    #endif
    let facts = [UInt64(about.st_ino), UInt64(bitPattern: Int64(changed.tv_sec)), UInt64(changed.tv_nsec)]
    return bytes.prefix(count) + facts.flatMap(Facts.bytes)
  }

  /// Writes the mark, and waits for the disk. Returns what `read` gives from now on. Half a mark is no mark: then the store
  /// does not continue.
  func write(_ mark: [UInt8]) throws(StoreError) -> [UInt8] {
    isEmpty = false
    if pwrite(descriptor, mark, mark.count, 0) == mark.count, ftruncate(descriptor, off_t(mark.count)) == 0,
      fsync(descriptor) == 0
    {
      if let written = read() { return written }
      throw StoreError("\(path) cannot be read: \(systemWords(errno)); see that its disk is there")
    }
    throw StoreError("\(path) cannot be written: \(StorePath.words(errno))")
  }
}
