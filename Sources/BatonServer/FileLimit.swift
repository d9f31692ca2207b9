#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// How many files the process may have open, and how many connections that leaves room for.
public struct FileLimit: Sendable {
  /// Files that the process may have open.
  public let files: Int
  /// Connections that fit beside the program's own files.
  public var room: Int { max(files - FileLimit.reserve, 1) }

  /// For the loop, the listeners and the log, and for connections that are only let in to be told that there is no room.
  public static let reserve = 64

  /// Raises the limit as far as that many connections need it and the system allows it.
  public static func raised(forConnections connections: Int) -> FileLimit {
    #if canImport(Darwin)
      let files = RLIMIT_NOFILE
    #else
      let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #endif
    var limit = rlimit()
    guard getrlimit(files, &limit) == 0 else { return FileLimit(files: 256) }
    let needed = rlim_t(clamping: connections + reserve)
    if limit.rlim_cur < needed {
      var raised = limit
      raised.rlim_cur = min(needed, limit.rlim_max)
      if setrlimit(files, &raised) == 0 { limit = raised }
    }
    return FileLimit(files: Int(clamping: limit.rlim_cur))
  }
}
