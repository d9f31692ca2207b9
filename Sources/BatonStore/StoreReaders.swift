#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// Other processes that read a store, as far as the system tells. Linux lists the locks of all files with their processes.
/// A program that reads locks a byte of FILE-shm (SQLite's page "WAL-mode File Format": WAL_READ_LOCK).
///
/// The file is not opened: whoever closes a descriptor of it lets go the locks that SQLite has in this process.
enum StoreReaders {
  private static let readLocks = 123...127
  /// As much of the list as is read.
  private static let mostBytes = 1 << 20

  /// The number of one of them; nil if there is none, if it is in another container, or the system does not tell.
  static func first(of path: String) -> Int? {
    var facts = stat()
    guard stat(path + "-shm", &facts) == 0, let list = fopen("/proc/locks", "re") else { return nil }
    defer { fclose(list) }
    var bytes = [UInt8](repeating: 0, count: mostBytes)
    let count = fread(&bytes, 1, bytes.count, list)
    return first(in: String(decoding: bytes[..<count], as: UTF8.self), inode: UInt64(facts.st_ino), but: Int(getpid()))
  }

  /// A line is `3: POSIX  ADVISORY  READ 4711 fd:01:1234 124 124`: the process, the file, and the bytes that are locked.
  static func first(in list: String, inode: UInt64, but own: Int) -> Int? {
    for line in list.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count == 8, words[1] == "POSIX", words[5].split(separator: ":").last == "\(inode)",
        let process = Int(words[4]), process > 0, process != own,
        let from = Int(words[6]), let to = Int(words[7]), from <= to, readLocks.overlaps(from...to)
      else { continue }
      return process
    }
    return nil
  }
}
