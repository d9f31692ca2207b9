#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// What there is under a path.
struct FileFacts {
  /// Whether it is a file with bytes of its own: no folder, pipe or device.
  let isRegular: Bool
  let isFolder: Bool
  let isSocket: Bool
  /// How many it has.
  let bytes: Int

  /// Nil if there is nothing, which is told by who opens it.
  init?(_ path: String, followingLinks follows: Bool = true) {
    var facts = stat()
    guard (follows ? stat(path, &facts) : lstat(path, &facts)) == 0 else { return nil }
    let kind = facts.st_mode & S_IFMT
    (isRegular, isFolder, isSocket) = (kind == S_IFREG, kind == S_IFDIR, kind == S_IFSOCK)
    bytes = Int(facts.st_size)
  }
}
