#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// What may not stand beside the file of a store when it is opened. SQLite would take it for a part of the file.
extension StorePath {
  /// Names of files beside a store end so.
  static let ends = ["-journal", "-wal", "-shm", ".mark"]

  /// SQLite and a server would take a store of such a name for a file of another one, and overwrite or remove it. And a disk
  /// must have room for the names of those beside it.
  static func refuseNameBeside(_ name: String) throws(StoreError) {
    if let end = ends.first(where: name.hasSuffix) {
      throw StoreError("\(name) ends with \(end), as a file beside a store does; give it another name")
    }
    // Most disks take names of 255 bytes.
    let longest = 255 - (ends.map(\.utf8.count).max() ?? 0)
    if (name.split(separator: "/").last?.utf8.count ?? 0) > longest {
      throw StoreError(
        "\(name) has a name of more than \(longest) bytes, and the files beside it would have longer ones; give it a shorter "
          + "name")
    }
  }

  /// SQLite would wait for a FIFO for ever, read a device for ever, and follows no link.
  static func refuseWhatIsNoFile(_ path: String, _ name: String) throws(StoreError) {
    for end in ends {
      var about = stat()
      guard lstat(path + end, &about) == 0 else {
        try refuseUnknown(errno, name + end)
        continue
      }
      guard about.st_mode & S_IFMT != S_IFREG else {
        if about.st_nlink == 1 { continue }
        throw StoreError("\(name)\(end) has another name, too (a hard link); remove the other name, or move it away")
      }
      let kind =
        switch about.st_mode & S_IFMT {
        case S_IFDIR: "a folder"
        case S_IFLNK: "a symbolic link"
        case S_IFIFO: "a FIFO"
        default: "no file"
        }
      throw StoreError("\(name)\(end) is \(kind), where a store has a file of its own; move it away")
    }
  }

  /// The log of a store that a copy was put in the place of would be taken into the copy, and an older log into a store
  /// whose server ended in order. Both say in their header that they have no log (bytes 18 and 19 are 1), and a server says
  /// otherwise before it begins one.
  static func refuseForeignLog(_ path: String, _ name: String) throws(StoreError) {
    guard try size(of: path + "-wal") > 0, bytes(18..<20, of: path) == [1, 1] else { return }
    throw StoreError(
      "\(name) has no log (it is a copy, or its server ended in order), and \(name)-wal beside it is an older one, or that of "
        + "another store; move \(name)-wal and \(name)-shm away, so that nothing of it is taken into \(name)")
  }

  /// A journal of SQLite (`FILE-journal`) has what stood in a file before somebody began to write. Whoever opens the file next
  /// puts that back, also into another file that has the name now. A server and its tools write none, but beside a file that
  /// was empty: then there is nothing in it yet. Another program may, into a store that no server uses: while it writes, it is
  /// waited for.
  static func refuseJournal(_ path: String, _ name: String, patience: Duration) throws(StoreError) {
    let (own, log, mark) = (try size(of: path), try size(of: path + "-wal"), try size(of: path + ".mark"))
    let hasBegun = own > Schema.pageBytes || log > 0 || mark > 0
    if !hasBegun, isOfAnEmptyFile(path + "-journal") { return }
    let end = ContinuousClock.now + patience
    while hasHotJournal(path) {
      if StoreLock.isWritten(path), .now < end {
        usleep(10_000)
      } else if hasHotJournal(path) {
        throw StoreError(
          "\(name)-journal is beside it: a program (sqlite3) writes into \(name) now, or was killed while it wrote into a file of "
            + "this name; let it end, or, if it was this very file, have sqlite3 open it, which takes back what it wrote; if "
            + "\(name) was put there since, move \(name)-journal away, so that nothing of it is taken into \(name)")
      }
    }
  }

  /// SQLite looks, too, once it has put back what a journal or a log has.
  static func refuseNoDatabase(_ path: String, _ name: String) throws(StoreError) {
    guard let start = bytes(0..<16, of: path), start != Array("SQLite format 3\0".utf8) else { return }
    for end in ["-journal", "-wal"] where try size(of: path + end) > 0 { return }
    throw Opening.noDatabase(name)
  }

  /// Whether the journal says that there was nothing: eight bytes by which it is known, two numbers, and that of the pages.
  private static func isOfAnEmptyFile(_ path: String) -> Bool {
    bytes(0..<8, of: path) == [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]
      && bytes(16..<20, of: path) == [0, 0, 0, 0]
  }

  /// A journal whose first byte is 0 is over. What cannot be read is put back by nobody; SQLite says what is wrong.
  static func hasHotJournal(_ path: String) -> Bool { bytes(0..<1, of: path + "-journal").map { $0 != [0] } ?? false }

  /// Bytes of a file; nil if it does not have them, or nobody may read it.
  private static func bytes(_ range: Range<Int>, of path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: range.count)
    return pread(descriptor, &bytes, bytes.count, off_t(range.lowerBound)) == bytes.count ? bytes : nil
  }
}
