private import BatonCore

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// How many files the process may have open, and for how many connections that leaves room.
public struct FileLimit: Sendable {
  /// Files that the process may have open.
  public let files: Int
  /// Connections that fit beside the program's own files.
  public var room: Int { max(files - FileLimit.reserve, 1) }

  /// The most files that so many sockets of HTTP take: those that ask, and those that end.
  public static func files(forHTTP sockets: Int) -> Int { sockets + HTTPLimits.mostLingering(beside: sockets) }

  /// The most files that so many connections take: those that there may be, and those that have been ended. A few of the
  /// second are in the reserve.
  public static func files(forConnections count: Int) -> Int {
    count + Router.mostLingering(beside: count) - endedInReserve
  }

  /// The connections that fit into so many files.
  public static func connections(in files: Int) -> Int {
    files - max(0, Router.mostLingering(beside: files) - endedInReserve)
  }

  /// The ended connections for which the reserve has room.
  private static let endedInReserve = Router.mostLingering(beside: 0)

  /// For the loop, the listeners and the log, and for the first connections that have been ended and are not closed yet.
  public static let reserve = 64

  /// The limit as it is now; it can be changed from outside.
  static var current: FileLimit { FileLimit(files: Int(clamping: limits().rlim_cur)) }

  private static func limits() -> rlimit {
    var limit = rlimit()
    // The smallest limit that any system gives.
    if getrlimit(resource, &limit) != 0 { limit.rlim_cur = 256 }
    return limit
  }

  #if canImport(Darwin)
    private static let resource = RLIMIT_NOFILE
  #else
    private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  #endif

  /// Raises the limit as far as this many connections need it and the system allows it.
  public static func raised(forConnections connections: Int) -> FileLimit { raised(to: connections + reserve) }

  /// Raises the limit to so many files, as far as the system allows it.
  public static func raised(to files: Int) -> FileLimit {
    var limit = limits()
    let needed = rlim_t(clamping: files)
    if limit.rlim_cur < needed {
      var raised = limit
      raised.rlim_cur = min(needed, limit.rlim_max)
      if setrlimit(resource, &raised) == 0 { limit = raised }
    }
    return FileLimit(files: Int(clamping: limit.rlim_cur))
  }
}
