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

  /// The folder in which a path is; `.` if it names none.
  static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// The path without links and detours in its folder, if this machine has the folder: two spellings of one place are the
  /// same then.
  static func resolved(_ path: String) -> String {
    guard let folder = realpath(folder(of: path), nil) else { return path }
    defer { free(folder) }
    let name = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
    return "\(String(cString: folder))/\(name)"
  }
}
