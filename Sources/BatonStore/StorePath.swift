#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// Which file has a name; nil if none has it.
struct FileIdentity: Equatable {
  private let device: UInt64
  private let number: UInt64

  init?(of path: String) {
    var about = stat()
    // A link that has the name now is not the file, wherever it leads: the log beside it would not be found.
    guard lstat(path, &about) == 0 else { return nil }
    (device, number) = (UInt64(truncatingIfNeeded: about.st_dev), UInt64(about.st_ino))
  }
}

/// Where the file of a store is, without symbolic links: two names of one file are one store.
package struct StorePath {
  let path: String
  /// Whether the file has been made just now.
  let isNew: Bool

  /// A server's store is for its user alone, also where a copy was put back with other rights: SQLite makes the log beside it
  /// with the same ones, and payloads stand there in the clear (Docs/security.md). A file of another user stays as it is.
  private static func hide(_ path: String) {
    for one in [path, path + "-wal", path + "-shm"] {
      var about = stat()
      guard lstat(one, &about) == 0, about.st_mode & S_IFMT == S_IFREG, about.st_mode & 0o077 != 0 else { continue }
      _ = chmod(one, 0o600)
    }
  }

  /// Finds the file; makes it if it is not there and may be made.
  init(_ name: String, mayMake: Bool) throws(StoreError) {
    guard !name.isEmpty else { throw StoreError("the name of the store is empty; name a file") }
    if let path = Self.resolve(name) {
      try Self.refuseNameBeside(path)
      var about = stat()
      if stat(path, &about) != 0 { try Self.refuseUnknown(errno, name) }
      guard about.st_mode & S_IFMT == S_IFREG else {
        throw StoreError("\(name) is no file; name the file of a store")
      }
      guard about.st_nlink == 1 || mayMake && ComingCopy.undo(at: path) else {
        throw StoreError(
          "\(name) has another name, too (a hard link), and under each of them a server could use it; remove the other "
            + "name")
      }
      if mayMake { Self.hide(path) }
      try Self.refuseLeftBehind(path, name)
      try Self.refuseWhatIsNoFile(path, name)
      try Self.refuseCut(path, name, size: Int(about.st_size))
      try Self.refuseForeignLog(path, name)
      try Self.refuseJournal(path, name, patience: mayMake ? Opening.patience : .seconds(5))
      (self.path, isNew) = (path, false)
      return
    }
    try Self.refuseUnknown(errno, name)
    try Self.refuseLinkToNothing(name)
    try Self.refuseNameBeside(name)
    guard mayMake else {
      try Self.refuseCut(name, name, size: nil)
      throw StoreError("there is no store \(name); name the file that the server has (baton serve --store)")
    }
    let resolved = try Self.folder(of: name)
    path = Self.fromRoot(name, in: resolved)
    try Self.refuseWhatIsNoFile(path, name)
    try Self.refuseCut(path, name, size: nil)
    try Self.refuseJournal(path, name, patience: .zero)
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      let reason = errno
      throw StoreError(
        "the store \(name) cannot be made: \(Self.words(reason))", mayPass: StoreError.mayPass(reason))
    }
    let (isOnDisk, reason) = (fsync(descriptor) == 0, errno)
    close(descriptor)
    guard isOnDisk else {
      throw StoreError(
        "the store \(name) cannot be made: \(Self.words(reason))", mayPass: StoreError.mayPass(reason))
    }
    try Self.keepName(name, in: resolved)
    isNew = true
  }

  /// Why no server can have a store of this name, as far as that is seen without opening or making it; nil if nothing is
  /// seen.
  package static func doubt(about name: String) -> String? {
    do throws(StoreError) {
      if resolve(name) != nil {
        try refuseNoDatabase(StorePath(name, mayMake: false).path, name)
        return nil
      }
      try refuseUnknown(errno, name)
      try refuseLinkToNothing(name)
      try refuseNameBeside(name)
      let path = fromRoot(name, in: try folder(of: name))
      try refuseWhatIsNoFile(path, name)
      try refuseCut(path, name, size: nil)
      return nil
    } catch {
      return error.description
    }
  }

  /// Bytes of the smallest page of SQLite. A file that has fewer is none, and SQLite would take some for empty ones.
  private static let smallest = 512

  /// A file without content is a new store. But if a server has written its mark beside it, there was more in it.
  private static func refuseCut(_ path: String, _ name: String, size: Int?) throws(StoreError) {
    if let size, size >= smallest { return }
    if let size, size > 0 { throw Opening.unreadable(name, "it has only \(size) bytes") }
    guard try Self.size(of: path + "-wal") == 0 else {
      throw StoreError(
        "\(name) \(size == nil ? "has gone" : "is empty"), and \(name)-wal beside it is the log of a store; put that back, or "
          + "move \(name)-wal away to begin a new one")
    }
    guard try Self.size(of: path + ".mark") > 0 else { return }
    throw StoreError(
      "\(name) \(size == nil ? "has gone" : "is empty"), and \(name).mark beside it says that a store was there; put back "
        + "\(Opening.copy(of: name)), or remove \(name).mark to begin a new store")
  }

  /// A file that was moved to another folder, with a link in its place, needs its log and its mark there.
  private static func refuseLeftBehind(_ path: String, _ name: String) throws(StoreError) {
    guard isLink(name) else { return }
    for end in ["-wal", ".mark"] where try size(of: name + end) > 0 {
      throw StoreError(
        "\(name) is a symbolic link to \(path), and \(name)\(end) is still beside the link; move \(name)-wal, \(name)-shm "
          + "and \(name).mark to where \(path) is, or away if they are of another store")
    }
  }

  /// Bytes of a file; 0 if it is not there. Throws if the system does not say whether it is.
  static func size(of path: String) throws(StoreError) -> Int {
    var about = stat()
    if stat(path, &about) == 0 { return Int(about.st_size) }
    try refuseUnknown(errno, path)
    return 0
  }

  /// What the system does not tell of a file may be anything. That it is not there, or that this user may not know, is told.
  static func refuseUnknown(_ code: Int32, _ name: String) throws(StoreError) {
    guard ![ENOENT, ENOTDIR, EACCES, ELOOP, ENAMETOOLONG].contains(code) else { return }
    throw StoreError("\(name) cannot be looked at: \(systemWords(code)); see that its disk is there")
  }

  private static func isLink(_ name: String) -> Bool {
    var about = stat()
    return lstat(name, &about) == 0 && about.st_mode & S_IFMT == S_IFLNK
  }

  static func refuseLinkToNothing(_ name: String) throws(StoreError) {
    var about = stat()
    guard isLink(name), stat(name, &about) != 0 else { return }
    guard errno != ELOOP else { throw StoreError("\(name) is a symbolic link that leads back to itself; remove it") }
    guard errno == ENOENT else { return }
    throw StoreError("\(name) is a symbolic link to a file that is not there; remove the link, or put the file there")
  }

  /// What to do where the system gives no more descriptors.
  static let moreFiles = "raise the limit of files (ulimit -n)"

  /// What the system says of a file that cannot be made or written, and what to do.
  static func words(_ code: Int32) -> String {
    let advice =
      switch code {
      case ENAMETOOLONG: "give it a shorter name"
      case EROFS: "nothing can be written on that disk; name a file on another one"
      case EACCES, EPERM: "let this user write in its folder"
      case EMFILE, ENFILE: moreFiles
      default: "see that its disk is there and has room"
      }
    return "\(systemWords(code)); \(advice)"
  }

  /// The folder in which a file of this name is, or would be.
  static func folder(of name: String) throws(StoreError) -> String {
    let folder = name.lastIndex(of: "/").map { $0 == name.startIndex ? "/" : String(name[..<$0]) } ?? "."
    let found = resolve(folder)
    if found == nil { try refuseUnknown(errno, folder) }
    guard !name.hasSuffix("/"), let resolved = found else {
      throw StoreError("\(name) cannot be made: there is no folder \(folder); make the folder first")
    }
    return resolved
  }

  /// The same file, named from the root. SQLite takes a name that begins with "file:" for an address (URI), and none of these.
  static func fromRoot(_ name: String, in folder: String) -> String {
    let last = name.lastIndex(of: "/").map { String(name[name.index(after: $0)...]) } ?? name
    return (folder == "/" ? "" : folder) + "/" + last
  }

  private static func resolve(_ name: String) -> String? {
    guard let resolved = realpath(name, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// The name of a new file is on disk when its folder is. Not every disk can be told to write a folder, and not every user may
  /// open one.
  static func keepName(_ name: String, in folder: String) throws(StoreError) {
    let descriptor = open(folder, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    if fsync(descriptor) == 0 || [EINVAL, ENOTSUP, EROFS].contains(errno) { return }
    throw StoreError(
      "\(name) is there, and its name is perhaps not on disk: its folder cannot be written: \(words(errno))")
  }

  /// Bytes that are free on the disk for this user; nil if the system does not tell.
  func freeBytes() -> Int? { StorePath.freeBytes(at: path) }

  /// The same for the disk on which that file is.
  static func freeBytes(at path: String) -> Int? {
    var about = statvfs()
    guard statvfs(path, &about) == 0 else { return nil }
    let (bytes, isTooMuch) = UInt64(about.f_bavail).multipliedReportingOverflow(by: UInt64(about.f_frsize))
    return isTooMuch ? .max : Int(clamping: bytes)
  }

  /// Whether this user may read and write the file and its log, and write in its folder; true if it is not there.
  static func isAllowed(_ name: String) -> Bool {
    guard let path = resolve(name) else { return errno != EACCES }
    let folder = String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)])
    let mayUse = ["", "-wal", "-shm"].allSatisfy { access(path + $0, R_OK | W_OK) == 0 || errno == ENOENT }
    return mayUse && access(folder.isEmpty ? "/" : folder, W_OK) == 0
  }

  /// Whether a log of SQLite stands beside the file, in which there is perhaps more.
  var hasLog: Bool { access(path + "-wal", F_OK) == 0 }

  /// Whether nothing is in it but its first page: all else is in its log.
  private var isYoung: Bool { ((try? byteCount) ?? 0) <= Schema.pageBytes }

  /// Refuses a disk on which not even the map of the log (FILE-shm) has room. SQLite writes one byte to each 4 KiB of it: where
  /// the blocks of the disk are smaller, the rest finds room or does not when the memory that is mapped to it is written, and
  /// then the system ends the process (SIGBUS). Where nothing may be written, there will be no map.
  func expectRoomForMap() throws(StoreError) {
    var about = statvfs()
    var map = stat()
    guard statvfs(path, &about) == 0, about.f_frsize < 4096, Self.isAllowed(path) else { return }
    if stat(path + "-shm", &map) == 0, Int64(map.st_blocks) * 512 >= Self.mapBytes { return }
    // What is kept free for root does not count: the disk keeps more than that from files.
    guard let free = freeBytes(), free < Self.leastFree else { return }
    throw StoreError(
      "the store \(path) cannot be used: its disk has \(free) bytes of room, and the files beside it need \(Self.leastFree); "
        + "make room on it", mayPass: true)
  }

  /// Of the first part of the map.
  private static let mapBytes = 32_768
  /// For that, and for what a start writes to the log before it touches all of it.
  private static let leastFree = 262_144

  /// Opens the file. A log of which nothing can be read stays where it is all that there is.
  func openDatabase() throws(DatabaseError) -> Database {
    let database = try Database(path: path, isWritten: true)
    if isYoung { database.keepLog() }
    return database
  }

  /// Bytes of the file.
  var byteCount: Int { get throws(StoreError) { try Self.size(of: path) } }

  /// Whether a server has begun a store of this name: it has written its mark, after the first commit.
  var hasMark: Bool { get throws(StoreError) { try Self.size(of: path + ".mark") > 0 } }
}
